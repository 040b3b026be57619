"""Stages 1 and 2 in order: specification, resources, logs, slices."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lobrest.app.documents import read_spec
from lobrest.app.inputs import open_logs
from lobrest.errors import InputError, LogError
from lobrest.logs import LogReader, LogTable
from lobrest.model.corpus import Corpus
from lobrest.model.entry import UserId
from lobrest.model.operation import ApiSpec
from lobrest.model.resource import ResourceModel
from lobrest.model.slice import Profile, Slice, Strategy
from lobrest.model.summary import StageTimes
from lobrest.resources import analyse
from lobrest.resources.document import from_json
from lobrest.slicing.columns import QueueColumns, SliceColumns, gather_queues
from lobrest.slicing.hubs import without_hubs
from lobrest.slicing.locality import slice_queues
from lobrest.slicing.merge import merge
from lobrest.spec.router import Router

_ALIKE = 4
"""Slices kept of one sequence of operations: more of the same teach nothing new."""
_MOST_SLICES = 6000
_LONGEST = 60

Watch = Callable[[str], None]
"""Told in one line what is being done."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How logs are to be read and cut."""

    format: str = "auto"
    profile: Profile = Profile.DEFAULT
    max_lead_seconds: float | None = None
    window_seconds: float | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    overrides: Mapping[str, Any] = field(default_factory=dict)
    resources: Path | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """What stages 1 and 2 give."""

    spec: ApiSpec
    model: ResourceModel
    router: Router
    corpus: Corpus
    slices: tuple[Slice, ...]
    stages: StageTimes
    table: LogTable | None = None
    slice_count: int = 0
    """Before those alike were set aside."""
    max_lead_seconds: float = 0.0
    window_seconds: float = 0.0
    readable_users: frozenset[UserId] = frozenset()


def prepare(spec_source: str, log_sources: Sequence[str], reading: Reading, watch: Watch) -> Prepared:
    """Read, analyse and slice. Raises what is wrong with the input, in words."""
    began = time.perf_counter()
    watch(f"reading the specification {spec_source}")
    spec = read_spec(spec_source)
    model = _resources(spec, reading)
    router = Router(spec)
    analysed = time.perf_counter()
    watch(
        f"{len(spec.operations)} operations, {len(model.resources)} resources, "
        f"{len(model.dependencies)} dependencies"
    )
    if not log_sources:
        return Prepared(spec, model, router, Corpus(), (), StageTimes(analyze_s=round(analysed - began, 3)))
    table = read_logs(spec, model, router, log_sources, reading, watch)
    read = time.perf_counter()
    columns, slices, lead, window = cut(table, reading)
    chosen = _materialised(table, columns, slices, everything=reading.profile is Profile.PAPER)
    done = time.perf_counter()
    watch(f"{len(slices)} slices, {len(chosen)} of them different enough to play")
    stages = StageTimes(
        analyze_s=round(analysed - began, 3), read_s=round(read - analysed, 3), slice_s=round(done - read, 3)
    )
    return Prepared(
        spec,
        model,
        router,
        table.corpus,
        tuple(chosen),
        stages,
        table,
        len(slices),
        lead,
        window,
        frozenset(table.users),
    )


def _resources(spec: ApiSpec, reading: Reading) -> ResourceModel:
    if reading.resources is None:
        return analyse(spec, overrides=reading.overrides or None)
    try:
        data = reading.resources.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=str(reading.resources)) from error
    return from_json(data, spec)


def read_logs(
    spec: ApiSpec,
    model: ResourceModel,
    router: Router,
    sources: Sequence[str],
    reading: Reading,
    watch: Watch,
) -> LogTable:
    """Every file named, as one table; a log without a usable line is an error that says why."""
    raise NotImplementedError


def cut(table: LogTable, reading: Reading) -> tuple[QueueColumns, SliceColumns, float, float]:
    """MLTS and STWS, merged; with the time limits used."""
    paper = reading.profile is Profile.PAPER
    statistics = table.statistics
    lead = reading.max_lead_seconds or statistics.suggested_mlt_seconds
    window = reading.window_seconds or statistics.suggested_stw_seconds
    queues = gather_queues(table.times, table.users_column, table.instance_offsets, table.instance_ids)
    counted = queues if paper else without_hubs(queues, _acting(table))
    mlts = slice_queues(counted, Strategy.MLTS, delta_seconds=lead, profile=reading.profile)
    stws = slice_queues(counted, Strategy.STWS, delta_seconds=window, profile=reading.profile)
    return queues, merge(mlts, stws, entries=len(queues), profile=reading.profile), lead, window
