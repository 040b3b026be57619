"""``lobrest analyze``: stage 1."""

from __future__ import annotations

import json
import os
from enum import StrEnum
from typing import Annotated

import typer
from rich.markup import escape
from rich.tree import Tree

from lobrest.app.documents import read_spec
from lobrest.app.language import language_model, spent
from lobrest.app.pipeline import read_logs
from lobrest.cli.options import (
    AsJson,
    Config,
    Format,
    NoColor,
    OutFile,
    Quiet,
    SpecArgument,
    talk_and_settings,
    write_lines,
)
from lobrest.cli.run import inputs, reading_of
from lobrest.cli.talk import Talk
from lobrest.model.operation import ApiSpec
from lobrest.model.resource import (
    Creation,
    Decider,
    Dependency,
    Resource,
    ResourceModel,
    ResourceName,
    Retrieval,
)
from lobrest.resources import analyse
from lobrest.resources.document import to_json
from lobrest.spec.router import Router


class Analyzer(StrEnum):
    """Who decides."""

    RULES = "rules"
    LLM = "llm"
    HYBRID = "hybrid"


Logs = Annotated[
    list[str] | None,
    typer.Option(
        "--logs", metavar="LOG", help="Logs with answers: values that flow are evidence.", show_default=False
    ),
]
MoreLogs = Annotated[list[str] | None, typer.Argument(metavar="[LOG…]", hidden=True, show_default=False)]
Why = Annotated[
    str | None,
    typer.Option(
        "--why",
        metavar="NAME",
        help="Why: decisions about parameters, operations or resources of that name.",
        show_default=False,
    ),
]
AnalyzerOption = Annotated[
    Analyzer, typer.Option("--analyzer", help="Rules need no network; hybrid asks where they doubt.")
]


def analyze(
    spec: SpecArgument = None,
    more: MoreLogs = None,
    logs: Logs = None,
    analyzer: AnalyzerOption = Analyzer.RULES,
    why: Why = None,
    log_format: Format = None,
    out: OutFile = None,
    config: Config = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    no_color: NoColor = False,
) -> None:
    """Find the resources of a service: what creates, lists and needs them."""
    talk, settings = talk_and_settings(config, as_json=as_json, quiet=quiet, no_color=no_color)
    source, _ = inputs(spec, None, settings)
    document = read_spec(source, follow=settings.switch("follow_references"))
    _tell_warnings(document, talk)
    reading = reading_of(settings, log_format, None, None, None, None)
    asked = settings.table("model")
    model = language_model(asked, os.environ) if analyzer is not Analyzer.RULES else None
    result = analyse(document, overrides=reading.overrides, model=model, mode=analyzer, watch=talk.say)
    named = [*(logs or ()), *(more or ())]
    if named:
        table = read_logs(document, result, Router(document), named, reading, talk.say)
        flows = table.value_flows
        talk.say(f"{len(flows)} kinds of values flow from answers to later requests")
        result = analyse(document, overrides=reading.overrides, flows=flows, model=model, mode=analyzer)
    if model is not None:
        talk.say(spent(model, asked))
    if out is not None or as_json:
        write_lines([json.dumps(to_json(result), indent=1, ensure_ascii=False)], out)
    if why is not None:
        _explain(result, why, talk)
    elif not as_json:
        _show(result, talk)


def _tell_warnings(spec: ApiSpec, talk: Talk) -> None:
    shown = 5
    for warning in spec.warnings[:shown]:
        talk.say(f"warning: {warning.place}: {warning.message}")
    if len(spec.warnings) > shown:
        talk.say(f"warning: {len(spec.warnings) - shown} more defects of the specification")


def _show(model: ResourceModel, talk: Talk) -> None:
    """The tree of resources on the terminal."""
    children: dict[ResourceName | None, list[Resource]] = {}
    for resource in model.resources.values():
        children.setdefault(resource.parent, []).append(resource)
    root = Tree(escape(model.service or "resources"))

    def grow(branch: Tree, parent: ResourceName | None) -> None:
        for resource in children.get(parent, ()):
            made = f"{len(resource.creators)} create" if resource.creators else "none creates"
            listed = f"{len(resource.listers)} list" if resource.listers else "none lists"
            acts = ", acts" if resource.name in model.acting_users else ""
            grow(branch.add(f"{escape(resource.name)}  [dim]{made}, {listed}{acts}[/dim]"), resource.name)

    grow(root, None)
    if not talk.quiet:
        talk.results.print(root)
    counts = ", ".join(f"{count} by {who}" for who, count in _deciders(model).items())
    doubtful = sum(one.confidence < 0.7 for one in model.dependencies.values())
    talk.say(
        f"{len(model.resources)} resources, {len(model.creations)} creators, "
        f"{len(model.retrievals)} listers, {len(model.dependencies)} dependencies "
        f"({doubtful} doubtful); decided: {counts}"
    )


def _deciders(model: ResourceModel) -> dict[str, int]:
    counts: dict[str, int] = {}
    deciders: list[Decider] = [
        *(one.decided_by for one in model.creations.values()),
        *(one.decided_by for one in model.retrievals.values()),
        *(one.decided_by for one in model.dependencies.values()),
    ]
    for decider in deciders:
        counts[decider.value] = counts.get(decider.value, 0) + 1
    return counts


def _explain(model: ResourceModel, name: str, talk: Talk) -> None:
    """Every decision that the name is about, with its reason."""
    found = 0
    for creation in model.creations.values():
        if name in (creation.operation, creation.resource):
            found += 1
            by = ", ".join(f"{ref.location} {ref.pointer}" for ref in creation.identified_by)
            extra = f"; named by {by}" if by else ""
            _line(talk, creation.operation, "creates", creation.resource, creation, extra)
    for retrieval in model.retrievals.values():
        if name in (retrieval.operation, retrieval.resource):
            found += 1
            _line(talk, retrieval.operation, "lists", retrieval.resource, retrieval, "")
    for dependency in model.dependencies.values():
        ref = dependency.parameter
        if name in (ref.operation, ref.pointer, ref.pointer.rpartition("/")[2]):
            found += 1
            label = f"{ref.operation} {ref.location} {ref.pointer}"
            sources = ", ".join(f"{one.source} {one.pointer or '(itself)'}" for one in dependency.bindings)
            _line(talk, label, "refers to", dependency.resource, dependency, f"; from {sources}")
    if not found:
        talk.results.print(f"nothing was decided about {name}", markup=False)


def _line(
    talk: Talk, what: str, does: str, resource: str, decision: Creation | Retrieval | Dependency, extra: str
) -> None:
    why = f"{decision.decided_by}, {decision.confidence:.2f}: {decision.reason}{extra}"
    text = f"{what} {does} {resource}\n    {why}"
    talk.results.print(text, markup=False, highlight=False, soft_wrap=True)
