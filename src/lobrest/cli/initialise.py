"""``lobrest init``: looks at a specification and logs, and writes the settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from lobrest.app.pipeline import Prepared, Reading, prepare
from lobrest.app.settings import FILE_NAME
from lobrest.cli.options import Format, LogsArgument, NoColor, Quiet, write_lines
from lobrest.cli.talk import Talk
from lobrest.errors import UsageError
from lobrest.fuzz.safety import held_back
from lobrest.resources.doubts import doubtful_lines

Spec = Annotated[
    str,
    typer.Argument(metavar="SPEC", help="OpenAPI or Swagger document, a file or URL.", show_default=False),
]
Out = Annotated[Path, typer.Option("--out", metavar="F", help="Where to write.")]
Force = Annotated[bool, typer.Option("--force", help="Write over a file that is there.")]


def init(
    spec: Spec,
    logs: LogsArgument = None,
    log_format: Format = None,
    out: Out = Path(FILE_NAME),
    force: Force = False,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Look at a specification and logs, and write what was found out as lobrest.toml."""
    talk = Talk(False, quiet, not no_color)
    if out.exists() and not force:
        raise UsageError("is there already", source=str(out), hint="add --force, or --out another file")
    sources = tuple(logs or ())
    prepared = prepare(spec, sources, Reading(format=log_format or "auto"), talk.say)
    write_lines(settings_lines(spec, sources, prepared), out)
    talk.say(f"{out} written; set target and auth in it, then: lobrest run")


def settings_lines(spec: str, logs: tuple[str, ...], prepared: Prepared) -> list[str]:
    """The file, with what nobody but a person knows as comments."""
    lines = [
        f"# {prepared.spec.title}: {len(prepared.spec.operations)} operations, "
        f"{len(prepared.model.resources)} resources",
        f"spec = {json.dumps(spec)}",
        f"logs = {json.dumps(list(logs))}",
        "",
        "# A copy of the service: requests create, change and delete things.",
        f"# target = {json.dumps(_address(prepared))}",
        "# One entry a user of the service, two or more if people work together in it.",
        '# auth = ["Authorization: Bearer env:TOKEN_OF_ANN", "Authorization: Bearer env:TOKEN_OF_BEN"]',
        'time = "10m"',
    ]
    if prepared.table is not None:
        formats = dict.fromkeys(one.detection.format_name for one in prepared.table.statistics.files)
        lines += [
            "",
            f"# Found in the logs: {', '.join(filter(None, formats))}; {prepared.table.statistics.kept} of "
            f"{prepared.table.statistics.lines} lines belong to the service, {len(prepared.slices)} flows.",
            'format = "auto"',
            f'mlt = "{prepared.max_lead_seconds:g}s"  # longest pause inside a flow, from the pace of this log',
            f'stw = "{prepared.window_seconds:g}s"  # longest flow as a whole',
        ]
    back = held_back(prepared.spec)
    if back:
        lines += ["", "# Held back for safety; name here what may be sent all the same.", "# allow = ["]
        lines += [f"#   {json.dumps(str(operation))},  # {reason}" for operation, reason in back.items()]
        lines.append("# ]")
    doubts = list(doubtful_lines(prepared.model))
    return [*lines, "", *doubts] if doubts else lines


def _address(prepared: Prepared) -> str:
    path = urlsplit(prepared.spec.servers[0]).path if prepared.spec.servers else ""
    return f"http://127.0.0.1:8080{path.rstrip('/')}"
