"""The shortest flow known to reach each kind of request, and the richest."""

from __future__ import annotations

from tests.unit.enhance.world import APPROVE, MERGE, OPEN, PROJECT, REQUEST, World, forge
from tests.unit.fuzz.script import answer, engine_of, plan_of, play, player_of

from lobrest.fuzz.choices import Choices
from lobrest.fuzz.play import Performance
from lobrest.fuzz.state import EngineState
from lobrest.fuzz.variant import Variant, Variants
from lobrest.fuzz.ways import WayKeeper, barred_at
from lobrest.model.corpus import Corpus
from lobrest.model.entry import LogEntry
from lobrest.model.exchange import Request, Response
from lobrest.spec.fields import BodyFields

PATH = {"id": PROJECT, "iid": REQUEST}


def performed(world: World, *entries: LogEntry, refused: str = "none") -> Performance:
    def service(request: Request) -> Response:
        return (
            answer(409, {"message": "no"})
            if request.target.endswith(refused)
            else answer(200, {"id": 1, "iid": 1})
        )

    return play(player_of(world), plan_of(world, world.complete(*entries)), service)[0]


def kept(world: World, *performances: Performance, whole: bool = True) -> EngineState:
    choices = Choices(world.spec, BodyFields(world.spec), Corpus())
    keeper = WayKeeper(world.spec, world.model, Variants(world.spec, choices))
    state = engine_of(world).state
    for one in performances:
        keeper.keep(one, state, whole=whole)
    return state


def merged(world: World, *before: LogEntry) -> tuple[LogEntry, ...]:
    return (*before, world.entry(MERGE, 9, path=PATH))


def approved(world: World) -> LogEntry:
    return world.entry(APPROVE, 5, path=PATH, user="bo")


def test_the_shortest_and_the_richest_are_kept_apart():
    world = forge()
    short, rich = performed(world, *merged(world)), performed(world, *merged(world, approved(world)))
    for order in ((short, rich), (rich, short)):
        state = kept(world, *order)
        assert [one.operation for one in state.bases[Variant(MERGE)].source.entries] == [MERGE]
        goal = [one.operation for one in state.detours.goals[Variant(MERGE)].source.entries]
        assert goal[-2:] == [APPROVE, MERGE]
        assert OPEN in goal, "what completion added can be changed too"


def test_a_flow_that_fuzzing_made_is_no_richer_one():
    world = forge()
    state = kept(world, performed(world, *merged(world)))
    before = state.detours.goals[Variant(MERGE)]
    rich = performed(world, *merged(world, approved(world)))
    choices = Choices(world.spec, BodyFields(world.spec), Corpus())
    WayKeeper(world.spec, world.model, Variants(world.spec, choices)).keep(rich, state, whole=False)
    assert state.detours.goals[Variant(MERGE)] == before


def test_what_failed_is_no_way():
    world = forge()
    state = kept(world, performed(world, *merged(world, approved(world)), refused="/merge"))
    assert Variant(MERGE) not in state.bases
    assert Variant(APPROVE) in state.bases


def test_the_first_request_that_the_state_bars():
    world = forge()
    way = (Variant(APPROVE), Variant(MERGE))
    entries = merged(world, approved(world))
    assert barred_at(way, performed(world, *entries)) is None
    assert barred_at(way, performed(world, *entries, refused="/merge")) == 1
    assert barred_at(way, performed(world, *entries, refused="/approve")) == 0
