"""The whole stage: queues in, one set of slices out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from lobrest.model.slice import Profile, Strategy
from lobrest.slicing.columns import Flags, QueueColumns, SliceColumns
from lobrest.slicing.hubs import without_hubs
from lobrest.slicing.locality import link_instances, slice_queues
from lobrest.slicing.merge import merge
from lobrest.slicing.suggest import TimeLimits, suggest_limits

RunBoth = Callable[[Callable[[Strategy], SliceColumns], Iterable[Strategy]], Iterable[SliceColumns]]


@dataclass(frozen=True, slots=True)
class MinedSlices:
    """The slices of a log and how they came about."""

    slices: SliceColumns
    limits: TimeLimits
    hub_places: int
    """How often an instance was there and did not count as overlap."""


def mine_slices(
    queues: QueueColumns,
    *,
    profile: Profile = Profile.DEFAULT,
    mlts_seconds: float | None = None,
    stws_seconds: float | None = None,
    acting: Flags | None = None,
    run_both: RunBoth = map,
) -> MinedSlices:
    """MLTS and STWS over all queues, merged. A limit that is not given is suggested by the log itself.

    ``acting`` tells for each instance id whether it is a user or the like. ``run_both`` may be the ``map`` of
    a thread pool: the compiled loops let each other run.
    """
    limits = _limits(queues, profile, mlts_seconds, stws_seconds)
    counted = queues if profile is Profile.PAPER else without_hubs(queues, acting)
    links = link_instances(counted)
    delta_of = {Strategy.MLTS: limits.mlts_seconds, Strategy.STWS: limits.stws_seconds}

    def sliced(strategy: Strategy) -> SliceColumns:
        return slice_queues(counted, strategy, delta_seconds=delta_of[strategy], profile=profile, links=links)

    mlts, stws = run_both(sliced, (Strategy.MLTS, Strategy.STWS))
    return MinedSlices(
        slices=merge(mlts, stws, entries=len(queues), profile=profile),
        limits=limits,
        hub_places=int(np.count_nonzero(counted.instance_ids != queues.instance_ids)),
    )


def _limits(
    queues: QueueColumns, profile: Profile, mlts_seconds: float | None, stws_seconds: float | None
) -> TimeLimits:
    if mlts_seconds is not None and stws_seconds is not None:
        return TimeLimits(mlts_seconds, stws_seconds)
    suggested = suggest_limits(queues, profile)
    return TimeLimits(
        mlts_seconds=suggested.mlts_seconds if mlts_seconds is None else mlts_seconds,
        stws_seconds=suggested.stws_seconds if stws_seconds is None else stws_seconds,
    )
