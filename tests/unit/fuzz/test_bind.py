"""An identity out of an earlier exchange: the right place of the right answer."""

from __future__ import annotations

import pytest

from lobrest.fuzz.bind import document_of, fallback, value_of
from lobrest.model.entry import Arguments
from lobrest.model.exchange import Response
from lobrest.model.resource import Binding, Source

REQUEST = {
    "id": 900,
    "iid": 3,
    "number": 12,
    "owner": {"login": "ann"},
    "name": "billing",
    "draft": True,
    "x": "",
}


def response(pointer: str, document: object) -> object:
    return value_of(Binding(Source.RESPONSE, pointer), Arguments(), None, document=document)


@pytest.mark.parametrize(
    ("pointer", "value"),
    [("iid", 3), ("id", 900), ("owner/login", "ann"), ("name", "billing"), ("number", 12)],
)
def test_a_field_of_the_answer(pointer: str, value: object):
    assert response(pointer, REQUEST) == value


@pytest.mark.parametrize("pointer", ["draft", "x", "owner", "nothing", "owner/nothing/more"])
def test_what_is_no_identity_is_none(pointer: str):
    assert response(pointer, REQUEST) is None


@pytest.mark.parametrize("document", [None, [], "text", 7, {"id": None}, {"id": {"deep": 1}}, {"id": [1]}])
def test_an_answer_without_the_field_gives_nothing(document: object):
    assert response("id", document) is None


@pytest.mark.parametrize("envelope", ["data", "result", "payload", "project"])
def test_an_envelope_is_opened(envelope: str):
    assert response("id", {envelope: {"id": 5}}) == 5


def test_an_envelope_beside_other_things_is_opened_where_its_name_says_so():
    assert response("id", {"data": {"id": 5}, "meta": {}}) == 5
    assert response("id", {"project": {"id": 5}, "meta": {}}) is None


def listed(pointer: str, document: object, item: int = 0) -> object:
    return value_of(Binding(Source.LIST, pointer), Arguments(), None, document=document, item=item)


def test_an_item_of_a_list():
    items = [{"key": "mit"}, {"key": "gpl"}]
    assert listed("key", items) == "mit"
    assert listed("key", items, item=1) == "gpl"
    assert listed("key", items, item=2) == "mit"
    assert listed("*/key", items) == "mit"


def test_a_list_inside_an_object():
    page = {"total": 2, "values": [{"key": "mit"}]}
    assert listed("key", page) == "mit"
    assert listed("values/*/key", page) == "mit"
    assert listed("other/*/key", page) == "mit"


def test_a_list_of_plain_values():
    assert listed("name", ["main", "fix"], item=1) == "fix"
    assert listed("*", [4, 5]) == 4


@pytest.mark.parametrize("document", [[], {}, None, {"values": []}, [None], [[]], "x", [{"other": 1}]])
def test_an_empty_list_gives_nothing(document: object):
    assert listed("key", document) is None


def test_the_creators_own_request():
    arguments = Arguments(path={"name": "p"}, query={"q": "s"}, body={"a": {"b": 7}}, has_body=True)

    def requested(pointer: str) -> object:
        return value_of(Binding(Source.REQUEST, pointer), arguments, None, document=None)

    assert requested("path/name") == "p"
    assert requested("query/q") == "s"
    assert requested("body/a/b") == 7
    assert requested("body/a") is None
    assert requested("nowhere/x") is None
    assert requested("path/other") is None


@pytest.mark.parametrize(
    ("location", "pointer", "value"),
    [
        ("/projects/15", "-1", "15"),
        ("http://host:1/api/projects/a%2Fb", "-1", "a/b"),
        ("/projects/15/branches/fix/", "-1", "fix"),
        ("/projects/15/branches/fix", "-3", "15"),
        ("/projects/15?x=1#y", "-1", "15"),
        ("/projects/15", "", "15"),
        ("/projects/15", "-9", None),
        ("/projects/15", "last", None),
        ("", "-1", None),
    ],
)
def test_a_segment_of_the_location(location: str, pointer: str, value: object):
    binding = Binding(Source.LOCATION, pointer)
    answered = Response(201, (("location", location),))
    assert value_of(binding, Arguments(), answered, document=None) == value
    assert value_of(binding, Arguments(), None, document=None) is None


def test_without_a_candidate_a_field_of_the_name_and_then_usual_identities_are_tried():
    assert next(fallback({"id": 1, "slug": "s", "topic_slug": "t"}, "topic_slug")) == "t"
    assert next(fallback({"id": 1, "slug": "s"}, "topic_slug")) == "s"
    assert next(fallback({"id": 1, "x": 2}, "topic")) == 1
    assert next(fallback([{"uuid": "u"}], "topic")) == "u"
    assert next(fallback({"ok": True}, "topic"), None) is None
    assert next(fallback(None, "topic"), None) is None


def test_the_document_of_an_answer():
    assert document_of(Response(200, (), b'{"a": 1}')) == {"a": 1}
    assert document_of(Response(200, (), b"<html>")) is None
    assert document_of(None) is None
