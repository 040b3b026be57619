"""Who plays whom."""

from __future__ import annotations

from tests.unit.enhance.world import PROJECT, World, forge

from lobrest.fuzz.cast import actors, cast
from lobrest.fuzz.knowledge import Knowledge, Tally
from lobrest.model.operation import OperationId
from lobrest.model.seed import Seed

READ = OperationId("GET /projects/{id}")


def seed_by(world: World, *users: str) -> Seed:
    return world.complete(
        world.entry("POST /projects", 0, body={"name": "p"}, creates=PROJECT, user=users[0]),
        *(
            world.entry(READ, at, path={"id": PROJECT}, user=user)
            for at, user in enumerate(users[1:], start=1)
        ),
    )


def test_different_users_get_different_credentials():
    seed = seed_by(forge(), "token:a", "token:b", "token:a")
    assert cast(seed, ["one", "two"]) == {"token:a": "one", "token:b": "two"}


def test_the_busiest_user_gets_the_first_credentials():
    seed = seed_by(forge(), "quiet", "busy", "busy")
    assert cast(seed, ["one", "two"]) == {"busy": "one", "quiet": "two"}


def test_whoever_has_the_name_of_credentials_plays_itself():
    seed = seed_by(forge(), "zoe", "ann", "zoe")
    assert cast(seed, ["ann", "bo"]) == {"ann": "ann", "zoe": "bo"}


def test_credentials_are_shared_when_there_are_too_few():
    seed = seed_by(forge(), "a", "b", "c")
    parts = cast(seed, ["one", "two"])
    assert set(parts.values()) == {"one", "two"}
    assert set(cast(seed, ["one"]).values()) == {"one"}


def test_without_credentials_nobody_is_cast_and_requests_are_anonymous():
    seed = seed_by(forge(), "a", "b")
    assert cast(seed, []) == {}
    assert actors(seed, {}, [], Knowledge()) == ("", "")


def test_somebody_who_is_always_refused_gives_way_to_whoever_is_accepted():
    seed = seed_by(forge(), "ann", "ann")
    knowledge = Knowledge()
    knowledge.actors[READ, "ann"] = Tally(good=0, bad=2)
    parts = {"ann": "ann"}
    assert actors(seed, parts, ["ann", "bo"], knowledge) == ("ann", "ann")
    knowledge.actors[READ, "bo"] = Tally(good=1, bad=0)
    assert actors(seed, parts, ["ann", "bo"], knowledge) == ("ann", "bo")
    knowledge.actors[READ, "ann"] = Tally(good=1, bad=9)
    assert actors(seed, parts, ["ann", "bo"], knowledge) == ("ann", "ann")
