"""MLTS and STWS: a user's queue cut into pieces whose entries are close in time and share instances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from lobrest.errors import UsageError
from lobrest.model.slice import Profile, Strategy
from lobrest.slicing import kernel
from lobrest.slicing.columns import STRATEGY_BITS, Floats, Ids, Offsets, QueueColumns, SliceColumns
from lobrest.slicing.compiler import COMPILE_FROM, Column, Loop, compiled, list_of

BUDGET_PER_ENTRY: Final = 2
BUDGET_FLOOR: Final = 500_000
PLAIN_MEMBERS: Final = 1_000_000
"""A small log with a larger output than this is worth the compiler after all."""
LITERAL_BUDGET: Final = 300_000_000
"""Members of all slices, about 1.2 GB."""

# Where the one bit of a power of two stands, found by multiplying it with a de Bruijn sequence.
_LOWEST_BIT: Final = np.argsort([((1 << bit) * 0x077CB531 & 0xFFFFFFFF) >> 27 for bit in range(32)])


def slice_queues(
    queues: QueueColumns,
    strategy: Strategy,
    *,
    delta_seconds: float | Floats,
    profile: Profile = Profile.DEFAULT,
    budget: int | None = None,
    links: Ids | None = None,
    use_compiler: bool | None = None,
) -> SliceColumns:
    """The slices of every queue, in the order of their first entries.

    ``Profile.PAPER`` is Algorithm 1 or 2 to the letter. ``Profile.DEFAULT`` starts no slice at an entry that
    another slice already has; then no slice of a strategy is part of another. Hubs are not its business: an
    id that is not to count is negative in ``queues`` (``hubs.without_hubs``).

    ``delta_seconds`` is one time limit for all, or one a queue.
    ``budget`` bounds the members of all slices together. The paper's slices can have as many as the square of
    the entries: over the budget they raise ``UsageError``. In the default profile slices over the budget end
    where they meet an entry of an earlier slice, and ``SliceColumns.cut`` counts them.
    ``links`` are ``link_instances(queues)``, worth giving when several calls are made on the same queues.
    ``use_compiler`` forces or forbids the compiled loop; results are equal.
    """
    deltas = np.broadcast_to(np.asarray(delta_seconds, np.float64), queues.queue_count)
    if not (deltas >= 0).all():
        raise UsageError(f"a time limit of {deltas.min()} s cannot be", hint="give seconds, 0 or more")
    if not _ordered(queues):
        raise ValueError("a queue is not in time order")
    literal = profile is Profile.PAPER
    if budget is None:
        budget = LITERAL_BUDGET if literal else BUDGET_FLOOR + BUDGET_PER_ENTRY * len(queues)
    if links is None:
        links = link_instances(queues, use_compiler=use_compiler)
    small = use_compiler is None and queues.size < COMPILE_FROM
    plain = small or use_compiler is False
    outcome = _run(queues, links, deltas, strategy is Strategy.MLTS, literal, budget, plain, small)
    if outcome.status == kernel.FULL:
        outcome = _run(queues, links, deltas, strategy is Strategy.MLTS, literal, budget, False, False)
    if outcome.status == kernel.OVER_BUDGET:
        raise UsageError(
            f"the literal {strategy.upper()} slices of this log have more than {budget:,} entries",
            hint="use the default profile, or a shorter time limit",
        )
    return SliceColumns(
        offsets=outcome.offsets,
        members=outcome.members,
        strategy_bits=np.full(len(outcome.offsets) - 1, STRATEGY_BITS[strategy], np.uint8),
        cut=outcome.cut,
    )


def link_instances(queues: QueueColumns, *, use_compiler: bool | None = None) -> Ids:
    """For each place the next entry of the same queue that has the same instance, or -1."""
    if use_compiler is None:
        use_compiler = queues.size >= COMPILE_FROM
    link: Loop = compiled(kernel.link) if use_compiler else kernel.link
    column: Callable[[Column], Column | list[int]] = np.ascontiguousarray if use_compiler else list_of
    following = column(np.empty(len(queues.instance_ids), np.int32))
    latest = column(np.full(queues.instance_count, -1, np.int32))
    link(
        column(queues.queue_offsets),
        column(queues.instance_offsets),
        column(queues.instance_ids),
        latest,
        following,
    )
    return np.asarray(following, np.int32)


def _ordered(queues: QueueColumns) -> bool:
    falls = queues.times[1:] < queues.times[:-1]
    inner = queues.queue_offsets[1:-1]
    falls[inner[(inner > 0) & (inner < len(queues))] - 1] = False
    return not falls.any()


def _tree_levels(entries: int) -> tuple[Offsets, int]:
    """Where each level of the kernel's set begins, and how many words it has in all."""
    begins, words = [0], entries // 32 + 1
    total = words
    while words > 1:
        words = words // 32 + 1
        begins.append(total)
        total += words
    return np.array(begins, np.int64), total


@dataclass(frozen=True, slots=True)
class _Outcome:
    status: int
    cut: int
    offsets: Offsets
    members: Ids


def _run(
    queues: QueueColumns,
    links: Ids,
    deltas: Floats,
    moving: bool,
    literal: bool,
    budget: int,
    plain: bool,
    give_up: bool,
) -> _Outcome:
    """Compiled code on arrays, or plain Python on lists, whose elements it reaches several times quicker.

    With ``give_up`` an output that is large stays ``FULL``.
    """
    measure: Loop = kernel.measure
    scan: Loop = kernel.scan
    column: Callable[[Column], Column | list[int]] = list_of
    if not plain:
        measure = compiled(kernel.measure)
        scan = compiled(kernel.scan, kernel.include, kernel.exclude, kernel.next_after)
        column = np.ascontiguousarray
    entries = len(queues)
    queue_offsets = column(queues.queue_offsets)
    reach = column(np.empty(entries, np.int32))
    measure(column(queues.times), queue_offsets, column(deltas), reach)
    levels, words = _tree_levels(entries)
    state, ends = column(np.zeros(kernel.STATE_SIZE, np.int64)), column(np.zeros(entries + 1, np.int64))
    members = column(np.empty(entries + entries // 4 + 1, np.int32))
    log = (queue_offsets, column(queues.instance_offsets), column(links), reach)
    rules = (moving, literal, budget)
    workspace = (state, column(np.zeros(entries, np.uint8)), column(np.zeros(words, np.uint32)))
    tables = (column(levels), column(_LOWEST_BIT))
    while (status := scan(*log, *rules, *workspace, *tables, ends, members)) == kernel.FULL:
        if give_up and len(members) > PLAIN_MEMBERS:
            break
        members = column(np.concatenate((members, np.empty(len(members), np.int32)), dtype=np.int32))
    return _Outcome(
        status=status,
        cut=int(state[kernel.CUT]),
        # Views where they are arrays: the rest of their memory was never touched.
        offsets=np.asarray(ends[: state[kernel.SLICES] + 1], np.int64),
        members=np.asarray(members[: state[kernel.FILLED]], np.int32),
    )
