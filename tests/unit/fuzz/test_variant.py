"""Kinds of one operation's requests."""

from __future__ import annotations

from tests.unit.enhance.world import TEXT, World, forge

from lobrest.fuzz.variant import Variants
from lobrest.model.entry import Arguments
from lobrest.model.operation import OperationId
from lobrest.spec.fields import BodyFields

MERGE = OperationId("PUT /projects/{id}/merge")


def variants() -> Variants:
    world: World = forge()
    world.operation(
        MERGE,
        body={"squash": {"type": "boolean"}, "how": {"enum": ["fast", "slow"]}, "message": TEXT},
        query={"dry": {"type": ["boolean", "null"]}},
    )
    return Variants(world.spec, BodyFields(world.spec))


def test_switches_and_choices_make_variants_and_texts_do_not():
    known = variants()
    plain = known.of(MERGE, Arguments(body={"message": "one"}, has_body=True))
    assert plain == known.of(MERGE, Arguments(body={"message": "two"}, has_body=True))
    squashed = known.of(MERGE, Arguments(body={"squash": True}, has_body=True))
    not_squashed = known.of(MERGE, Arguments(body={"squash": False}, has_body=True))
    slow = known.of(MERGE, Arguments(body={"squash": True, "how": "slow"}, has_body=True))
    dry = known.of(MERGE, Arguments(query={"dry": True}))
    assert len({plain, squashed, not_squashed, slow, dry}) == 5


def test_a_value_that_is_no_choice_at_all_does_not_grow_without_bound():
    huge = variants().of(MERGE, Arguments(body={"how": "x" * 10_000}, has_body=True))
    assert len(huge) < 200
