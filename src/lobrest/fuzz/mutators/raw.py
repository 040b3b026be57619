"""Bodies that no serialiser would write: cut short, doubled keys, deep nesting, another media type."""

from __future__ import annotations

from dataclasses import replace

from lobrest.fuzz.context import MutationContext
from lobrest.fuzz.edit import with_step
from lobrest.fuzz.render import json_bytes
from lobrest.model.seed import Seed

_MEDIA_TYPES = (
    "application/xml", "text/plain", "application/x-www-form-urlencoded", "application/octet-stream",
    "application/json; charset=utf-16", "multipart/form-data", "",
)  # fmt: skip


def raw_body(seed: Seed, context: MutationContext) -> Seed | None:
    """One body is sent broken."""
    able = [index for index, step in enumerate(seed.steps) if step.entry.arguments.has_body]
    if not able or (context.focus is not None and context.focus not in able):
        return None
    index = context.focus if context.focus is not None else context.chance.choice(able)
    step = seed.steps[index]
    arguments = step.entry.arguments
    written = json_bytes(arguments.body)
    match context.chance.randrange(6):
        case 0:
            body = written[: len(written) // 2]
        case 1:
            body = (
                written[:-1] + b"," + written[1:] if written.startswith(b"{") and len(written) > 2 else b"{"
            )
        case 2:
            body = b"[" * 2000 + b"]" * 2000
        case 3:
            body = b"\xff\xfe" + written
        case 4:
            body = b""
        case _:
            body = written
            arguments = replace(arguments, media_type=context.chance.choice(_MEDIA_TYPES))
    changed = replace(step, raw_body=body, broken=True, entry=replace(step.entry, arguments=arguments))
    return with_step(seed, index, changed, "raw")
