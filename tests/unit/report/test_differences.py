"""Differences between two services, for people and for scripts."""

from __future__ import annotations

import json

from tests.unit.fuzz.script import answer
from tests.unit.fuzz.test_compare import READ, performed

from lobrest.fuzz.compare import Aspect, Comparison, Difference
from lobrest.model.operation import OperationId
from lobrest.report.differences import difference_lines, differences_json


def comparison(*differences: Difference) -> Comparison:
    found = Comparison()
    here = performed(answer(200, {"stars": 1, "token": "geheim", "name": "x" * 9000}))
    there = performed(answer(200, {"stars": 2, "token": "verborgen"}))
    found.settled(here, there, differences)
    found.settled(here, there, ())
    found.unconfirmed = 3
    found.volatility.places.add((OperationId(READ), Aspect.VALUE, "load"))
    return found


def different(pointer: str = "stars", here: str = "1", there: str = "2") -> Difference:
    return Difference(OperationId(READ), Aspect.VALUE, pointer, here, there, 1)


def said(found: Comparison) -> list[str]:
    return [line.plain for line in difference_lines(found, here="http://one", there="http://two")]


def test_equal_services_are_said_to_be_equal():
    first, *rest = said(comparison())
    assert first == "2 flows with 4 steps on both services: no differences"
    assert rest == ["  left out: 3 that did not show again, 1 volatile place"]


def test_a_difference_is_a_line_with_its_operation_place_and_both_values():
    lines = said(comparison(different()))
    assert "1 difference in 1 flow" in lines[0]
    assert "http://one" in lines[1] and "http://two" in lines[1]
    assert READ in lines[2] and "/stars: 1 here, 2 there" in lines[2] and "step 2" in lines[2]


def test_the_document_has_an_example_of_each_and_what_was_left_out():
    document = json.loads(differences_json(comparison(different()), here="http://one", there="http://two"))
    (only,) = document["differences"]
    assert (only["op"], only["aspect"], only["pointer"], only["here"], only["there"]) == (
        READ, "value", "stars", "1", "2",
    )  # fmt: skip
    assert only["steps"] == ["POST /projects", READ]
    assert only["example"]["here"]["statuses"] == [201, 200]
    assert only["example"]["here"]["request"].startswith("GET /projects/")
    assert document["volatile"] == [{"op": READ, "aspect": "value", "pointer": "load"}]
    assert (document["flows"], document["flows_different"], document["not_confirmed"]) == (2, 1, 3)


def test_no_secret_is_written_and_long_bodies_are_cut():
    secret = different("token", "geheim", "verborgen")
    text = differences_json(comparison(secret), here="a", there="b") + "".join(said(comparison(secret)))
    assert "geheim" not in text
    assert "verborgen" not in text
    assert len(text) < 20_000
