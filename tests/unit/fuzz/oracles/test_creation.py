"""Created and not there."""

from __future__ import annotations

from tests.unit.enhance.world import TEXT
from tests.unit.fuzz.oracles.little import NOTE, NOTES, Little, base, judged, performed, probed, told, world
from tests.unit.fuzz.script import context_of

from lobrest.fuzz.oracles.creation import CreationOracle, Reads
from lobrest.model.bug import BugKind


def oracle(made, reads=None):
    return CreationOracle(made.spec, made.model, frozenset(), reads or Reads())


def test_a_creation_that_leaves_nothing_is_found():
    made = world()
    (found,) = probed(made, oracle(made), f"POST {NOTES}", Little(frozenset({"forgets"})))
    assert found.key.kind is BugKind.CREATED_MISSING
    assert (found.key.operation, found.key.status) == (f"POST {NOTES}", 404)
    assert "'id'" in found.evidence or "own request" in found.evidence


def test_what_is_there_after_a_moment_is_there():
    made = world()
    assert probed(made, oracle(made), f"POST {NOTES}", Little(waits=2)) == []
    assert probed(made, oracle(made), f"POST {NOTES}", Little(waits=3)) != []


def test_reads_that_work_are_remembered():
    made, reads = world(), Reads()
    judged(oracle(made, reads), performed(made, base(made, f"GET {NOTE}"), Little()))
    assert (f"POST {NOTES}", f"GET {NOTE}") in reads.worked


def test_an_identity_that_nobody_vouches_for_is_no_evidence():
    made = world()
    made.refers(f"GET {NOTE}", "path/note_id", NOTES, "text")  # a wrong analysis: the text is no identity
    seed = oracle(made).probe(base(made, f"POST {NOTES}"), context_of(made))

    service = Little(frozenset({"forgets"}))
    assert seed is not None

    def answers(request):
        if request.method == "GET" and request.target.rpartition("/")[2] == "t":
            return told(404, {"message": "no note"})
        return service(request)

    assert judged(oracle(made), performed(made, seed, answers)) == []
    known = Reads({(f"POST {NOTES}", f"GET {NOTE}")})  # type: ignore[arg-type]
    (found,) = judged(oracle(made, known), performed(made, seed, answers))
    assert "others that were created the same way" in found.evidence


def test_operations_that_create_nothing_readable_are_not_probed():
    made = world()
    assert oracle(made).probe(base(made, f"PUT {NOTE}"), context_of(made)) is None
    del made.operations[f"GET {NOTE}"]  # type: ignore[arg-type]
    assert oracle(made).probe(base(made, f"POST {NOTES}"), context_of(made)) is None


def test_a_read_that_can_be_told_where_to_look_may_look_in_the_wrong_place():
    made = world()
    made.operation(f"GET {NOTE}", query={"ref": TEXT})
    assert probed(made, oracle(made), f"POST {NOTES}", Little(frozenset({"forgets"}))) == []
