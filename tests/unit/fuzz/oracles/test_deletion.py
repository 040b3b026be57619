"""Deleted and still there."""

from __future__ import annotations

import pytest
from tests.unit.fuzz.oracles.little import NOTE, NOTES, Little, base, probed, world
from tests.unit.fuzz.script import context_of

from lobrest.fuzz.oracles.deletion import DeletionOracle
from lobrest.fuzz.oracles.reading import Readers
from lobrest.model.bug import BugKind
from lobrest.model.operation import OperationId


def oracle(made):
    return DeletionOracle(made.spec, Readers(made.spec, frozenset()))


def test_what_looks_as_before_was_not_deleted():
    made = world()
    (found,) = probed(made, oracle(made), f"DELETE {NOTE}", Little(frozenset({"stays"})))
    assert found.key.kind is BugKind.DELETED_ANSWERS
    assert found.key.operation == f"DELETE {NOTE}"
    assert found.check.statuses == ("2XX",) and found.check.pause > 0
    assert found.check.same_as in found.needs


@pytest.mark.parametrize("wrong", [(), ("soft",)], ids=["gone", "marked as deleted"])
def test_gone_or_marked_is_deleted(wrong):
    made = world()
    assert probed(made, oracle(made), f"DELETE {NOTE}", Little(frozenset(wrong))) == []


def test_only_deletions_of_one_thing_that_can_be_read_are_probed():
    made = world()
    made.operation("DELETE /caches/{key}")
    for operation in (f"GET {NOTE}", f"POST {NOTES}", "DELETE /caches/{key}"):
        assert oracle(made).probe(base(made, operation), context_of(made)) is None
    held = Readers(made.spec, frozenset({OperationId(f"GET {NOTE}")}))
    assert DeletionOracle(made.spec, held).probe(base(made, f"DELETE {NOTE}"), context_of(made)) is None
