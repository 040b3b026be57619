"""Resources and their instances."""

from __future__ import annotations

from tests.unit.enhance.world import FIX, OPEN, PROJECT, World, forge, thing

from lobrest.model.resource import ResourceName


def test_equal_numbers_in_different_parents_are_different_things():
    assert thing("/r", "3", thing("/p", "15")) != thing("/r", "3", thing("/p", "16"))
    assert thing("/r", "3", thing("/p", "15")) == thing("/r", "3", thing("/p", "15"))


def test_ancestors_go_from_the_parent_to_the_root():
    deep = thing("/c", "1", FIX)
    assert deep.ancestors() == (FIX, PROJECT)
    assert PROJECT.ancestors() == ()


def test_depth_counts_ancestors_and_circles_end():
    world: World = forge()
    assert world.model.depth(ResourceName("/projects")) == 0
    assert world.model.depth(ResourceName("/projects/{id}/branches")) == 1
    world.resource("/a", parent="/b")
    world.resource("/b", parent="/a")
    assert world.model.depth(ResourceName("/a")) == 1


def test_the_dependencies_of_an_operation():
    found = [one.parameter.pointer for one in forge().model.of_operation(OPEN)]
    assert found == ["id", "source_branch", "target_branch", "assignee"]
