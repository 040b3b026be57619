"""``lobrest enhance``: stages 2 and 3."""

from __future__ import annotations

import random
from typing import Annotated

import typer

from lobrest.app.artefacts import seed_to_json
from lobrest.app.clock import today
from lobrest.app.pipeline import prepare
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
from lobrest.enhance import enhanced
from lobrest.model.slice import Profile

SeedNumber = Annotated[int, typer.Option("--seed", metavar="N", help="The same number, the same values.")]


def enhance(
    spec: SpecArgument = None,
    logs: LogsArgument = None,
    resources: ResourcesFile = None,
    profile: ProfileOption = None,
    mlt: LeadTime = None,
    stw: WindowTime = None,
    log_format: Format = None,
    seed: SeedNumber = 0,
    out: OutFile = None,
    config: Config = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Complete slices with what they need; one JSON line a seed."""
    talk, settings = talk_and_settings(config, as_json=as_json, quiet=quiet, no_color=no_color)
    source, log_sources = inputs(spec, logs, settings)
    reading = reading_of(settings, log_format, profile, mlt, stw, resources)
    prepared = prepare(source, log_sources, reading, talk.say, everything=True)
    seeds = enhanced(
        prepared.spec,
        prepared.model,
        prepared.corpus,
        prepared.slices,
        chance=random.Random(seed),
        now=today(),
        reuse=reading.profile is not Profile.PAPER,
    )
    write_lines((seed_to_json(one, prepared.model) for one in seeds), out)
    added = sum(step.origin in ("creation", "listing") for one in seeds for step in one.steps)
    talk.say(f"{len(seeds)} seeds with {added} added steps")
