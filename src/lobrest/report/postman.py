"""A reproducer as a Postman collection, format 2.1; newman runs it too.

Postman writes a variable as it is, so each value is kept three times: as it is, percent-encoded (``v1_url``)
and as the inside of a JSON string (``v1_json``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from lobrest.model.bug import Check
from lobrest.model.operation import Json
from lobrest.model.reproducer import Capture, CaptureSource, Encoding, Fresh, FreshKind, Reproducer, ReproStep
from lobrest.report.scripts import auth_variables, check_of, title_of

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
_JUDGE = """\
const code = String(pm.response.code).padStart(3, "0");
const steady = (value) => Array.isArray(value) ? value.map(steady)
  : value !== null && typeof value === "object"
    ? Object.fromEntries(Object.entries(value).sort()
      .filter(([name, inner]) => (inner !== null && typeof inner === "object")
        || !new RegExp(check.volatile, "i").test(name))
      .map(([name, inner]) => [name, steady(inner)]))
    : value;
const settled = (text) => { try { return JSON.stringify(steady(JSON.parse(text))); } catch (_) { return text; } };
const kind = (value) => value === null ? "null" : Array.isArray(value) ? "array"
  : typeof value === "number" ? (Number.isInteger(value) ? "integer" : "number") : typeof value;
const places = (text, pointer) => {
  let found;
  try { found = [JSON.parse(text)]; } catch (_) { return []; }
  for (const part of pointer ? pointer.split("/") : []) {
    const name = part.replace(/~1/g, "/").replace(/~0/g, "~");
    found = found.flatMap((value) => value === null || typeof value !== "object" ? []
      : part === "*" ? Object.values(value) : !Array.isArray(value) && name in value ? [value[name]] : []);
  }
  return found;
};
const wrong = (value) => {
  const [, rule, argument] = check.value;
  if (rule === "type") {
    return !argument.includes(kind(value)) && !(kind(value) === "integer" && argument.includes("number"));
  }
  if (rule === "required") { return kind(value) === "object" && !(argument[0] in value); }
  if (rule === "enum") { return !argument.includes(value); }
  return argument.includes(kind(value));
};
const media = (pm.response.headers.get("Content-Type") || "").split(";")[0].trim().toLowerCase();
const same = () => settled(pm.collectionVariables.get("lobrest_same")) === settled(pm.response.text());
const happens = check.statuses.some((one) => one === code || (one.slice(1) === "XX" && one[0] === code[0]))
  && (!check.pattern || new RegExp(check.pattern).test(pm.response.text()))
  && (!check.media_type || media === check.media_type)
  && (!check.slower_than || pm.response.responseTime > 1000 * check.slower_than)
  && (check.same_as === null || same())
  && (check.value === null || places(pm.response.text(), check.value[0]).some(wrong));
pm.test("the bug does not happen", () => pm.expect(happens).to.equal(false));"""
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
    items = step_items(
        reproducer.steps,
        reproducer.fresh,
        actors,
        verdict=_verdict(reproducer),
        same_as=reproducer.check.same_as,
        pause=reproducer.check.pause,
    )
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
    same_as: int | None = None,
    pause: float = 0.0,
) -> list[Json]:
    """The requests of one flow. ``verdict`` is the test of the last one, else it must work like the others.

    The verdict may look at the answer of the request ``same_as``, and is given ``pause`` seconds later.
    """
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
        after = _check(position, step) if verdict is None or not is_last else list(verdict)
        if position == same_as:
            after.append('pm.collectionVariables.set("lobrest_same", pm.response.text());')
        if is_last and pause:
            before.append(f"setTimeout(() => {{}}, {int(1000 * pause)});")
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


def _verdict(reproducer: Reproducer) -> list[str]:
    if reproducer.check == Check():
        return [
            'pm.test("the bug does not happen", '
            f"() => pm.expect(pm.response.code).to.not.equal({reproducer.status}));",
        ]
    return [f"const check = {json.dumps(check_of(reproducer))};", _JUDGE]


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
