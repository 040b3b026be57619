"""Answers against their schemas."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.enhance.world import TEXT
from tests.unit.fuzz.oracles.little import JSON, NOTE, answered, declares, judged, told, world

from lobrest.fuzz.oracles.alarm import Seen
from lobrest.fuzz.oracles.schema import Places, SchemaOracle
from lobrest.fuzz.oracles.validators import Validators
from lobrest.model.bug import BugKind, Rule, Severity
from lobrest.model.exchange import Response

GET = f"GET {NOTE}"


def oracle(made):
    return SchemaOracle(made.spec, Validators(made.spec), Places())


def judge(body, *, status=200, schema=None):
    made = world()
    if schema is not None:
        declares(made, GET, "200", schema)
    return judged(oracle(made), answered(made, GET, told(status, body), path={"id": "1", "note_id": "2"}))


def test_an_answer_as_declared_is_right():
    assert judge({"id": 1, "text": "t", "more": []}) == []
    assert judge({"message": "no"}, status=404) == []


@pytest.mark.parametrize(
    ("body", "where", "rule", "argument"),
    [
        ({"id": "1", "text": "t"}, "id", Rule.TYPE, ("integer",)),
        ({"id": 1}, "", Rule.REQUIRED, ("text",)),
        ([], "", Rule.TYPE, ("object",)),
    ],
)
def test_a_difference_is_told_with_what_a_script_needs_to_see_it(body, where, rule, argument):
    (found,) = judge(body)
    assert found.key.kind is BugKind.SCHEMA
    assert found.severity is Severity.LOW
    value = found.check.value
    assert value is not None
    assert (value.pointer, value.rule, value.argument) == (where, rule, argument)


def test_elements_and_free_names_are_one_place():
    rows = {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "integer"}}}
    found = judge([{"a": 1}, {"b": "x"}, {"c": "y"}], schema=rows)
    assert {one.check.value.pointer for one in found} == {"*/*"}
    assert len(found) == 1


def test_null_is_worth_knowing_and_no_more():
    (found,) = judge({"id": None, "text": "t"})
    assert found.severity is Severity.INFO


def test_choices_may_be_null_because_old_documents_cannot_say_it():
    assert judge(None, schema={"anyOf": [TEXT, {"type": "integer"}]}) == []
    (found,) = judge(1.5, schema={"anyOf": [TEXT, {"type": "integer"}]})
    assert found.check.value.rule is Rule.STILL_TYPE


def test_values_outside_an_enumeration_are_told_with_the_enumeration():
    (found,) = judge("c", schema={"type": "string", "enum": ["a", "b"]})
    assert found.check.value.rule is Rule.ENUM
    assert found.check.value.argument == ("a", "b")


@pytest.mark.parametrize(
    "response",
    [
        Response(200, (("Content-Type", "text/html"),), b"<p>"),
        Response(200, JSON, b""),
        Response(200, JSON, b"{"),
        Response(200, JSON, b'{"id": "x"}', truncated=True),
        told(500, {"id": "x"}),
    ],
    ids=["no JSON", "empty", "damaged", "cut short", "a failure"],
)
def test_what_cannot_be_judged_is_not(response):
    made = world()
    assert judged(oracle(made), answered(made, GET, response, path={"id": "1", "note_id": "2"})) == []


def test_answers_that_are_not_looked_at_are_not_judged():
    made = world()
    performance = answered(made, GET, told(200, []), path={"id": "1", "note_id": "2"})
    assert list(oracle(made).told(Seen(performance, (False,) * len(performance.results)))) == []


def test_the_same_difference_of_a_named_schema_is_one_bug_everywhere():
    made = world()
    named = {"Note": {"type": "object", "properties": {"id": {"type": "integer"}}}}
    for operation in (GET, f"PUT {NOTE}"):
        declares(made, operation, "200", {"$ref": "#/schemas/Note"})
    spec = replace(made.spec, schemas=named)
    judge_all = SchemaOracle(spec, Validators(spec), Places())
    path = {"id": "1", "note_id": "2"}
    identities = {
        one.key.identity
        for operation in (GET, f"PUT {NOTE}")
        for one in judged(
            judge_all, answered(made, operation, told(200, {"id": "x"}), path=path, body={"text": "t"})
        )
    }
    assert len(identities) == 1


def test_swagger_cannot_say_that_something_may_be_null():
    made = world()
    spec = replace(made.spec, dialect="swagger 2.0")
    performance = answered(made, GET, told(200, {"id": None, "text": "t"}), path={"id": "1", "note_id": "2"})
    assert judged(SchemaOracle(spec, Validators(spec), Places()), performance) == []
