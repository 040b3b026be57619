"""``lobrest enhance``: stages 2 and 3."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Annotated

import typer

from lobrest.app.artefacts import seed_to_json
from lobrest.app.clock import today
from lobrest.app.flows import prepare
from lobrest.app.pipeline import Prepared
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
from lobrest.cli.talk import Talk
from lobrest.enhance import enhanced
from lobrest.model.seed import Origin, Seed
from lobrest.model.slice import Profile
from lobrest.report.seeds import LEGEND, seed_lines
from lobrest.report.wording import count

_SHOWN = 20
"""Seeds listed where no number is asked for."""

SeedNumber = Annotated[int, typer.Option("--seed", metavar="N", help="The same number, the same values.")]
Operations = Annotated[
    list[str] | None,
    typer.Option(
        "--op",
        metavar="P",
        help="Only seeds with an operation like this: a part of its name, or a pattern with *.",
        show_default=False,
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        "--limit",
        metavar="N",
        help=f"At most so many seeds, 0 for all; the listing shows {_SHOWN} unless told.",
        min=0,
        show_default=False,
    ),
]
AsText = Annotated[
    bool, typer.Option("--text", help="The listing for people, also where the output is no terminal.")
]


def enhance(
    spec: SpecArgument = None,
    logs: LogsArgument = None,
    resources: ResourcesFile = None,
    profile: ProfileOption = None,
    mlt: LeadTime = None,
    stw: WindowTime = None,
    log_format: Format = None,
    seed: SeedNumber = 0,
    op: Operations = None,
    limit: Limit = None,
    as_text: AsText = False,
    out: OutFile = None,
    config: Config = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Complete slices with what they need: a listing on a terminal, else one JSON line a seed."""
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
    chosen = [
        (number, one)
        for number, one in enumerate(seeds, 1)
        if not op or _has(one, [_like(each) for each in op])
    ]
    listing = out is None and not as_json and (as_text or sys.stdout.isatty())
    if listing:  # what is worth reading first
        chosen.sort(key=lambda one: -len({step.entry.operation for step in one[1].steps}))
    most = limit if limit is not None else (_SHOWN if listing else 0)
    shown = chosen[:most] if most else chosen
    if listing:
        _list(shown, prepared, talk)
    else:
        write_lines((seed_to_json(one, prepared.model) for _, one in shown), out)
    left = len(chosen) - len(shown)
    added = sum(_is_added(step.origin) for _, one in chosen for step in one.steps)
    talk.say(
        f"{count(len(chosen), 'seed')} with {count(added, 'added step')}"
        + (f"; {left} not shown (--limit 0 shows all, --op those with an operation)" if left else "")
    )


def _list(seeds: Iterable[tuple[int, Seed]], prepared: Prepared, talk: Talk) -> None:
    results = talk.results
    results.print(LEGEND, style="dim", markup=False, soft_wrap=True)
    for number, one in seeds:
        results.print()
        for line in seed_lines(one, prepared.model, number=number):
            results.print(line, soft_wrap=not results.is_terminal)


def _is_added(origin: Origin) -> bool:
    return origin in (Origin.CREATION, Origin.LISTING)


def _like(wanted: str) -> str:
    return wanted.lower() if "*" in wanted else f"*{wanted.lower()}*"


def _has(seed: Seed, patterns: Sequence[str]) -> bool:
    operations = {step.entry.operation.lower() for step in seed.steps}
    return any(fnmatchcase(one, pattern) for one in operations for pattern in patterns)
