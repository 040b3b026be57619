"""Requests to arguments by place."""

from __future__ import annotations

import json

import pytest
from tests.unit.logs.forge import spec

from lobrest.logs.arguments import (
    ArgumentReader,
    Detail,
    as_identity,
    coerced,
    nested,
    parse_multipart,
    parse_query,
)
from lobrest.logs.formats.record import Body

SPEC = spec()
CREATE = SPEC.operations["POST /projects"]
LIST = SPEC.operations["GET /projects"]


def read(
    operation=CREATE, target="/api/projects", body="", kind=Body.TEXT, media="application/json", path=None
):
    return ArgumentReader(SPEC).read(operation, path or {}, Detail(target, body, kind, media))


def test_json_keeps_its_types():
    arguments = read(body='{"name":"x","public":true,"size":3,"more":{"a":[1.5,null]}}').arguments
    assert arguments.body == {"name": "x", "public": True, "size": 3, "more": {"a": [1.5, None]}}
    assert (arguments.media_type, arguments.has_body, arguments.body_known) == (
        "application/json",
        True,
        True,
    )


def test_no_body_and_an_unknown_body_differ():
    none, unknown = read().arguments, read(kind=Body.UNKNOWN).arguments
    assert (none.has_body, none.body_known) == (False, True)
    assert (unknown.has_body, unknown.body_known) == (False, False)
    assert read(LIST, kind=Body.UNKNOWN).arguments.body_known, "an operation that takes none has none"


@pytest.mark.parametrize(("body", "kind"), [('{"name": "x', Body.TEXT), ('{"name": "x', Body.CUT)])
def test_a_body_cut_short_is_no_example(body, kind):
    reading = read(body=body, kind=kind)
    assert not reading.whole
    assert (reading.arguments.has_body, reading.arguments.body_known) == (False, False)


def test_queries():
    arguments = read(LIST, "/api/projects?search=a+b&page=2&id[]=1&id[]=2&tag=x&tag=y&empty=&flag").arguments
    assert arguments.query == {
        "search": "a b",
        "page": "2",
        "id": ["1", "2"],
        "tag": ["x", "y"],
        "empty": "",
        "flag": "",
    }
    assert parse_query("a=%zz&b=%ff") == {"a": "%zz", "b": "\ufffd"}
    assert len(parse_query("&".join(f"a{n}=1" for n in range(2000)))) == 500


def test_hidden_values_are_left_out_and_named():
    arguments = read(
        target="/api/projects?token=abc&x=%ff",
        body=json.dumps(
            {
                "name": "x",
                "password": "p",
                "deep": {"api_key": "k", "n": 1},
                "list": [{"secret": "s"}],
                "t": "***",
            }
        ),
    ).arguments
    assert arguments.query == {}
    assert arguments.body == {"name": "x", "deep": {"n": 1}, "list": [{}]}
    assert set(arguments.hidden) == {
        "query/token", "query/x", "body/password", "body/deep/api_key", "body/list/0/secret", "body/t",
    }  # fmt: skip


def parameters(*pairs):
    return json.dumps([{"key": key, "value": value} for key, value in pairs])


def test_gitlab_parameters_go_where_the_document_puts_them():
    reading = read(
        body=parameters(("name", "x"), ("size", "3"), ("public", "true"), ("other", 1)), kind=Body.PARAMETERS
    )
    assert reading.arguments.body == {"name": "x", "size": 3, "public": True, "other": 1}
    listed = read(LIST, body=parameters(("search", "x"), ("odd", 1)), kind=Body.PARAMETERS).arguments
    assert listed.query == {"search": "x", "odd": 1}
    assert not listed.has_body


def test_gitlab_nulls_cuts_and_uploads():
    reading = read(
        body=parameters(
            ("name", "x"),
            ("public", None),
            ("nest", {"a": None, "b": 1}),
            ("file", {"filename": "f", "tempfile": None}),
            ("truncated", "..."),
        ),
        kind=Body.PARAMETERS,
    )
    assert reading.arguments.body == {"name": "x", "nest": {"b": 1}}
    assert set(reading.arguments.hidden) == {"body/public", "body/nest/a", "body/file"}
    assert not reading.whole


@pytest.mark.parametrize("body", ["[1]", "{", '{"a":1}', "nonsense", '[{"key":5}]'])
def test_odd_parameters_break_nothing(body):
    read(body=body, kind=Body.PARAMETERS)


def test_forms():
    arguments = read(
        body="name=x&user%5Bname%5D=ann&user%5Bage%5D=3", media="application/x-www-form-urlencoded"
    ).arguments
    assert arguments.body == {"name": "x", "user": {"name": "ann", "age": "3"}}
    text = (
        "--b1\r\nContent-Disposition: form-data; "
        'name="a"\r\n\r\none\r\n--b1\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\nbytes\r\n--b1--'
    )
    assert parse_multipart(text, "multipart/form-data; boundary=b1")["a"] == "one"
    multipart = read(body=text, media="multipart/form-data; boundary=b1").arguments
    assert multipart.body == {"a": "one"}
    assert multipart.hidden == ("body/f",)
    assert nested({"a[b][c]": "1", "a[d]": "2", "x": "3"}) == {"a": {"b": {"c": "1"}, "d": "2"}, "x": "3"}


def test_json_that_says_it_is_something_else():
    assert read(body='{"a":1}', media="application/x-www-form-urlencoded;x").arguments.body is not None
    assert read(body='{"a":1}', media="").arguments.body == {"a": 1}
    assert read(body="hello", media="text/plain").arguments.body == "hello"


def test_a_template_in_the_path_is_no_value():
    reading = read(SPEC.operations["GET /projects/{id}"], path={"id": "{petId}"})
    assert reading.arguments.path == {}
    assert not reading.whole


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        ("3", "3"),
        (3.0, "3"),
        (True, ""),
        (None, ""),
        ("", ""),
        ([1], ""),
        ("[FILTERED]", ""),
        (1.5, ""),
        (10**40, ""),
    ],
)
def test_what_names_an_instance(value, text):
    assert as_identity(value) == text


def test_coercion_follows_the_schema():
    assert coerced("3", {"type": ["integer", "null"]}) == 3
    assert coerced("3", {"type": "string"}) == "3"
    assert coerced("x", {"type": "integer"}) == "x"
    assert coerced([1], {"type": "integer"}) == [1]


def test_deep_nesting_is_cut():
    deep = "[" * 500 + '"x"' + "]" * 500
    read(body='{"a":' + deep + "}")
