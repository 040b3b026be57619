"""The pytest suite."""

from __future__ import annotations

import ast
import json
from typing import Any
from urllib.parse import quote

import pytest

from lobrest.export.flow import Flow
from lobrest.export.python_suite import pytest_suite
from lobrest.model.operation import OperationId
from lobrest.model.reproducer import Capture, CaptureSource, Encoding, Fresh, FreshKind, ReproStep

NASTY = 'a"""b\\ {x} {{y}} \n\'\u202e😀\ud800'


class Seen:
    """Stands in for the service: keeps what it is asked."""

    def __init__(self) -> None:
        self.calls: list[dict[str, Any]] = []

    def send(self, method: str, path: str, **rest: Any) -> Any:
        self.calls.append({"method": method, "path": path, **rest})

        class Answer:
            def at(self, pointer: str) -> object:
                return 41

            def location(self, position: int) -> object:
                return f"seg/ment {position}"

        return Answer()


def flow(**step: Any) -> Flow:
    first = ReproStep(
        OperationId("POST /things"),
        "POST",
        "/things",
        captures=(
            Capture("thing_id", CaptureSource.BODY, "id"),
            Capture("place", CaptureSource.LOCATION, "-1"),
        ),
        actor="ann",
        expected=201,
    )
    return Flow("post_things", (first, ReproStep(OperationId("GET /x"), "GET", **step)))


def played(made: Flow) -> list[dict[str, Any]]:
    source = pytest_suite([made], service=NASTY)
    ast.parse(source)
    assert source.isascii()
    names: dict[str, Any] = {"__name__": "suite"}
    exec(compile(source, "test_flows.py", "exec"), names)
    seen = Seen()
    names[f"test_{made.name}"](seen)
    return seen.calls


def test_values_go_from_answers_into_requests():
    calls = played(flow(target="/x/{{thing_id}}/{{place}}?a={{thing_id}}&b=1", actor="ben", expected=204))
    assert calls[0] == {"method": "POST", "path": "/things", "user": "ann", "expect": 2}
    assert calls[1] == {
        "method": "GET", "path": "/x/41/seg%2Fment%20-1", "query": {"a": "41", "b": "1"}, "user": "ben", "expect": 2,
    }  # fmt: skip


def test_a_bare_hole_keeps_the_type_and_a_quoted_one_is_text():
    body = '{"id": {{thing_id}}, "name": "{{thing_id}}", "deep": [{"x": null, "y": true, "z": 1.5}]}'
    calls = played(flow(target="/x", body=body, body_encoding=Encoding.JSON))
    assert calls[1]["body"] == {"id": 41, "name": "41", "deep": [{"x": None, "y": True, "z": 1.5}]}


@pytest.mark.parametrize("where", ["body", "header", "query"])
def test_hostile_text_stays_text(where: str):
    step: dict[str, Any] = {"target": "/x"}
    if where == "body":
        step |= {"body": json.dumps({NASTY: NASTY}), "body_encoding": Encoding.JSON}
    elif where == "header":
        step |= {"headers": (("X-Nasty", NASTY),)}
    else:
        step |= {"target": f"/x?q={quote(NASTY.replace(chr(0xD800), ''))}"}
    (_, call) = played(flow(**step))
    if where == "body":
        assert call["body"] == {NASTY: NASTY}
    elif where == "header":
        assert call["headers"] == {"X-Nasty": NASTY}
    else:
        assert call["query"] == {"q": NASTY.replace("\ud800", "")}


def test_bodies_that_are_no_json_are_sent_as_they_are():
    (_, call) = played(flow(target="/x", raw_body=b"\x00\xff"))
    assert call["raw"] == b"\x00\xff"
    (_, call) = played(flow(target="/x", body="a {{thing_id}}", headers=(("Content-Type", "text/plain"),)))
    assert call["raw"] == b"a 41"
    assert call["headers"] == {"Content-Type": "text/plain"}


def test_reasons_are_comments_and_fresh_values_are_made():
    step = ReproStep(OperationId("POST /a"), "POST", "/a/{{new}}")
    made = Flow("a", (step,), (Fresh("new", FreshKind.SECRET, 12),), reasons=("makes\n/a",))
    source = pytest_suite([made], service="x")
    assert "# makes /a\n" in source
    assert 'new = fresh("secret", 12)' in source
