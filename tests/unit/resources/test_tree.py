"""Parents."""

from __future__ import annotations

from lobrest.model.resource import ResourceName
from lobrest.resources.tree import parent_of, without_cycles


def test_the_parent_is_a_complete_segment_prefix() -> None:
    at = {("projects",): ResourceName("/projects"), ("project",): ResourceName("/project")}
    path = ("projects", "{}", "issues")
    assert parent_of(ResourceName("/projects/{id}/issues"), path, at) == "/projects"
    assert parent_of(ResourceName("/projects"), ("projects",), at) is None


def test_a_resource_is_never_its_own_ancestor() -> None:
    a, b, c = ResourceName("a"), ResourceName("b"), ResourceName("c")
    parents = without_cycles({a: b, b: c, c: a})
    for name in parents:
        seen, above = set(), parents[name]
        while above is not None:
            assert above not in seen
            seen.add(above)
            above = parents[above]
