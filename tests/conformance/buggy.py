"""A service that breaks often and in many places, so that a campaign announces bugs all the time."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.services.serving import Call, operation, serving

KINDS = ("apples", "boxes", "carts", "doors", "eggs", "forks", "gates", "hats")


@dataclass(frozen=True, slots=True)
class Buggy:
    """Where it is, and what a campaign is given."""

    url: str
    spec: str
    auth: Path
    logs: list[Path]


def answer(call: Call) -> tuple[int, object]:
    """Decided by the request alone: one in eleven fails, in a way of its operation's own."""
    mood = zlib.crc32(repr((call.method, call.path, call.body, sorted(call.query.items()))).encode())
    if mood % 11 == 0:
        return 500, {"message": f"{call.method} of {call.path[0] if call.path else '?'} broke"}
    if mood % 5 == 0:
        return 422, {"message": "name is not valid"}
    return 201 if call.method == "POST" else 200, {"id": mood % 1000, "name": "n"}


@contextmanager
def buggy_service(folder: Path) -> Iterator[Buggy]:
    """The service, with its specification in the folder."""
    thing = {"id": {"type": "integer"}, "name": {"type": "string"}}
    paths: dict[str, object] = {}
    for kind in KINDS:
        paths[f"/{kind}"] = {"post": operation(answer=thing), "get": operation(answer=thing)}
        paths[f"/{kind}/{{id}}"] = {
            method: operation("id", answer=thing) for method in ("get", "put", "patch", "delete")
        }
    spec = folder / "buggy.json"
    document = {"openapi": "3.1.0", "info": {"title": "buggy", "version": "1"}, "paths": paths}
    spec.write_text(json.dumps(document))
    with serving(answer) as url:
        yield Buggy(url, str(spec), Path("ann:pw"), [])
