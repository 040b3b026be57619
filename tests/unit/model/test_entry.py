"""Arguments and entries."""

from __future__ import annotations

from tests.unit.enhance.world import FIX, PROJECT, REQUEST, forge, ref

from lobrest.model.entry import Arguments, Place
from lobrest.model.operation import Location

OP = "POST /x"


def test_each_place_is_set_and_taken_away_in_a_copy():
    empty = Arguments()
    for place in ("query", "header", "cookie", "body"):
        where = ref(OP, f"{place}/name")
        full = empty.with_value(where, "v")
        assert full.get(where) == "v"
        assert full.at(Location(place))["name"] == "v"
        gone = full.without(where)
        assert gone.get(where) is None
        assert empty.get(where) is None
    where = ref(OP, "path/id")
    assert Arguments().with_value(where, 7).path == {"id": "7"}
    assert Arguments(path={"id": "7"}).without(where).path == {"id": "7"}


def test_a_field_inside_a_body():
    where = ref(OP, "body/a/b")
    full = Arguments().with_value(where, [1])
    assert full.body == {"a": {"b": [1]}}
    assert full.has_body
    assert full.without(where).body == {"a": {}}
    assert Arguments(body=[1], has_body=True).at(Location.BODY) == {}


def test_an_entry_involves_what_it_uses_and_what_it_creates():
    world = forge()
    entry = world.entry(
        "POST /projects/{id}/merge_requests",
        1,
        path={"id": PROJECT},
        body={"source_branch": FIX},
        creates=REQUEST,
    )
    assert entry.instances == {PROJECT, FIX, REQUEST}


def test_a_place_is_written_as_editors_read_it():
    assert str(Place("a.log", 7)) == "a.log:7"
