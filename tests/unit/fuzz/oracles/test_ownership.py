"""Other people's things."""

from __future__ import annotations

import pytest
from tests.unit.enhance.world import TEXT
from tests.unit.fuzz.oracles.little import A_NOTE, NOTE, PROJECT, Little, base, probed, world
from tests.unit.fuzz.script import context_of

from lobrest.fuzz.oracles.ownership import (
    Denials,
    Owners,
    OwnershipOracle,
    is_administrator,
    mine_owners,
    private_value,
)
from lobrest.fuzz.oracles.reading import Readers
from lobrest.model.bug import BugKind
from lobrest.model.operation import OperationId
from lobrest.model.slice import Slice

PUT = OperationId(f"PUT {NOTE}")
EVERYBODY = ("ann", "bo", "cy")


def oracle(made, *, owners=None, denials=None, people=None, everybody=EVERYBODY):
    return OwnershipOracle(
        made.spec,
        made.model,
        Readers(made.spec, frozenset()),
        owners or Owners({}, {}),
        denials or Denials(),
        everybody=everybody,
        people=people or {},
    )


@pytest.mark.parametrize(
    ("operation", "kind"), [(f"GET {NOTE}", BugKind.FOREIGN_READ), (f"PUT {NOTE}", BugKind.FOREIGN_CHANGE)]
)
def test_a_thing_inside_something_shut_is_found(operation, kind):
    made = world()
    (found,) = probed(made, oracle(made), operation, Little(frozenset({"shown"})))
    assert found.key.kind is kind
    assert "GET /projects/{id} is refused with 404" in found.evidence
    assert found.needs


@pytest.mark.parametrize("operation", [f"GET {NOTE}", f"PUT {NOTE}", f"DELETE {NOTE}"])
def test_private_things_of_a_right_service_raise_no_alarm(operation):
    made = world()
    assert probed(made, oracle(made), operation, Little()) == []


def test_public_things_may_be_read_by_anybody():
    made = world()
    assert probed(made, oracle(made), f"GET {NOTE}", Little(private=False)) == []


def test_a_change_that_only_owners_make_in_the_log_is_found_where_strangers_are_refused_elsewhere():
    made = world()
    public = Little(frozenset({"changed"}), private=False)
    only = Owners({PUT: 9}, {})
    assert probed(made, oracle(made, owners=only), PUT, public) == []  # perhaps bo may do everything
    refused = Denials({"bo": 1})
    (found,) = probed(made, oracle(made, owners=only, denials=refused), PUT, public)
    assert found.key.kind is BugKind.FOREIGN_CHANGE and "9 times" in found.evidence
    shared = Owners({PUT: 9}, {PUT: 1})
    assert probed(made, oracle(made, owners=shared, denials=refused), PUT, public) == []
    seldom = Owners({PUT: 2}, {})
    assert probed(made, oracle(made, owners=seldom, denials=refused), PUT, public) == []


def test_whoever_may_do_everything_is_no_stranger():
    made = world()
    people = {"bo": {"is_admin": True}, "cy": {"role": "Administrator"}}
    assert oracle(made, people=people).probe(base(made, PUT), context_of(made)) is None
    one = oracle(made, people={"bo": {"is_admin": True}}).probe(base(made, PUT), context_of(made))
    assert one is not None and one.steps[-1].entry.user == "cy"
    assert oracle(made, everybody=("ann",)).probe(base(made, PUT), context_of(made)) is None
    assert [
        is_administrator(one) for one in ({"isAdmin": True}, {"is_admin": "no"}, None, {"type": "user"})
    ] == [
        True,
        False,
        False,
        False,
    ]


def test_what_is_ones_own_by_its_path_is_not_probed():
    made = world()
    made.operation("GET /user/projects/{id}")
    made.refers("GET /user/projects/{id}", "path/id", "/projects", "id")
    assert oracle(made).probe(base(made, "GET /user/projects/{id}"), context_of(made)) is None


def test_owners_are_mined_from_creations():
    made = world()
    path = {"id": PROJECT, "note_id": A_NOTE}
    entries = (
        made.entry("POST /projects", 1, body={"name": "p"}, creates=PROJECT, user="ann"),
        made.entry(PUT, 2, path=path, body={"text": "x"}, user="ann"),
        made.entry(f"GET {NOTE}", 3, path=path, user="bo"),
        made.entry(PUT, 4, path=path, body={"text": "x"}, user="bo", status=403),
    )
    found = mine_owners([Slice(entries)], made.model)
    assert found.own == {PUT: 1}
    assert found.others == {f"GET {NOTE}": 1}
    assert not found.only(PUT)


@pytest.mark.parametrize(
    ("name", "schema", "wanted"),
    [
        ("visibility", {"type": "string", "enum": ["public", "private"]}, "private"),
        ("private", {"type": "boolean"}, True),
        ("is_public", {"type": "boolean"}, False),
        ("state", {"type": "string", "enum": ["private"]}, None),
        ("visibility", {"type": "string"}, None),
        ("name", {"type": "boolean"}, None),
    ],
)
def test_what_makes_a_thing_private(name, schema, wanted):
    assert private_value(name, schema) == wanted


def test_the_things_of_the_flow_are_made_private_where_they_can_be():
    made = world()
    made.operation("POST /projects", body={"name": TEXT, "private": {"type": "boolean"}}, required=("name",))
    seed = oracle(made).probe(base(made, f"GET {NOTE}"), context_of(made))
    assert seed is not None
    assert seed.steps[0].entry.arguments.body["private"] is True
