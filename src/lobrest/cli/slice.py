"""``lobrest slice``: stage 2."""

from __future__ import annotations

from lobrest.app.artefacts import slice_to_json
from lobrest.app.flows import prepare
from lobrest.cli.options import (
    AsJson,
    Config,
    Format,
    LeadTime,
    LogsArgument,
    NoColor,
    OutFile,
    ProfileOption,
    Quiet,
    ResourcesFile,
    SpecArgument,
    WindowTime,
    talk_and_settings,
    write_lines,
)
from lobrest.cli.run import inputs, reading_of
from lobrest.errors import UsageError


def slice_logs(
    spec: SpecArgument = None,
    logs: LogsArgument = None,
    resources: ResourcesFile = None,
    profile: ProfileOption = None,
    mlt: LeadTime = None,
    stw: WindowTime = None,
    log_format: Format = None,
    out: OutFile = None,
    config: Config = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Cut logs into slices, one business flow each; one JSON line a slice."""
    talk, settings = talk_and_settings(config, as_json=as_json, quiet=quiet, no_color=no_color)
    source, log_sources = inputs(spec, logs, settings)
    if not log_sources:
        raise UsageError("no log", hint="name one or more files, folders, or - for standard input")
    reading = reading_of(settings, log_format, profile, mlt, stw, resources)
    prepared = prepare(source, log_sources, reading, talk.say, everything=True)
    write_lines((slice_to_json(piece) for piece in prepared.slices), out)
    talk.say(
        f"{len(prepared.slices)} slices; at most "
        f"{prepared.max_lead_seconds:.0f} s between two requests (MLTS), {prepared.window_seconds:.0f} s in all (STWS)"
    )
