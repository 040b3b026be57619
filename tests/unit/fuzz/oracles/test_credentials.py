"""Without credentials, and with broken ones."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.fuzz.oracles.little import NOTE, NOTES, Little, base, probed, world
from tests.unit.fuzz.script import context_of

from lobrest.fuzz.oracles.credentials import CredentialOracle, Openness, needs_credentials
from lobrest.fuzz.oracles.reading import Readers
from lobrest.model.bug import BugKind
from lobrest.model.operation import OperationId

BROKEN = (("Authorization", "Bearer nothing"),)


def oracle(made, openness=None, broken=BROKEN):
    return CredentialOracle(made.spec, Readers(made.spec, frozenset()), openness or Openness(), broken=broken)


def test_something_open_inside_something_shut_is_found():
    made = world()
    (found,) = probed(made, oracle(made), f"GET {NOTE}", Little(frozenset({"open"})))
    assert found.key.kind is BugKind.NO_CREDENTIALS
    assert "GET /projects/{id} answers 401" in found.evidence


@pytest.mark.parametrize("operation", [f"GET {NOTE}", f"PUT {NOTE}", f"POST {NOTES}", "POST /projects"])
def test_a_right_service_raises_no_alarm(operation):
    made, openness = world(), Openness()
    assert probed(made, oracle(made, openness), operation, Little()) == []
    assert operation in openness.shut and not openness.open


def test_credentials_that_are_none_must_not_work():
    made = world()
    (found,) = probed(made, oracle(made), f"GET {NOTE}", Little(frozenset({"any-login"})))
    assert found.key.kind is BugKind.BROKEN_CREDENTIALS
    assert probed(made, oracle(made, broken=()), f"GET {NOTE}", Little(frozenset({"any-login"}))) == []


def test_an_open_operation_counts_where_nearly_all_others_are_shut():
    made = world()
    names = [made.operation(f"POST /a{number}") for number in range(12)]
    some = Openness(open={names[0]}, shut=set(names[1:]))
    assert oracle(made, some).wants_again(names[0])
    public = Openness(open=set(names[:5]), shut=set(names[5:]))
    assert not oracle(made, public).wants_again(names[0])
    unknown = Openness(open={names[0]}, shut=set(names[1:3]))
    assert not oracle(made, unknown).wants_again(names[0])
    assert not oracle(made, some).wants_again(names[3])


@pytest.mark.parametrize(
    "name", ["POST /login", "POST /users/sign_up", "GET /version", "POST /oauth/token", "GET /health"]
)
def test_what_is_done_before_one_has_credentials_is_left_alone(name):
    made = world()
    made.operation(name)
    assert not needs_credentials(made.operations[OperationId(name)])


def test_what_the_document_declares_open_is_left_alone():
    made = world()
    name = OperationId(f"GET {NOTE}")
    made.operations[name] = replace(made.operations[name], secured=False)
    assert oracle(made).probe(base(made, name), context_of(made)) is None
