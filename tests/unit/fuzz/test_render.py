"""Arguments to bytes: paths, queries, forms, files, headers; hostile values included."""

from __future__ import annotations

import json
from dataclasses import replace
from email import message_from_bytes
from urllib.parse import parse_qsl, unquote

import pytest
from tests.unit.enhance.world import TEXT, World

from lobrest.fuzz.render import Renderer, encode_body, header_text, json_bytes
from lobrest.model.entry import Arguments, LogEntry, UserId
from lobrest.model.exchange import Request
from lobrest.model.operation import OperationId
from lobrest.model.seed import Origin, Step
from lobrest.spec.router import Router

HOSTILE = ["a/b", "..", "%2F", "a b", "é😀", "a?b#c", "\r\nX: 1", "\0", "&=;+", "\ud800", ""]


def step(operation: str, **more: object) -> Step:
    entry = LogEntry(0.0, OperationId(operation), Arguments(), UserId("ann"), 0)
    return replace(Step(entry, Origin.LOG), **more)


def rendered(
    world: World, operation: str, arguments: Arguments, *, base: str = "", **more: object
) -> Request:
    renderer = Renderer(world.spec, Router(world.spec), base_path=base)
    return renderer.render(step(operation, **more), arguments, actor="ann")


@pytest.fixture
def world() -> World:
    world = World()
    world.operation("GET /files/{name}/raw", query={"q": TEXT})
    world.operation("POST /things", body={"name": TEXT})
    world.operation("POST /forms", body={"name": TEXT}, media="application/x-www-form-urlencoded")
    world.operation(
        "POST /uploads",
        body={"title": TEXT, "file": {"type": "string", "format": "binary"}},
        media="multipart/form-data",
    )
    return world


@pytest.mark.parametrize("value", HOSTILE[:-2])
def test_a_path_argument_stays_one_segment_and_comes_back(world: World, value: str):
    request = rendered(world, "GET /files/{name}/raw", Arguments(path={"name": value}))
    parts = request.target.split("/")
    assert len(parts) == 4
    assert unquote(parts[2]) == value
    assert request.target.isascii()
    assert not any(mark in request.target for mark in " ?#\r\n\0")


@pytest.mark.parametrize("value", HOSTILE)
def test_no_value_anywhere_breaks_the_request(world: World, value: str):
    """A lone surrogate can stand in a document or an answer."""
    request = rendered(
        world, "GET /files/{name}/raw", Arguments(path={"name": value}, query={"q": value, value: 1})
    )
    assert request.target.isascii()
    assert not any(mark in request.target for mark in " \r\n\0#")
    for operation in ("POST /things", "POST /forms", "POST /uploads"):
        rendered(world, operation, Arguments(body={"name": value, value: "x", "file": value}, has_body=True))
        rendered(world, operation, Arguments(body=value, has_body=True, media_type="text/plain"))


def test_the_base_path_comes_first(world: World):
    request = rendered(world, "GET /files/{name}/raw", Arguments(path={"name": "x"}), base="/api/v1")
    assert request.target == "/api/v1/files/x/raw"


def query(world: World, **values: object) -> list[tuple[str, str]]:
    request = rendered(world, "GET /files/{name}/raw", Arguments(path={"name": "x"}, query=values))
    return parse_qsl(request.target.partition("?")[2], keep_blank_values=True)


def test_queries(world: World):
    assert query(world, q="a&b=c", n=3, flag=True, nothing=None) == [
        ("q", "a&b=c"), ("n", "3"), ("flag", "true"), ("nothing", ""),
    ]  # fmt: skip
    assert query(world, q=["a", "b,c"]) == [("q", "a"), ("q", "b,c")]
    assert query(world, filter={"state": "open", "n": 1}) == [("filter[state]", "open"), ("filter[n]", "1")]
    assert query(world) == []


@pytest.mark.parametrize(
    ("style", "explode", "written"),
    [
        ("form", None, [("q", "a"), ("q", "b")]),
        ("form", False, [("q", "a,b")]),
        ("csv", None, [("q", "a,b")]),
        ("ssv", None, [("q", "a b")]),
        ("pipes", None, [("q", "a|b")]),
        ("pipeDelimited", False, [("q", "a|b")]),
        ("spaceDelimited", False, [("q", "a b")]),
        ("multi", None, [("q", "a"), ("q", "b")]),
    ],
)
def test_arrays_are_written_in_the_declared_style(
    world: World, style: str, explode: bool | None, written: list
):
    operation = OperationId("GET /files/{name}/raw")
    declared = world.operations[operation]
    world.operations[operation] = replace(
        declared,
        parameters=tuple(
            replace(one, style=style, explode=explode) if one.ref.pointer == "q" else one
            for one in declared.parameters
        ),
    )
    assert query(world, q=["a", "b"]) == written


