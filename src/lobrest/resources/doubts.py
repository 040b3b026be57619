"""Decisions a person should look at, as commented lines for ``lobrest.toml``."""

from __future__ import annotations

import json
from collections.abc import Iterator

from lobrest.model.resource import Decider, ResourceModel


def doubtful_lines(model: ResourceModel, *, below: float = 0.7, most: int = 60) -> Iterator[str]:
    """A ``[resources]`` table in which everything is a comment: take the mark away to confirm or correct.

    The least certain decisions come first; what a person has decided is not doubted again.
    """
    creations = sorted(
        (one for one in model.creations.values() if one.confidence < below and _open(one.decided_by)),
        key=lambda one: (one.confidence, one.operation),
    )
    dependencies = sorted(
        (one for one in model.dependencies.values() if one.confidence < below and _open(one.decided_by)),
        key=lambda one: (one.confidence, one.parameter),
    )
    if not creations and not dependencies:
        return
    yield "# Decisions that are not certain. Uncomment a line to confirm it, change it to correct it."
    yield "# [resources]"
    if creations:
        yield "# creates = ["
        for creation in creations[:most]:
            entry = f"{{op = {_text(creation.operation)}, resource = {_text(creation.resource)}}},"
            yield f"#   {entry}  # {creation.confidence:.2f}: {_plain(creation.reason)}"
        yield "# ]"
    if dependencies:
        yield "# dependencies = ["
        for dependency in dependencies[:most]:
            ref = dependency.parameter
            entry = (
                f"{{op = {_text(ref.operation)}, in = {_text(ref.location.value)}, "
                f"param = {_text(ref.pointer)}, resource = {_text(dependency.resource)}}},"
            )
            yield f"#   {entry}  # {dependency.confidence:.2f}: {_plain(dependency.reason)}"
        yield "# ]"
    left = max(0, len(creations) - most) + max(0, len(dependencies) - most)
    if left:
        yield f"# … and {left} more: lobrest analyze --json shows every decision with its reason."


def _open(decider: Decider) -> bool:
    return decider is not Decider.PERSON


def _text(value: str) -> str:
    """A TOML basic string; JSON writes the same escapes."""
    return json.dumps(value)


def _plain(reason: str) -> str:
    return " ".join(reason.split())
