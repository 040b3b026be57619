"""Flows that could not be played for want of a second person."""

from __future__ import annotations

from tests.unit.enhance.world import APPROVE, PROJECT, REQUEST, forge

from lobrest.enhance.people import People
from lobrest.fuzz.shortage import Shortage, shared, shortage
from lobrest.model.entry import Place, UserId
from lobrest.model.seed import Seed
from lobrest.model.slice import Slice


def approval(by: str = "bo", lines_before: int = 0) -> Seed:
    """Ann's request, approved by somebody."""
    world = forge()
    world._lines = lines_before
    entry = world.entry(APPROVE, 1, path={"id": PROJECT, "iid": REQUEST}, user=by)
    people = People(makers={PROJECT: UserId("ann"), REQUEST: UserId("ann")})
    return world.completer(people=people).complete(Slice((entry,)))


PLACE = Place("access.log", 1)
SAID = {PLACE: "403 not your own (POST approve)"}


def test_with_credentials_for_everybody_nobody_shares():
    assert shared(approval(), ["one", "two"]) == frozenset()
    assert shared(approval(), ["one"]) == {"ann", "bo"}
    assert shared(approval(by="ann"), ["one"]) == frozenset()


def test_a_flow_that_failed_where_one_plays_two_is_told_with_what_the_service_said():
    found = shortage([approval()], ["one"], SAID)
    assert (found.credentials, found.flows, found.needed) == (1, 1, 2)
    (example,) = found.examples
    assert (example.failed, example.people, example.said) == (APPROVE, 2, SAID[PLACE])


def test_with_enough_people_or_another_cause_nothing_is_wanting():
    assert shortage([approval()], ["one", "two"], SAID).flows == 0
    assert shortage([approval()], ["one"], {}).flows == 0
    assert shortage([approval()], ["one"], {PLACE: "400 name is too long (POST approve)"}).flows == 0
    assert shortage([approval()], ["one"], {PLACE: "422 approve your own is not allowed (POST x)"}).flows == 1
    assert shortage([approval(by="ann")], ["one"], SAID).flows == 0


def test_the_same_flow_counts_once():
    again = approval(lines_before=1)
    refused = {**SAID, Place("access.log", 2): "403"}
    assert shortage([approval(), again], ["one"], refused).flows == 1


def test_without_flows_there_is_no_shortage():
    assert shortage([], ["one"], {}) == Shortage(1)
