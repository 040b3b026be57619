"""MLTS and STWS: a user's queue cut into pieces whose entries are close in time and share instances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from lobrest.errors import UsageError
from lobrest.model.slice import Profile, Strategy
from lobrest.slicing import kernel
from lobrest.slicing.columns import STRATEGY_BITS, Offsets, QueueColumns, SliceColumns

COMPILE_FROM: Final = 60_000
"""From so many entries and places on, loading the compiler costs less than running without it."""

BUDGET_PER_ENTRY: Final = 8
BUDGET_FLOOR: Final = 2_000_000
LITERAL_BUDGET: Final = 300_000_000
"""Members of all slices, about 1.2 GB."""

# Where the one bit of a power of two stands, found by multiplying it with a de Bruijn sequence.
_LOWEST_BIT: Final = tuple(
    bit for _, bit in sorted((((1 << bit) * 0x077CB531 & 0xFFFFFFFF) >> 27, bit) for bit in range(32))
)

Compiler = Callable[[Callable[..., int]], Callable[..., int]]


def slice_queues(
    queues: QueueColumns,
    strategy: Strategy,
    *,
    delta_seconds: float,
    profile: Profile = Profile.DEFAULT,
    budget: int | None = None,
    compiled: bool | None = None,
) -> SliceColumns:
    """The slices of every queue, in the order of their first entries.

    ``Profile.PAPER`` is Algorithm 1 or 2 to the letter. ``Profile.DEFAULT`` starts no slice at an entry that another
    slice already has; then no slice of a strategy is part of another. Hubs are not its business: an id that is not
    to count is negative in ``queues`` (``hubs.without_hubs``).

    ``budget`` bounds the members of all slices together. The paper's slices can be as many as the square of the
    entries: over the budget they raise ``UsageError``. In the default profile slices over the budget end where they
    run into an entry of an earlier slice, and ``SliceColumns.cut`` counts them.
    ``compiled`` forces or forbids the compiled loop; results are equal.
    """
    if not delta_seconds >= 0:
        raise UsageError(f"a time limit of {delta_seconds} s cannot be", hint="give seconds, 0 or more")
    if not _ordered(queues):
        raise ValueError("a queue is not in time order")
    literal = profile is Profile.PAPER
    if budget is None:
        budget = LITERAL_BUDGET if literal else BUDGET_FLOOR + BUDGET_PER_ENTRY * len(queues)
    if compiled is None:
        compiled = len(queues) + len(queues.instance_ids) >= COMPILE_FROM
    run = _run_compiled if compiled else _run_plain
    status, cut, ends, members = run(queues, delta_seconds, strategy is Strategy.MLTS, literal, budget)
    if status == kernel.OVER_BUDGET:
        raise UsageError(
            f"the literal {strategy.upper()} slices of this log have more than {budget:,} entries",
            hint="use the default profile, or a shorter time limit",
        )
    return SliceColumns(
        offsets=np.concatenate((np.zeros(1, np.int64), ends)),
        members=members,
        strategy_bits=np.full(len(ends), dict(STRATEGY_BITS)[strategy], np.uint8),
        cut=cut,
    )


def _ordered(queues: QueueColumns) -> bool:
    falls = np.diff(queues.times) < 0
    inner = queues.queue_offsets[1:-1]
    falls[inner[(inner > 0) & (inner < len(queues))] - 1] = False
    return not falls.any()


def _tree_levels(entries: int) -> tuple[list[int], int]:
    """Where each level of the kernel's set begins, and how many words it has in all."""
    begins, words = [0], entries // 32 + 1
    total = words
    while words > 1:
        words = words // 32 + 1
        begins.append(total)
        total += words
    return begins, total


Result = tuple[int, int, Offsets, NDArray[np.int32]]


def _run_plain(queues: QueueColumns, delta: float, moving: bool, literal: bool, budget: int) -> Result:
    """On lists: an element of a list is several times quicker to reach from Python than one of an array."""
    entries = len(queues)
    queue_offsets, instance_offsets = queues.queue_offsets.tolist(), queues.instance_offsets.tolist()
    following = [-1] * len(queues.instance_ids)
    kernel.link(
        queue_offsets, instance_offsets, queues.instance_ids.tolist(), [-1] * queues.instance_count, following
    )
    levels, words = _tree_levels(entries)
    state, taken, waiting, ends = [0] * kernel.STATE_SIZE, [0] * entries, [0] * words, [0] * entries
    members = [0] * (entries + 1)
    while True:
        status = kernel.scan(
            queues.times.tolist(), queue_offsets, instance_offsets, following, delta, moving, literal, budget,
            state, taken, waiting, levels, _LOWEST_BIT, ends, members,
        )  # fmt: skip
        if status != kernel.FULL:
            break
        members.extend([0] * len(members))
    return (
        status,
        state[kernel.CUT],
        np.array(ends[: state[kernel.SLICES]], np.int64),
        np.array(members[: state[kernel.FILLED]], np.int32),
    )


def _run_compiled(queues: QueueColumns, delta: float, moving: bool, literal: bool, budget: int) -> Result:
    link, scan = _compiled_kernel()
    entries = len(queues)
    following = np.empty(len(queues.instance_ids), np.int32)
    link(
        queues.queue_offsets,
        queues.instance_offsets,
        queues.instance_ids,
        np.full(queues.instance_count, -1, np.int32),
        following,
    )
    levels, words = _tree_levels(entries)
    state, taken = np.zeros(kernel.STATE_SIZE, np.int64), np.zeros(entries, np.uint8)
    waiting, ends = np.zeros(words, np.uint32), np.empty(entries, np.int64)
    members = np.empty(entries + entries // 4 + 1, np.int32)
    level_array, lowest_bit = np.array(levels, np.int64), np.array(_LOWEST_BIT, np.int64)
    while True:
        status = scan(
            queues.times, queues.queue_offsets, queues.instance_offsets, following, float(delta), moving, literal,
            budget, state, taken, waiting, level_array, lowest_bit, ends, members,
        )  # fmt: skip
        if status != kernel.FULL:
            break
        members = np.concatenate((members, np.empty(len(members), np.int32)))
    slices, filled = int(state[kernel.SLICES]), int(state[kernel.FILLED])
    return status, int(state[kernel.CUT]), ends[:slices].copy(), members[:filled].copy()


@cache
def _compiled_kernel() -> tuple[Callable[..., int], Callable[..., int]]:
    """The kernel, compiled; numba is loaded here and nowhere else, because that takes about a second."""
    from numba import njit
    from numba.extending import register_jitable

    for inner in (kernel.include, kernel.exclude, kernel.next_after):
        register_jitable(inner)
    try:
        compiler = cast(Compiler, njit(cache=True, nogil=True))
        return compiler(cast(Callable[..., int], kernel.link)), compiler(kernel.scan)
    except RuntimeError:  # No folder to keep compiled code in: compile anew in each process.
        compiler = cast(Compiler, njit(nogil=True))
        return compiler(cast(Callable[..., int], kernel.link)), compiler(kernel.scan)
