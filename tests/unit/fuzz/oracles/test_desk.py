"""All oracles together."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.fuzz.oracles.little import NOTE, NOTES, Little, answered, base, performed, told, world
from tests.unit.fuzz.script import context_of, drive, engine_of

from lobrest.fuzz.edit import with_step
from lobrest.fuzz.oracles.catalogue import chosen
from lobrest.fuzz.oracles.desk import Choice, Desk, Memory, Setting
from lobrest.fuzz.state import Kind
from lobrest.fuzz.variant import Variant
from lobrest.model.bug import BugKind
from lobrest.model.operation import OperationId
from lobrest.store.snapshot import Snapshots

GET = OperationId(f"GET {NOTE}")


def desk(made, *names, memory=None, everybody=("ann", "bo", "cy")):
    setting = Setting(made.spec, made.model, (), everybody, {}, frozenset())
    choice = Choice(chosen(names), (("Authorization", "Bearer nothing"),))
    return Desk(setting, choice, memory or Memory())


def bases(made, *operations):
    return {Variant(one): base(made, one) for one in operations}


def test_every_probe_is_made_once_and_every_oracle_gets_its_turn():
    made = world()
    asked = desk(made, "all")
    known = bases(made, GET, f"DELETE {NOTE}", f"POST {NOTES}", f"PUT {NOTE}")
    made_of = []
    while (seed := asked.next(known, context_of(made))) is not None:
        made_of.append(seed.mutations[-1])
    assert sorted(made_of) == sorted(
        ["deleted-answers", "created-missing", "wrong-parent"] + ["foreign-read"] * 4 + ["no-credentials"] * 4
    )
    assert len(set(made_of[:5])) == 5
    more = bases(made, "GET /projects/{id}")
    assert asked.next({**known, **more}, context_of(made)) is not None


def test_a_right_service_passes_all_probes_and_a_wrong_one_none():
    made = world()
    operations = (GET, f"DELETE {NOTE}", f"POST {NOTES}", f"PUT {NOTE}")
    found = {}
    for wrong in (frozenset(), frozenset({"stays", "any-parent", "shown", "open"})):
        asked = desk(made, "all", "-undeclared-status")
        known = bases(made, *operations)
        found[wrong] = set()
        while (seed := asked.next(known, context_of(made))) is not None:
            performance = performed(made, seed, Little(wrong))
            alarms = asked.told(performance, {}, closely=True, first_play=False)
            found[wrong] |= {str(one.key.kind) for one in alarms}
    right, wrong = found.values()
    assert right == set()
    assert wrong == {"deleted-answers", "wrong-parent", "foreign-read", "foreign-change", "no-credentials"}


def test_without_oracles_nothing_is_looked_at_and_without_users_nobody_is_a_stranger():
    made = world()
    silent = desk(made, "none")
    performance = answered(made, GET, told(200, []), path={"id": "1", "note_id": "2"})
    assert silent.told(performance, {}, closely=True, first_play=False) == []
    assert silent.next(bases(made, GET), context_of(made)) is None
    alone = desk(made, "none", "+ownership", "+credentials", everybody=())
    assert alone.next(bases(made, GET), context_of(made)) is None


def test_of_many_answers_alike_only_some_are_read():
    made = world()
    asked = desk(made, "none", "+response-schema")
    performance = answered(made, GET, told(200, []), path={"id": "1", "note_id": "2"})

    def read(times):
        return bool(asked.told(performance, {GET: {200: times}}, closely=False, first_play=False))

    assert [times for times in range(1, 100) if read(times)] == [*range(1, 41), 48, 64, 80, 96]
    assert asked.told(performance, {GET: {200: 41}}, closely=True, first_play=False)


def test_a_broken_path_may_lead_elsewhere():
    made = world()
    asked = desk(made, "none", "+response-schema", "+undeclared-status")
    seed = made.complete(made.entry(GET, 1, path={"id": "1", "note_id": "2"}))
    last = len(seed.steps) - 1
    for value, told_of in (("", False), ("a/b", False), ("..", False), ("2", True)):
        step = seed.steps[last]
        arguments = replace(step.entry.arguments, path={"id": "1", "note_id": value})
        broken = replace(step, entry=replace(step.entry, arguments=arguments), broken=True)
        astray = with_step(seed, last, broken, "test")
        performance = performed(made, replace(astray, wires=()), lambda _: told(200, []))
        found = asked.told(performance, {}, closely=True, first_play=False)
        assert any(one.position == last for one in found) is told_of


def campaign(*, arrival=lambda waiting: waiting[0], plays=260, window=8):
    """A campaign with all oracles on, on a service whose answers do not depend on their order."""
    made = world()

    def service(request):
        if request.operation == "POST /projects":
            return told(201, {"id": 5, "name": "p"})
        if request.operation == f"POST {NOTES}":
            return told(201, {"id": 7, "text": "t"})
        open_ = request.actor or request.operation == f"GET {NOTE}"
        return told(200, {"id": "7", "text": "t"}) if open_ else told(401, {"message": "who are you?"})

    engine = engine_of(
        made, everybody=("ann", "bo", "cy"), oracles=Choice(chosen(["all"]), (("Authorization", "Bearer x"),))
    )
    attempts, requests, _ = drive(made, engine, service, plays=plays, window=window, arrival=arrival)
    return engine, attempts, requests


def test_a_campaign_with_oracles_is_the_same_whatever_the_order_of_answers():
    engine, _, requests = campaign()
    other, _, same = campaign(arrival=max)
    assert requests == same
    keys = [[bug.key for bug in one.state.triage.bugs] for one in (engine, other)]
    assert keys[0] == keys[1]
    found = {str(bug.kind) for bug in engine.state.triage.bugs}
    assert {"response-schema", "deleted-answers"} <= found


def test_oracles_get_a_tenth_of_the_attempts_and_no_more():
    _, attempts, _ = campaign()
    own = sum(
        one.kind is Kind.ORACLE or (one.bug is not None and one.bug.kind is not BugKind.SERVER_ERROR)
        for one in attempts
    )
    assert 0 < own <= len(attempts) / 10


def test_what_oracles_know_is_kept_with_the_campaign():
    engine, _, _ = campaign(window=1)
    flows = engine.material.slices
    state = Snapshots(flows).read(Snapshots(flows).taken(engine.state).pieces, source="here")
    assert state.oracles == engine.state.oracles
    assert state.triage == engine.state.triage
    assert state.oracles.probed and state.oracles.openness.open
