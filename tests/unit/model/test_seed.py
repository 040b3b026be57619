"""Who takes part in a seed."""

from __future__ import annotations

from tests.unit.enhance.world import PROJECT, forge, thing


def test_the_busiest_sender_first_and_those_who_are_only_named_last():
    world = forge()
    seed = world.complete(
        world.entry("GET /projects", 1, user="bo"),
        world.entry("GET /licences", 2, user="ann"),
        world.entry("GET /licences", 3, user="ann"),
        world.entry("GET /users/{username}", 4, path={"username": thing("/users", "u1")}, user="ann"),
        world.entry("GET /users/{username}", 5, path={"username": thing("/users", "u2")}, user="ann"),
    )
    assert seed.users == ("ann", "bo", "person:u2")
    assert PROJECT not in {wire.instance for wire in seed.wires}
