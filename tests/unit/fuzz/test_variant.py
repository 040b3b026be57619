"""Kinds of one operation's requests."""

from __future__ import annotations

from tests.unit.enhance.world import TEXT, World, forge

from lobrest.fuzz.choices import Choices
from lobrest.fuzz.variant import Variants
from lobrest.model.corpus import Corpus
from lobrest.model.entry import Arguments
from lobrest.model.operation import Location, OperationId, ParameterRef
from lobrest.spec.fields import BodyFields

MERGE = OperationId("PUT /projects/{id}/merge")
MILESTONE = ParameterRef(MERGE, Location.BODY, "milestone")


def variants() -> Variants:
    world: World = forge()
    world.operation(
        MERGE,
        body={
            "squash": {"type": "boolean"},
            "how": {"enum": ["fast", "slow"]},
            "message": TEXT,
            "milestone": TEXT,
        },
        query={"dry": {"type": ["boolean", "null"]}},
    )
    choices = Choices(world.spec, BodyFields(world.spec), Corpus(), {MILESTONE})
    return Variants(world.spec, choices)


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


def test_what_a_request_refers_to_makes_a_variant_but_not_which_one():
    known = variants()
    plain = known.of(MERGE, Arguments(body={"message": "one"}, has_body=True))
    planned = known.of(MERGE, Arguments(body={"milestone": "1"}, has_body=True))
    assert plain != planned == known.of(MERGE, Arguments(body={"milestone": "2"}, has_body=True))
