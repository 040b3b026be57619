"""Hypothesis strategies for values of the domain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from tests.reference.paper import Request

from lobrest.slicing.columns import QueueColumns, gather_queues

Queue = Sequence[Request]

# Few distinct pauses and instances, so that equal times, pauses of exactly Δ and overlap are common.
pauses = st.sampled_from([0.0, 0.0, 0.5, 1.0, 1.0, 2.0, 3.0, 10.0, 0.1, 1e-9])
deltas = st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0, 3.0, 10.0, 1e9])


@st.composite
def queues(draw: st.DrawFn, *, longest: int = 24, instances: int = 7, largest_set: int = 4) -> list[Request]:
    """One user's requests in time order, their instances small numbers; sets may be empty."""
    sets = st.frozensets(st.integers(0, instances - 1), max_size=largest_set)
    steps = draw(st.lists(st.tuples(pauses, sets), max_size=longest))
    at = draw(st.sampled_from([0.0, 1.79e9]))
    requests = []
    for pause, involved in steps:
        at += pause
        requests.append(Request(at, involved))
    return requests


def logs(*, users: int = 4, longest: int = 16) -> st.SearchStrategy[list[list[Request]]]:
    """Several users' queues that share instances; none is empty."""
    return st.lists(queues(longest=longest).filter(bool), max_size=users)


def columns_of(log: Sequence[Queue]) -> QueueColumns:
    """The columns of a log whose users are numbered in order, so that entry positions follow the users."""
    requests = [(user, request) for user, queue in enumerate(log) for request in queue]
    offsets = np.zeros(len(requests) + 1, np.int64)
    np.cumsum([len(request.instances) for _, request in requests], out=offsets[1:])
    return gather_queues(
        np.array([request.time for _, request in requests], np.float64),
        np.array([user for user, _ in requests], np.int32),
        offsets,
        np.array([i for _, request in requests for i in sorted(request.instances)], np.int32),
    )
