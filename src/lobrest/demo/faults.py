"""The switchboard of planted defects.

A defect is code behind `faults.enabled("name")`; with the name off the right code runs.
What each one needs before it shows is told in `faults.json`, which the service itself never reads.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

NAMES: Final = frozenset(
    {
        "users-page-size-zero",
        "project-search-bracket",
        "group-path-too-long",
        "token-name-null",
        "user-email-without-domain",
        "label-colour-unicode",
        "milestone-deleted-filter",
        "closed-issue-quick-action",
        "release-branch-deleted",
        "archive-twice",
        "hook-test-unsubscribed",
        "revert-of-squash-merge",
        "merge-after-reopen",
        "merge-removes-protected-source",
        "move-issue-with-milestone",
        "push-after-approval",
        "transfer-with-open-merge-request",
        "merge-after-approver-left",
        "approve-after-author-demoted",
        "close-issue-of-departed-assignee",
    }
)

QUIET: Final = frozenset(
    {
        "milestone-stays",
        "milestone-of-any-project",
        "private-issue-shown",
        "private-issue-changed",
        "hooks-without-login",
        "labels-with-any-login",
        "branch-forgotten",
        "release-author-text",
        "user-password-shown",
        "group-accepted",
        "tokens-as-text",
        "commit-trace",
        "label-colour-any",
    }
)
"""Defects that no 5XX shows. Off unless they are named; `quiet.json` tells their kind."""


@dataclass(frozen=True, slots=True)
class Faults:
    """Which defects are in this instance of the service."""

    names: frozenset[str] = NAMES

    def enabled(self, name: str) -> bool:
        """Raises `KeyError` for a name that no defect has, so that a typing error cannot switch one off."""
        if name not in NAMES and name not in QUIET:
            raise KeyError(name)
        return name in self.names


def parse_faults(text: str | Iterable[str]) -> Faults:
    """`on`, `off`, `quiet`, or names separated by commas. Raises `ValueError` naming what is unknown."""
    if text == "on":
        return Faults()
    if text == "off":
        return Faults(frozenset())
    if text == "quiet":
        return Faults(QUIET)
    names = frozenset(text.split(",") if isinstance(text, str) else text)
    if unknown := sorted(names - NAMES - QUIET):
        known = ", ".join(sorted(NAMES | QUIET))
        raise ValueError(f"no such fault: {', '.join(unknown)}; known are {known}")
    return Faults(names)
