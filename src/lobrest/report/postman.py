"""A reproducer as a Postman collection, format 2.1; newman runs it too.

Postman writes a variable as it is, so each value is kept three times: as it is, percent-encoded (``v1_url``)
and as the inside of a JSON string (``v1_json``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from lobrest.model.operation import Json
from lobrest.model.reproducer import Capture, CaptureSource, Encoding, Fresh, FreshKind, Reproducer, ReproStep
from lobrest.report.scripts import auth_variables, title_of

_SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
_HOLE = re.compile(r"\{\{(\w+)\}\}")
_KEEP = """\
const keep = (name, value) => {
  if (value === undefined || value === null || value === "") { throw new Error("the answer has no " + name); }
  const text = String(value);
  pm.collectionVariables.set(name, text);
  pm.collectionVariables.set(name + "_url", encodeURIComponent(text));
  pm.collectionVariables.set(name + "_json", JSON.stringify(text).slice(1, -1));
};"""
_FRESH = """\
const fresh = (kind, length) => {
  const letters = kind === "digits" ? "0123456789" : "0123456789abcdef";
  let text = kind === "secret" ? "Aa1!" : "";
  while (text.length < length) { text += letters[Math.floor(Math.random() * letters.length)]; }
  return text;
};"""


def postman_collection(reproducer: Reproducer) -> str:
    """The collection; set the variables ``target`` and those of ``auth_variables`` in an environment."""
    actors = auth_variables(reproducer)
    items = step_items(reproducer.steps, reproducer.fresh, actors, verdict=_verdict(reproducer.status))
    return collection(
        title_of(reproducer), "The last request's test fails while the bug is there.", items, actors.values()
    )


def collection(name: str, about: str, items: Sequence[Json], credentials: Iterable[str]) -> str:
    """A collection of requests or folders; ``credentials`` are the variables that log users in."""
    variables: list[Json] = [{"key": "LOBREST_TARGET", "value": "http://127.0.0.1:8080"}]
    variables.extend({"key": variable, "value": ""} for variable in credentials)
    document: Json = {
        "info": {
            "name": name,
            "description": "Set LOBREST_TARGET to the service, and each LOBREST_AUTH_ variable to a header "
            f"line such as 'Authorization: Bearer …'. {about}",
            "schema": _SCHEMA,
        },
        "item": list(items),
        "variable": variables,
    }
    return json.dumps(document, indent=1) + "\n"


def step_items(
    steps: Sequence[ReproStep],
    fresh: Sequence[Fresh],
    actors: Mapping[str, str],
    *,
    verdict: Sequence[str] | None = None,
) -> list[Json]:
    """The requests of one flow. ``verdict`` is the test of the last one, else it must work like the others."""
    names = frozenset(
        [capture.name for step in steps for capture in step.captures] + [one.name for one in fresh]
    )
    items: list[Json] = []
    for position, step in enumerate(steps):
        before = list[str]()
        if position == 0 and fresh:
            before.extend([_KEEP, _FRESH, *map(_fresh_line, fresh)])
        if step.actor:
            before.append(_credentials(actors[step.actor]))
        is_last = position == len(steps) - 1
        after = _check(position, step) if verdict is None or not is_last else verdict
        events: list[Json] = [_event("test", after)]
        if before:
            events.insert(0, _event("prerequest", before))
        name = f"{position + 1}. {step.operation}"
        items.append({"name": name, "request": _request(step, names), "event": events})
    return items


def _request(step: ReproStep, names: frozenset[str]) -> Json:
    request: dict[str, Json] = {
        "method": step.method,
        "header": [
            {"key": name, "value": _renamed(value, Encoding.RAW, names)} for name, value in step.headers
        ],
        "url": "{{LOBREST_TARGET}}" + _renamed(step.target, Encoding.URL, names),
    }
    if step.body is not None:
        request["body"] = {"mode": "raw", "raw": _renamed(step.body, step.body_encoding, names)}
    return request


def _check(position: int, step: ReproStep) -> list[str]:
    lines = []
    if 200 <= step.expected < 300:
        lines.append(
            f'pm.test("step {position + 1} can be done", () => '
            "pm.expect(pm.response.code).to.be.within(200, 299));"
        )
    if step.captures:
        lines.append(_KEEP)
        lines.extend(_capture_line(capture) for capture in step.captures)
    return lines


def _verdict(status: int) -> list[str]:
    return [
        f'pm.test("the bug does not happen", () => pm.expect(pm.response.code).to.not.equal({status}));',
    ]


def _credentials(variable: str) -> str:
    return (
        f'(pm.variables.get("{variable}") || "").split("\\n").filter((line) => line.includes(":"))'
        '.forEach((line) => pm.request.headers.upsert({ key: line.slice(0, line.indexOf(":")).trim(), '
        'value: line.slice(line.indexOf(":") + 1).trim() }));'
    )


def _capture_line(capture: Capture) -> str:
    if capture.source is CaptureSource.BODY:
        steps = [
            part.replace("~1", "/").replace("~0", "~") for part in capture.where.split("/") if capture.where
        ]
        value = f"{json.dumps(steps)}.reduce((value, part) => value[part], pm.response.json())"
    elif capture.source is CaptureSource.LOCATION:
        value = (
            'decodeURIComponent(pm.response.headers.get("Location").split("?")[0]'
            f'.split("/").filter(Boolean).slice({int(capture.where)})[0])'
        )
    else:
        value = f"pm.response.headers.get({json.dumps(capture.where)})"
    return f"keep({json.dumps(capture.name)}, {value});"


def _fresh_line(fresh: Fresh) -> str:
    kind = FreshKind(fresh.kind)
    return f'keep({json.dumps(fresh.name)}, fresh("{kind}", {fresh.length}));'


def _renamed(text: str, encoding: Encoding, names: frozenset[str]) -> str:
    suffix = "" if encoding is Encoding.RAW else f"_{encoding}"
    return _HOLE.sub(lambda hole: f"{{{{{hole[1]}{suffix}}}}}" if hole[1] in names else hole[0], text)


def _event(listen: str, lines: Iterable[str]) -> Json:
    script: list[Json] = [line for block in lines for line in block.splitlines()]
    return {"listen": listen, "script": {"type": "text/javascript", "exec": script}}
