"""Descriptions and the things they name."""

from __future__ import annotations

import pytest

from lobrest.resources.texts import named_things


@pytest.mark.parametrize(
    ("description", "thing"),
    [
        ("The base branch for the pull request", ("base", "branch")),
        ("ID of the user", ("user",)),
        ("The ID or URL-encoded path of the project.", ("project",)),
        ("name of the repo", ("repository",)),
        ("Title of the issue", ("title",)),
        ("The target commit SHA or branch name for the tag", ("commit",)),
        ("", None),
        ("(optional) the team to ask", ("team",)),
        ("?!", None),
    ],
)
def test_named_things(description: str, thing: tuple[str, ...] | None) -> None:
    found = named_things(description)
    assert (found[0] if found else None) == thing
