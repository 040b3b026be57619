"""Flows as a pytest suite that people can read and change. It needs pytest and nothing else."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from lobrest.export.flow import Flow
from lobrest.export.values import Hole, StepValues, Text, Value, gathered, text_of, values_of
from lobrest.model.reproducer import CaptureSource, Encoding, ReproStep
from lobrest.report.scripts import variables_of
from lobrest.report.wording import one_line

_WIDTH = 100


def pytest_suite(flows: Sequence[Flow], *, service: str) -> str:
    """``test_flows.py``: one test a flow, which fails where a step is answered otherwise than before."""
    actors = variables_of(actor for flow in flows for actor in flow.actors)
    return (
        _templates()
        .get_template("test_flows.py.j2")
        .render(
            service=one_line(service),
            actors=actors,
            tests=[_Test.of(flow) for flow in flows],
        )
    )


@dataclass(frozen=True, slots=True)
class _Test:
    """A test function whose fields are Python source already."""

    name: str
    title: str
    fresh: tuple[tuple[str, str, int], ...]
    steps: tuple[_TestStep, ...]

    @classmethod
    def of(cls, flow: Flow) -> _Test:
        reasons = flow.reasons or ("",) * len(flow.steps)
        told = f"{flow.title}. From {flow.source}." if flow.source else f"{flow.title}."
        return cls(
            flow.name,
            f'""{_literal(one_line(told, 300))}""',
            tuple((fresh.name, str(fresh.kind), fresh.length) for fresh in flow.fresh),
            tuple(
                _TestStep.of(step, reason, flow.holes)
                for step, reason in zip(flow.steps, reasons, strict=True)
            ),
        )


@dataclass(frozen=True, slots=True)
class _TestStep:
    comment: str
    call: str
    captures: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, step: ReproStep, reason: str, holes: frozenset[str]) -> _TestStep:
        values = values_of(step, holes)
        path, mark, _ = step.target.partition("?")
        words = [_literal(step.method), _path_expression(path, holes)]
        if mark:
            words.append(f"query={_python(gathered(values.query), 1)}")
        if step.actor:
            words.append(f"user={_literal(step.actor)}")
        words.extend(_body_words(step, values, holes))
        if step.headers:
            fields = {
                name: value
                for name, value in step.headers
                if not (values.has_body and name.lower() == "content-type")
            }
            if fields:
                words.append(f"headers={_python({n: text_of(v, holes) for n, v in fields.items()}, 1)}")
        if 200 <= step.expected < 400:
            words.append(f"expect={step.expected // 100}")
        captures = tuple(
            (one.name, f"answer.{_PICKS[one.source]}({_where(one.source, one.where)})")
            for one in step.captures
        )
        return cls(one_line(reason, 200), _call(words), captures)


_PICKS = {CaptureSource.BODY: "at", CaptureSource.LOCATION: "location", CaptureSource.HEADER: "header"}


def _where(source: CaptureSource, where: str) -> str:
    return where if source is CaptureSource.LOCATION and where.lstrip("-").isdigit() else _literal(where)


def _call(words: Sequence[str]) -> str:
    line = f"service.send({', '.join(words)})"
    if len(line) <= _WIDTH and "\n" not in line:
        return line
    return (
        "service.send(\n        "
        + ",\n        ".join(word.replace("\n", "\n    ") for word in words)
        + ",\n    )"
    )


def _body_words(step: ReproStep, values: StepValues, holes: frozenset[str]) -> list[str]:
    if step.raw_body is not None:
        return [f"raw=base64.b64decode({base64.b64encode(step.raw_body)!r})"]
    if step.body is None:
        return []
    if values.has_body:
        kind = next((value for name, value in step.headers if name.lower() == "content-type"), "")
        plain = kind.partition(";")[0] in ("", "application/json", "application/x-www-form-urlencoded")
        name = "form" if step.body_encoding is Encoding.URL else "body"
        return [f"{name}={_python(values.body, 1)}", *([] if plain else [f"media_type={_literal(kind)}"])]
    return [f"raw={_python(text_of(step.body, holes), 1)}.encode()"]


def _path_expression(path: str, holes: frozenset[str]) -> str:
    """The path as it is sent: what is put in is percent-encoded."""
    text = text_of(path, holes)
    if isinstance(text, str):
        return _literal(text)
    inside = "".join(
        f"{{quoted({piece.name})}}" if isinstance(piece, Hole) else _f_literal(piece) for piece in text.pieces
    )
    return f'f"{inside}"'


def _python(value: Value, depth: int) -> str:
    """A value as Python source."""
    match value:
        case Hole(name):
            return name
        case Text(pieces):
            inside = "".join(
                f"{{{one.name}}}" if isinstance(one, Hole) else _f_literal(one) for one in pieces
            )
            return f'f"{inside}"'
        case list():
            return _several("[", [_python(item, depth + 1) for item in value], "]", depth)
        case dict():
            pairs = [f"{_literal(name)}: {_python(inner, depth + 1)}" for name, inner in value.items()]
            return _several("{", pairs, "}", depth)
        case float() if value != value or value in (float("inf"), float("-inf")):
            return f'float("{value}")'
        case str():
            return _literal(value)
        case _:
            return repr(value)


def _several(opening: str, items: Sequence[str], closing: str, depth: int) -> str:
    line = opening + ", ".join(items) + closing
    if len(line) <= _WIDTH - 8 * depth and "\n" not in line:
        return line
    inner, outer = "    " * (depth + 1), "    " * depth
    return opening + "\n" + "".join(f"{inner}{item},\n" for item in items) + outer + closing


def _literal(text: str) -> str:
    """Text as Python source, in double quotes and ASCII."""
    return f'"{_inside(text)}"'


def _inside(text: str) -> str:
    return text.encode("unicode_escape").decode().replace('"', '\\"')


def _f_literal(text: str) -> str:
    """Text inside the quotes of an f-string."""
    return _inside(text).replace("{", "{{").replace("}", "}}")


def _source(value: Value) -> str:
    return _python(value, 0)


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("lobrest.export"),
        autoescape=False,  # these are programs, not pages: every value comes as source
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
    environment.filters["py"] = _source
    environment.filters["plain"] = _inside
    return environment
