"""Stages 1 and 2 in order: specification, resources, logs, slices."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lobrest.app.documents import read_spec
from lobrest.app.inputs import find_logs, read_into
from lobrest.app.parallel import ProcessSpread
from lobrest.app.userkey import user_key
from lobrest.errors import InputError
from lobrest.logs import LogReader, LogTable
from lobrest.model.corpus import Corpus
from lobrest.model.operation import ApiSpec
from lobrest.model.resource import ResourceModel
from lobrest.model.slice import Profile, Slice
from lobrest.model.summary import StageTimes
from lobrest.report.data import LogReading
from lobrest.resources import analyse
from lobrest.resources.document import from_json
from lobrest.slicing.columns import QueueColumns, SliceColumns, gather_queues
from lobrest.slicing.mine import MinedSlices, mine_slices
from lobrest.spec.router import Router

_ALIKE = 4
"""Slices kept of one sequence of operations: more of the same teach nothing new."""
_MOST_SLICES = 6000
_LONGEST = 60
_FEW = 0.05

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
    follow_references: bool = False
    """Whether the specification may consist of several documents."""
    template: str = ""
    """An nginx ``log_format`` or Apache ``LogFormat``, where the log has its own."""


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
    logs: LogReading | None = None
    """What was read, where the table is not at hand any more."""


def prepare(
    spec_source: str,
    log_sources: Sequence[str],
    reading: Reading,
    watch: Watch,
    *,
    everything: bool = False,
) -> Prepared:
    """Read, analyse and slice. Raises what is wrong with the input, in words.

    With ``everything`` all slices are kept, alike or not.
    """
    began = time.perf_counter()
    watch(f"reading the specification {spec_source}")
    spec = read_spec(spec_source, follow=reading.follow_references)
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
    watch(f"{table.statistics.kept} of {table.statistics.lines} lines kept, {table.statistics.users} users")
    if table.statistics.kept < _FEW * table.statistics.lines:
        watch("few of the lines belong to this specification: is it the log of this service?")
    read = time.perf_counter()
    queues, mined = cut(table, model, reading)
    chosen = _materialised(table, queues, mined.slices, everything=everything)
    done = time.perf_counter()
    watch(f"{len(mined.slices)} slices, {len(chosen)} of them different enough to play")
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
        len(mined.slices),
        mined.limits.mlts_seconds,
        mined.limits.stws_seconds,
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
    fields = {str(role): str(name) for role, name in reading.fields.items()}
    reader = LogReader(
        spec,
        router,
        model,
        format=reading.format,
        field_map=fields,
        template=reading.template,
        user_key=user_key(),
        profile=reading.profile,
        spread=ProcessSpread(),
    )
    found = find_logs(sources)
    watch(f"reading {len(found)} log {'file' if len(found) == 1 else 'files'}")
    read_into(reader, found)
    return reader.finish()


def cut(table: LogTable, model: ResourceModel, reading: Reading) -> tuple[QueueColumns, MinedSlices]:
    """MLTS and STWS, merged, with the time limits used."""
    queues = gather_queues(table.times, table.user_ids, table.instance_offsets, table.instance_ids)
    mined = mine_slices(
        queues,
        profile=reading.profile,
        mlts_seconds=reading.max_lead_seconds,
        stws_seconds=reading.window_seconds,
        acting=_acting(table, model),
    )
    return queues, mined


def _acting(table: LogTable, model: ResourceModel) -> NDArray[np.bool_]:
    """For each instance: is it somebody who acts?"""
    return np.fromiter(
        (
            table.instances.resource_name(number) in model.acting_users
            for number in range(len(table.instances))
        ),
        dtype=np.bool_,
        count=len(table.instances),
    )


def _materialised(
    table: LogTable, queues: QueueColumns, slices: SliceColumns, *, everything: bool
) -> list[Slice]:
    """Slices as values. Of those with the same operations in the same order only a few are kept."""
    alike: dict[bytes, int] = {}
    chosen: list[Slice] = []
    operations = table.operation_ids[queues.rows]
    for index, members in enumerate(slices):
        if len(chosen) >= _MOST_SLICES and not everything:
            break
        if not everything:
            members = members[:_LONGEST]
        signature = operations[members].tobytes()
        alike[signature] = alike.get(signature, 0) + 1
        if alike[signature] > _ALIKE and not everything:
            continue
        entries = tuple(table.entry(int(queues.rows[member])) for member in members)
        chosen.append(Slice(entries, slices.strategies(index)))
    return chosen
