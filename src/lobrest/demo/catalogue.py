"""All modules of the forge, written out."""

from __future__ import annotations

from typing import Final

from lobrest.demo import (
    approvals,
    branches,
    commits,
    groups,
    hooks,
    issues,
    labels,
    members,
    merge_requests,
    milestones,
    notes,
    projects,
    releases,
    tokens,
    users,
)

MODULES: Final = (
    users.MODULE,
    tokens.MODULE,
    groups.MODULE,
    members.MODULE,
    projects.MODULE,
    branches.MODULE,
    commits.MODULE,
    merge_requests.MODULE,
    approvals.MODULE,
    issues.MODULE,
    notes.MODULE,
    labels.MODULE,
    milestones.MODULE,
    releases.MODULE,
    hooks.MODULE,
)
