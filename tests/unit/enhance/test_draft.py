"""One completion under way."""

from __future__ import annotations

from tests.unit.enhance.world import thing

from lobrest.enhance.draft import NEW, Draft
from lobrest.model.entry import UserId


def test_new_instances_differ_and_can_be_told_from_those_of_the_log():
    draft = Draft([], {}, UserId("ann"))
    parent = thing("/projects", "15")
    first, second = (draft.new_instance(parent.resource, parent) for _ in range(2))
    assert first != second
    assert first.value.startswith(NEW)
    assert first.parent == parent


def test_an_instance_is_shown_once():
    draft = Draft([], {}, UserId("ann"))
    one = thing("/projects", "15")
    draft.show(one)
    draft.show(thing("/projects", "15"))
    assert draft.shown == {one.resource: [one]}
