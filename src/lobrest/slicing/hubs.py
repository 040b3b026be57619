"""Instances that are mere context for a user: counted as overlap they would glue everything together.

An owner, tenant or project in whose name a user does many different things says little about which of them
a request belongs to. What tells is the *focus* of an entry: of its instances the one this user needs least.
A *context* is an instance that a user needs often, nearly always beside a focus, and beside several of them;
of acting users' names, any that is in most of the entries. A context counts only where it is the focus: a
user who does everything on one project keeps the project where nothing else tells.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from lobrest.slicing.columns import Flags, QueueColumns
from lobrest.slicing.compiler import COMPILE_FROM, Column, Loop, compiled, list_of
from lobrest.slicing.kernel import Buffer, Numbers

LEAST_COUNT: Final = 8
"""Fewer uses are no habit."""
LEAST_SHARE: Final = 0.2
"""Of a user's entries that have instances, those with a context."""
LEAST_BESIDE: Final = 0.9
"""Of a context's entries, those in which it is not the focus."""
LEAST_FOCI: Final = 3
"""Beside one or two things it is part of what they are about."""
LEAST_ACTING_SHARE: Final = 0.5

USES: Final = 0
BESIDE: Final = 1
FOCI: Final = 2
FIRST: Final = 3
SECOND: Final = 4
WIDTH: Final = 5
"""What is counted of an instance, and how many numbers that is."""


def without_hubs(
    queues: QueueColumns, acting: Flags | None = None, *, use_compiler: bool | None = None
) -> QueueColumns:
    """The same queues, with a negative id at every place that must not count as overlap.

    ``acting`` tells for each id whether its resource is one whose instances act: users, accounts, members.
    """
    names = np.zeros(queues.instance_count, np.bool_)
    if acting is not None:
        known = min(len(acting), len(names))
        names[:known] = acting[:known]
    if use_compiler is None:
        use_compiler = queues.size >= COMPILE_FROM
    loop: Loop = compiled(hide_hubs, focus) if use_compiler else hide_hubs
    column: Callable[[Column], Column | list[int]] = np.ascontiguousarray if use_compiler else list_of
    counting_ids = column(queues.instance_ids.copy())
    counters = column(np.zeros(WIDTH * len(names), np.int32))
    loop(
        column(queues.queue_offsets),
        column(queues.instance_offsets),
        column(queues.instance_ids),
        column(names),
        counting_ids,
        counters,
    )
    return queues.with_instances(np.asarray(counting_ids, np.int32))


def hide_hubs(
    queue_offsets: Numbers,
    instance_offsets: Numbers,
    instance_ids: Numbers,
    acting: Numbers,
    counting_ids: Buffer,
    counters: Buffer,
) -> None:
    """Write -1 into ``counting_ids`` where an instance does not count.

    ``counters`` is 0 throughout. Those of one instance stand side by side: they are all wanted at a time, and
    the instances of a large log are far apart.
    """
    for queue in range(len(queue_offsets) - 1):
        begin, end = queue_offsets[queue], queue_offsets[queue + 1]
        if end - begin < LEAST_COUNT:
            continue
        with_instances, most = 0, 0
        for entry in range(begin, end):
            if instance_offsets[entry] < instance_offsets[entry + 1]:
                with_instances += 1
            for place in range(instance_offsets[entry], instance_offsets[entry + 1]):
                of = instance_ids[place] * WIDTH
                counters[of + USES] += 1
                most = max(most, counters[of + USES])
        if most < LEAST_COUNT:
            end = begin
        for entry in range(begin, end):
            chosen = focus(entry, instance_offsets, instance_ids, counters)
            for place in range(instance_offsets[entry], instance_offsets[entry + 1]):
                instance = instance_ids[place]
                if instance != chosen:
                    of = instance * WIDTH
                    counters[of + BESIDE] += 1
                    if counters[of + FOCI] == 0:
                        counters[of + FOCI] = 1
                        counters[of + FIRST] = chosen
                    elif counters[of + FOCI] == 1 and counters[of + FIRST] != chosen:
                        counters[of + FOCI] = 2
                        counters[of + SECOND] = chosen
                    elif counters[of + FOCI] == 2 and chosen not in (
                        counters[of + FIRST],
                        counters[of + SECOND],
                    ):
                        counters[of + FOCI] = 3
        for entry in range(begin, end):
            chosen = focus(entry, instance_offsets, instance_ids, counters)
            for place in range(instance_offsets[entry], instance_offsets[entry + 1]):
                instance = instance_ids[place]
                of = instance * WIDTH
                often = counters[of + USES]
                if often < LEAST_COUNT:
                    continue
                context = (
                    often >= LEAST_SHARE * with_instances
                    and counters[of + BESIDE] >= LEAST_BESIDE * often
                    and counters[of + FOCI] >= LEAST_FOCI
                )
                name = acting[instance] and often >= LEAST_ACTING_SHARE * with_instances
                if (context or name) and instance != chosen:
                    counting_ids[place] = -1
        for place in range(instance_offsets[begin], instance_offsets[queue_offsets[queue + 1]]):
            of = instance_ids[place] * WIDTH
            counters[of + USES] = 0
            counters[of + BESIDE] = 0
            counters[of + FOCI] = 0


def focus(entry: int, instance_offsets: Numbers, instance_ids: Numbers, counters: Numbers) -> int:
    """Of the entry's instances the one that is used least; -1 where it has none.

    Of equals the latest id: ids are given as things are met, so that what contains others comes first.
    """
    chosen, least = -1, 0
    for place in range(instance_offsets[entry], instance_offsets[entry + 1]):
        instance = instance_ids[place]
        uses = counters[instance * WIDTH + USES]
        if chosen < 0 or uses < least or (uses == least and instance > chosen):
            chosen, least = instance, uses
    return chosen
