"""``lobrest logs``: what was read, kept and dropped, and why."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.table import Table

from lobrest.app.documents import read_spec
from lobrest.app.inputs import find_logs, read_into
from lobrest.app.parallel import ProcessSpread
from lobrest.app.userkey import user_key
from lobrest.cli.options import (
    AsJson,
    Config,
    Format,
    LogsArgument,
    NoColor,
    ProfileOption,
    Quiet,
    SpecArgument,
    talk_and_settings,
)
from lobrest.cli.run import inputs, reading_of
from lobrest.cli.talk import Talk
from lobrest.errors import UsageError
from lobrest.logs import LogReader, LogStatistics
from lobrest.resources import analyse
from lobrest.slicing.columns import gather_queues
from lobrest.slicing.suggest import suggest_limits
from lobrest.spec.router import Router

_SHOWN = 12


def logs(
    spec: SpecArgument = None,
    logs: LogsArgument = None,
    log_format: Format = None,
    profile: ProfileOption = None,
    config: Config = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Read logs and tell what was kept and dropped, and why."""
    talk, settings = talk_and_settings(config, as_json=as_json, quiet=quiet, no_color=no_color)
    source, log_sources = inputs(spec, logs, settings)
    if not log_sources:
        raise UsageError("no log", hint="name one or more files, folders, or - for standard input")
    reading = reading_of(settings, log_format, profile, None, None, None)
    document = read_spec(source, follow=settings.switch("follow_references"))

    def limits(
        times: NDArray[np.float64],
        users: NDArray[np.int32],
        offsets: NDArray[np.int64],
        instances: NDArray[np.int32],
    ) -> tuple[float, float]:
        suggested = suggest_limits(gather_queues(times, users, offsets, instances), reading.profile)
        return suggested.mlts_seconds, suggested.stws_seconds

    reader = LogReader(
        document,
        Router(document),
        analyse(document, overrides=reading.overrides or None),
        format=reading.format,
        field_map={str(role): str(name) for role, name in reading.fields.items()},
        template=reading.template,
        user_key=user_key(),
        profile=reading.profile,
        spread=ProcessSpread(),
        suggest=limits,
    )
    found = find_logs(log_sources)
    sizes = [log.size for log in found]
    total = None if None in sizes else sum(size or 0 for size in sizes)
    with talk.progress("reading", total) as bar:
        read_into(reader, find_logs(log_sources, progress=lambda count: bar.advance(bar.task_ids[0], count)))
    statistics = reader.finish(allow_empty=True).statistics
    if as_json:
        talk.write(json.dumps(to_json(statistics), ensure_ascii=False, indent=1))
    else:
        _show(statistics, talk)


def to_json(statistics: LogStatistics) -> dict[str, Any]:
    """Everything, in plain values."""
    result = asdict(statistics)
    result["files"] = [
        {
            "name": file.name,
            "format": file.detection.format_name or None,
            "confidence": file.detection.confidence,
            "why": file.detection.why,
            "wrapping": str(file.detection.wrapping) or None,
            "lines": file.lines,
            "kept": file.kept,
            "warning": file.warning or None,
        }
        for file in statistics.files
    ]
    result["dropped"] = [
        {"reason": drop.reason, "count": drop.count, "places": [str(place) for place in drop.places]}
        for drop in statistics.dropped
    ]
    result["unknown"] = [{"request": request, "count": count} for request, count in statistics.unknown]
    result["gaps"] = {f"{quantile:g}": seconds for quantile, seconds in statistics.gaps.items()}
    result["first"], result["last"] = _moment(statistics.first), _moment(statistics.last)
    return result


def _show(statistics: LogStatistics, talk: Talk) -> None:
    console = talk.results
    files = Table("file", "format", "sure", "lines", "kept", title="Files", title_justify="left")
    for file in statistics.files:
        wrapped = f" in {file.detection.wrapping}" if file.detection.wrapping else ""
        files.add_row(
            file.name,
            f"{file.detection.format_name}{wrapped}" if file.detection.format_name else "not recognised",
            f"{file.detection.confidence:.0%}",
            str(file.lines),
            str(file.kept),
        )
    console.print(files)
    for file in statistics.files:
        if file.warning:
            talk.warn(f"{file.name}: {file.warning}")
    _dropped(statistics, talk)
    _facts(statistics, talk)
    if statistics.unknown:
        unknown = Table("requests", "not in the specification", title="Unknown", title_justify="left")
        for request, count in statistics.unknown[:_SHOWN]:
            unknown.add_row(str(count), request)
        console.print(unknown)
    if statistics.operations_unused and not talk.quiet:
        shown = ", ".join(statistics.operations_unused[:_SHOWN])
        more = len(statistics.operations_unused) - _SHOWN
        tail = f" and {more} more (--json has all)" if more > 0 else ""
        console.print(f"Never used: {shown}{tail}", markup=False, highlight=False)


def _dropped(statistics: LogStatistics, talk: Talk) -> None:
    if not statistics.dropped:
        return
    table = Table("lines", "why", "first at", title="Dropped", title_justify="left")
    for drop in statistics.dropped:
        places = ", ".join(f"{Path(place.file).name}:{place.line}" for place in drop.places[:2])
        table.add_row(str(drop.count), drop.reason, places)
    talk.results.print(table)


def _facts(statistics: LogStatistics, talk: Talk) -> None:
    used, unused = statistics.operations_used, len(statistics.operations_unused)
    lines = [
        f"{statistics.kept} of {statistics.lines} lines kept, {statistics.users} users, "
        f"{used} of {used + unused} operations",
        f"{statistics.creations} creations, the new identity is known of {statistics.creations_known}",
    ]
    if statistics.first is not None:
        lines.append(f"from {_moment(statistics.first)} to {_moment(statistics.last)}")
    if statistics.hosts:
        shown, more = statistics.hosts[:_SHOWN], len(statistics.hosts) - _SHOWN + statistics.hosts_left_out
        lines.append(f"sent to {', '.join(shown)}" + (f" and {more} more hosts" if more > 0 else ""))
    if statistics.backward_jumps:
        lines.append(f"the clock of a file went back {statistics.backward_jumps} times")
    if statistics.gaps:
        gaps = ", ".join(
            f"{quantile:.0%} within {seconds:g} s" for quantile, seconds in statistics.gaps.items()
        )
        lines.append(f"gaps between a user's requests: {gaps}")
    lead, window = statistics.suggested_mlt_seconds, statistics.suggested_stw_seconds
    if lead is not None and window is not None:
        lines.append(f"suggested: --mlt {lead:g}s --stw {window:g}s")
    for line in lines:
        talk.results.print(line, markup=False, highlight=False)


def _moment(seconds: float | None) -> str | None:
    return (
        None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    )
