"""Flows that worked, by what they are about."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from lobrest.fuzz.pool import PoolItem
from lobrest.fuzz.working import WorkingFlows
from lobrest.model.entry import Arguments, LogEntry, UserId
from lobrest.model.operation import Location, OperationId, ParameterRef
from lobrest.model.resource import ResourceInstance, ResourceName
from lobrest.model.seed import Origin
from lobrest.model.slice import Slice

NAMES = ("projects", "issues", "notes")


def item(*resources: str, good: float = 1.0) -> PoolItem:
    uses = {
        ParameterRef(OperationId("GET /"), Location.PATH, name): ResourceInstance(ResourceName(name), "1")
        for name in resources
    }
    entry = LogEntry(0.0, OperationId("GET /"), Arguments(), UserId("ann"), 200, uses)
    return PoolItem(Slice((entry,)), Origin.LOG, good_share=good)


def found(flows: WorkingFlows, *needs: str) -> set[int | None]:
    chance = random.Random(1)
    return {flows.drawn([ResourceName(one) for one in needs], chance) for _ in range(100)}


def test_only_flows_that_worked_and_have_what_is_needed_are_drawn():
    flows = WorkingFlows([item("projects"), item("projects", good=0.6), item("issues", "projects"), item()])
    assert found(flows, "projects") == {0, 2}
    assert found(flows, "issues") == {2}
    assert found(flows, "projects", "issues") == {0, 2}
    assert found(flows, "notes") == {None}
    assert found(flows) == {None}


def test_a_flow_counts_from_when_it_works_and_a_place_given_away_counts_anew():
    flows = WorkingFlows()
    late = item("projects", good=0.0)
    flows.told(3, late)
    assert found(flows, "projects") == {None}
    late.good_share = 0.9
    flows.told(3, late)
    flows.told(3, late)
    assert found(flows, "projects") == {3}
    flows.told(3, item("issues"))
    assert (found(flows, "projects"), found(flows, "issues")) == ({None}, {3})
    flows.told(3, item("issues", good=0.1))
    assert found(flows, "issues") == {None}


@given(
    st.lists(
        st.tuples(
            st.integers(0, 5), st.lists(st.sampled_from(NAMES), unique=True), st.sampled_from([0.2, 0.9])
        )
    )
)
def test_however_a_pool_came_about_the_same_is_drawn(story: list[tuple[int, list[str], float]]):
    pool = [item() for _ in range(6)]
    grown = WorkingFlows(pool)
    for index, resources, good in story:
        pool[index] = item(*resources, good=good)
        grown.told(index, pool[index])
    built = WorkingFlows(pool)
    needs = [ResourceName(one) for one in NAMES]
    left, right = random.Random(5), random.Random(5)
    assert [grown.drawn(needs, left) for _ in range(20)] == [built.drawn(needs, right) for _ in range(20)]
