"""``lobrest export``: the mined flows in other tools' formats."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer

from lobrest import __version__
from lobrest.app.export import Exportable, of_campaign, of_prepared
from lobrest.app.flows import prepare
from lobrest.app.work import WorkFolder
from lobrest.cli.options import (
    AsJson,
    Config,
    Format,
    LeadTime,
    NoColor,
    ProfileOption,
    Quiet,
    ResourcesFile,
    WindowTime,
    talk_and_settings,
    write_lines,
)
from lobrest.cli.run import reading_of
from lobrest.errors import UsageError
from lobrest.export.arazzo import arazzo_document, document_text
from lobrest.export.flow import Flow
from lobrest.export.har_suite import har_suite
from lobrest.export.links import links_overlay
from lobrest.export.ocel import ocel_log
from lobrest.export.postman_suite import postman_suite
from lobrest.export.python_suite import pytest_suite
from lobrest.report.wording import count

Flows: TypeAlias = "Sequence[Flow]"

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="DIR | SPEC LOG…",
        help="A work folder: its replayed flows as they were played. Or a specification and logs: mined, not played.",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="F", help="File or folder; without it, standard output.", show_default=False
    ),
]
Limit = Annotated[
    int | None,
    typer.Option("--limit", metavar="N", help="At most so many flows, the longest first.", min=1),
]


def export(
    sources: Sources,
    form: Annotated[
        str, typer.Option("--as", metavar="F", help="arazzo, pytest, har, postman, ocel or links.")
    ],
    out: Out = None,
    limit: Limit = None,
    log_format: Format = None,
    profile: ProfileOption = None,
    mlt: LeadTime = None,
    stw: WindowTime = None,
    resources: ResourcesFile = None,
    config: Config = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Write mined business flows for other tools: Arazzo, pytest, Postman, HAR, OCEL, OpenAPI links."""
    talk, settings = talk_and_settings(config, as_json=as_json, quiet=quiet, no_color=no_color)
    if form not in _FORMS:
        raise UsageError(f"{form!r} is no format of an export", hint=f"one of {', '.join(_FORMS)}")
    if Path(sources[0]).is_dir():
        if len(sources) > 1:
            raise UsageError("one work folder at a time", hint="or a specification and its logs")
        known = of_campaign(WorkFolder.open(Path(sources[0])))
    else:
        reading = reading_of(settings, log_format, profile, mlt, stw, resources)
        prepared = prepare(sources[0], sources[1:], reading, talk.say, everything=form == "ocel")
        known = of_prepared(prepared, sources[0])
    file_name, write = _FORMS[form]
    place = out / file_name if out is not None and out.is_dir() else out
    text = write(known, known.flows[:limit], _wants_json(place, as_json))
    write_lines([text.removesuffix("\n")], place)
    told = f"{count(len(known.flows[:limit]), 'flow')} of {known.service}"
    talk.say(f"{told} written to {place}" if place is not None else told)


def _wants_json(place: Path | None, as_json: bool) -> bool:
    return as_json or (place is not None and place.suffix.lower() == ".json")


def _arazzo(known: Exportable, flows: Flows, as_json: bool) -> str:
    document = arazzo_document(_some(flows), service=known.service, source=known.address, spec=known.spec)
    return document_text(document, as_json=as_json)


def _pytest(known: Exportable, flows: Flows, _: bool) -> str:
    return pytest_suite(_some(flows), service=known.service)


def _postman(known: Exportable, flows: Flows, _: bool) -> str:
    return postman_suite(_some(flows), service=known.service)


def _har(known: Exportable, flows: Flows, _: bool) -> str:
    if not any(flow.played for flow in flows):
        raise UsageError(
            "a HAR shows what was answered, and these flows were not played",
            hint="run lobrest replay first, then export its work folder",
        )
    return har_suite(flows, origin=known.origin, started=known.started, version=__version__)


def _ocel(known: Exportable, _: Flows, __: bool) -> str:
    if not known.entries:
        raise UsageError("an event log is made of logged requests", hint="lobrest export SPEC LOG… --as ocel")
    return json.dumps(ocel_log(known.entries), indent=1)


def _links(known: Exportable, _: Flows, as_json: bool) -> str:
    if known.spec is None or known.model is None:
        raise UsageError("links need the specification", hint="lobrest export SPEC [LOG…] --as links")
    return document_text(links_overlay(known.spec, known.model, source=known.address), as_json=as_json)


def _some(flows: Flows) -> Flows:
    if not flows:
        raise UsageError("there is no flow to write", hint="name logs, or a work folder with replayed flows")
    return flows


_FORMS: Final[Mapping[str, tuple[str, Callable[[Exportable, Flows, bool], str]]]] = {
    "arazzo": ("flows.arazzo.yaml", _arazzo),
    "pytest": ("test_flows.py", _pytest),
    "har": ("flows.har", _har),
    "postman": ("flows.postman_collection.json", _postman),
    "ocel": ("flows.ocel.json", _ocel),
    "links": ("links.overlay.yaml", _links),
}
"""For each format the name of its file, and what writes it."""