def test_a_json_body(world: World):
    body = {"name": "é", "n": [1, None, {"x": True}]}
    request = rendered(world, "POST /things", Arguments(body=body, has_body=True))
    assert dict(request.headers)["Content-Type"] == "application/json"
    assert json.loads(request.body) == body
    assert request.actor == "ann"
    assert request.method == "POST"


def test_null_is_a_body_and_no_body_is_none(world: World):
    assert rendered(world, "POST /things", Arguments(body=None, has_body=True)).body == b"null"
    bare = rendered(world, "POST /things", Arguments())
    assert bare.body is None
    assert "Content-Type" not in dict(bare.headers)


@pytest.mark.parametrize("value", ["\ud800", 10**400, {"deep": "\udfff"}, 1e308])
def test_json_takes_every_value(value: object):
    assert json.loads(json_bytes({"a": value})) == {"a": value}


def test_a_form(world: World):
    request = rendered(
        world, "POST /forms", Arguments(body={"name": "a&b", "tags": ["x", "y"], "n": None}, has_body=True)
    )
    assert dict(request.headers)["Content-Type"] == "application/x-www-form-urlencoded"
    assert parse_qsl(request.body.decode(), keep_blank_values=True) == [
        ("name", "a&b"), ("tags", "x"), ("tags", "y"), ("n", ""),
    ]  # fmt: skip


def test_a_file_in_a_multipart_body(world: World):
    request = rendered(
        world,
        "POST /uploads",
        Arguments(body={"title": "a\r\nb", "file": "content", 'x"y\r\n': "z"}, has_body=True),
    )
    kind = dict(request.headers)["Content-Type"]
    message = message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + request.body)
    parts = message.get_payload()
    assert [part.get_param("name", header="content-disposition") for part in parts][:2] == ["title", "file"]
    assert len(parts) == 3
    assert parts[1].get_filename()
    assert parts[1].get_payload(decode=True) == b"content"
    assert parts[0].get_filename() is None


def test_text_goes_as_it_is_and_other_things_as_json(world: World):
    operation = world.spec.operations[OperationId("POST /things")]
    assert encode_body(Arguments(body="a,b", media_type="text/csv"), operation) == ("text/csv", b"a,b")
    assert encode_body(Arguments(body={"a": 1}, media_type="text/csv"), operation)[0] == "application/json"
    assert encode_body(Arguments(body={"a": 1}, media_type="*/*"), operation)[0] == "application/json"
    assert encode_body(Arguments(body={}, media_type="application/vnd.x+json"), operation)[0].endswith(
        "+json"
    )


def test_a_raw_body_is_sent_as_it_is(world: World):
    request = rendered(world, "POST /things", Arguments(body={"a": 1}, has_body=True), raw_body=b"{")
    assert request.body == b"{"
    assert dict(request.headers)["Content-Type"] == "application/json"


def test_a_step_without_credentials_has_no_actor(world: World):
    assert rendered(world, "POST /things", Arguments(), anonymous=True).actor == ""


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\0b", "é😀", "\ud800", 7, True])
def test_no_header_value_ends_its_line(world: World, value: object):
    request = rendered(
        world,
        "POST /things",
        Arguments(
            header={"X-A": value}, cookie={"sid": value}, body="x", has_body=True, media_type=f"text/{value}"
        ),
    )
    for name, text in request.headers:
        assert not any(mark in name + text for mark in "\r\n\0")
        text.encode("latin-1")
    assert header_text(value)


def test_no_header_or_cookie_name_ends_its_line(world: World):
    """Names come from the specification, which is not trusted."""
    request = rendered(
        world, "POST /things", Arguments(header={"X-A\r\nX-Evil": "1", "a b:": "2"}, cookie={"s\r\nid": "1"})
    )
    for name, text in request.headers:
        assert all(mark not in name + text for mark in "\r\n\0")
        assert all(mark not in name for mark in " :\t")
