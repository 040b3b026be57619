"""What pages show, worked out of values: the report and the dashboard draw the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Final

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from lobrest.model.bug import Bug
from lobrest.model.exchange import Exchange, Headers
from lobrest.model.resource import Resource, ResourceModel, ResourceName
from lobrest.model.summary import BugResult, Summary
from lobrest.report import wording
from lobrest.report.charts import Series, day_drawing, line_chart, upset_drawing
from lobrest.report.comparison import contrasts, found_by, group_rows, groups_of
from lobrest.report.data import ReportData, Run, UserDay
from lobrest.report.derive import by_importance
from lobrest.report.flowmap import flow_drawing
from lobrest.report.scripts import variables_of
from lobrest.report.secrets import mask_headers, mask_target, mask_text

KIND_WORDS: Final[Mapping[str, str]] = {
    "first": "first time",
    "again": "once more",
    "reach": "to reach an operation",
    "mutate": "mutated flow",
    "probe": "broken on purpose",
    "walk": "on from a flow",
    "bug": "bug, once more",
    "log": "flow of the log",
    "augmented": "from the specification",
}
"""Why something is played or kept, in words."""

_MOST_BUGS = 300
_MOST_TRANSITIONS = 400
_BODY_LIMIT = 3000


def sections(data: ReportData) -> dict[str, object]:
    """Everything that the templates of the sections draw, by name."""
    groups = groups_of((Run(data.label, data.summary), *data.others))
    shared = found_by(groups) if data.others else ()
    return {
        "data": data,
        "summary": data.summary,
        "figures": figures(data.summary),
        "charts": charts(data),
        "groups": group_rows(groups),
        "contrasts": contrasts(groups),
        "shared": [([groups[place].label for place in places], count) for places, count in shared],
        "upset": upset_drawing([group.label for group in groups], shared) if shared else None,
        "modules": module_rows(data),
        "operations": operation_rows(data.summary),
        "bugs": bug_views(data),
        "bugs_left_out": max(0, len(data.summary.bugs) - _MOST_BUGS),
        "tree": tree(data.resources) if data.resources else (),
        "drawing": flow_drawing(data.flows) if data.flows and data.flows.edges else None,
        "transitions": data.flows.edges[:_MOST_TRANSITIONS] if data.flows else (),
        "day": day_rows(data.day) if data.day else (),
        "day_drawing": day_drawing(data.day) if data.day else None,
    }


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that matters, with what it is a part of."""

    name: str
    value: str
    of: str
    share: int | None
    note: str
    tone: str = ""


def figures(summary: Summary) -> tuple[Figure, ...]:
    """The numbers on top."""
    operations, flows = summary.operations, summary.flows
    whole = whole_modules(summary)
    touched = sum(module.covered > 0 for module in summary.modules)
    bugs = [bug for bug in summary.bugs if bug.severity != "info"]
    told = f"{wording.number(sum(bug.confirmed for bug in bugs))} confirmed"
    if len(bugs) < len(summary.bugs):
        told += f", {wording.number(len(summary.bugs) - len(bugs))} to note"
    return (
        Figure(
            "Bugs", wording.number(len(bugs)), "", None, told, "bad" if bugs else "good",
        ),
        Figure(
            "Operations covered", wording.number(operations.covered), wording.number(operations.total),
            wording.percent(operations.covered, operations.total),
            f"{wording.number(operations.attempted)} tried",
        ),
        Figure(
            "Modules reached", wording.number(touched), wording.number(len(summary.modules)),
            wording.percent(touched, len(summary.modules)), f"{wording.number(whole)} covered whole",
        ),
        Figure(
            "Logged flows replayed", wording.number(flows.replayed), wording.number(flows.total),
            wording.percent(flows.replayed, flows.total), "every step answered 2XX",
        ),
        Figure(
            "Requests", wording.number(summary.requests), "", None,
            f"{wording.number(summary.requests_per_s)} a second for {wording.duration(summary.duration_s)}",
        ),
    )  # fmt: skip


def whole_modules(summary: Summary) -> int:
    """Modules of which every operation is covered."""
    return sum(module.covered == module.total for module in summary.modules)


def charts(data: ReportData) -> tuple[object, ...]:
    """Coverage and bugs over time."""
    runs = (Run(data.label, data.summary), *data.others)

    def series(pick: str) -> list[tuple[str, Series]]:
        return [
            (
                run.label,
                [(0.0, 0.0), *((point.t_s, float(getattr(point, pick))) for point in run.summary.timeline)],
            )
            for run in runs
        ]

    if not any(run.summary.timeline for run in runs):
        return ()
    return (
        line_chart(
            "Operations covered over time", series("covered"), limit=float(data.summary.operations.total)
        ),
        line_chart("5XX and outages over time", series("bugs")),
    )


@dataclass(frozen=True, slots=True)
class Cell:
    """An operation as a square."""

    op: str
    state: str
    told: str


@dataclass(frozen=True, slots=True)
class ModuleRow:
    """A module as a row of squares."""

    name: str
    total: int
    cells: tuple[Cell, ...]
    shares: tuple[tuple[str, int, int], ...]
    """For each group of runs: covered, percent, and the step of the colour scale."""


def module_rows(data: ReportData) -> tuple[ModuleRow, ...]:
    """Every module with its operations, and how much of it each group of runs covers."""
    cells: dict[str, list[Cell]] = {}
    for result in data.summary.operations.list:
        told = ", ".join(f"{count} × {status}" for status, count in sorted(result.statuses.items()) if count)
        state = state_of(result.statuses)
        cells.setdefault(result.module, []).append(Cell(result.op, state, told or "not tried"))
    groups = groups_of((Run(data.label, data.summary), *data.others))
    known = [
        [{module.name: module.covered for module in summary.modules} for summary in group.summaries]
        for group in groups
    ]
    rows = []
    for module in data.summary.modules:
        shares = []
        for covered_of in known:
            covered = median(covered.get(module.name, 0) for covered in covered_of)
            share = wording.percent(covered, module.total)
            shares.append((wording.number(covered), share, (share + 9) // 10))
        rows.append(ModuleRow(module.name, module.total, tuple(cells.get(module.name, ())), tuple(shares)))
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class OperationRow:
    """An operation with its answers."""

    op: str
    module: str
    state: str
    statuses: tuple[tuple[str, str, int], ...]
    """Status, its class, how often."""


def operation_rows(summary: Summary) -> tuple[OperationRow, ...]:
    """Every operation with its answers."""
    return tuple(
        OperationRow(
            result.op,
            result.module,
            state_of(result.statuses),
            tuple(
                ("no answer" if status == "0" else status, wording.status_class(status), count)
                for status, count in sorted(result.statuses.items())
                if count
            ),
        )
        for result in summary.operations.list
    )


def state_of(statuses: dict[str, int]) -> str:
    """What came of an operation, in a word that the style sheet knows."""
    seen = {status[:1] for status, count in statuses.items() if count}
    if "5" in seen:
        return "failed" if "2" not in seen else "covered-failed"
    if "2" in seen:
        return "covered"
    return "refused" if seen else "untried"


@dataclass(frozen=True, slots=True)
class StepView:
    """A request and its answer as text, secrets hidden."""

    op: str
    method: str
    target: str
    actor: str
    status: int
    status_class: str
    request: str
    answer: str
    body: str


@dataclass(frozen=True, slots=True)
class BugView:
    """A bug with everything that is shown of it."""

    result: BugResult
    message: str
    status_class: str
    steps: tuple[StepView, ...]
    count: int
    variables: tuple[str, ...]
    search: str
    kind: str = ""
    """What is wrong, in words; empty for a 5XX, which the status says."""
    evidence: str = ""
    state: str = ""
    """New or known, where the run was compared with an earlier one."""


def bug_views(data: ReportData) -> tuple[BugView, ...]:
    """The bugs, most important first."""
    known = {bug.number: bug for bug in data.bugs}
    order = {bug.number: place for place, bug in enumerate(by_importance(data.bugs))}
    ranked = sorted(
        data.summary.bugs,
        key=lambda bug: (order.get(bug.n, len(order)), not bug.confirmed, -bug.steps, bug.n),
    )
    states = baseline_states(data.summary)
    return tuple(
        bug_view(result, known.get(result.n), states.get(result.n, "")) for result in ranked[:_MOST_BUGS]
    )


def baseline_states(summary: Summary) -> dict[int, str]:
    """Which bugs are new and which were known, where the run was compared with an earlier one."""
    compared = summary.extra.get("baseline")
    if not isinstance(compared, dict):
        return {}
    return {
        number: state
        for state in ("new", "known")
        for number in compared.get(state, ())
        if isinstance(number, int)
    }


def bug_view(result: BugResult, bug: Bug | None, state: str = "") -> BugView:
    """One bug; its steps where they are known."""
    actors = [exchange.request.actor for exchange in bug.exchanges] if bug else []
    return BugView(
        result=result,
        message=wording.visible(result.message, 600),
        status_class=wording.status_class(result.status),
        steps=tuple(step_view(exchange) for exchange in bug.exchanges) if bug else (),
        count=bug.count if bug else 1,
        variables=tuple(variables_of(actors).values()),
        search=wording.one_line(f"{result.op} {result.status} {result.kind} {result.message}", 400).lower(),
        kind="" if result.kind == "server-error" else wording.one_line(result.kind.replace("-", " "), 40),
        evidence=wording.visible(bug.evidence, 600) if bug else "",
        state=state,
    )


def step_view(exchange: Exchange) -> StepView:
    """One exchange."""
    request, response = exchange.request, exchange.response
    target = wording.visible(mask_target(request.target), 400)
    sent = body_text(request.body or b"")
    method = wording.one_line(request.method, 20)
    if response is None:
        answer = f"no answer ({exchange.failure or 'unknown cause'})"
    else:
        answer = f"{response.status}\n{header_lines(response.headers)}\n{body_text(response.body)}"
    return StepView(
        op=request.operation,
        method=method,
        target=target,
        actor=wording.one_line(request.actor, 60),
        status=exchange.status,
        status_class=wording.status_class(exchange.status),
        request=f"{method} {target}\n{header_lines(request.headers)}\n{sent}".rstrip(),
        answer=answer.rstrip(),
        body=wording.one_line(mask_text(_text(request.body or b"")), 140),
    )


def header_lines(headers: Headers) -> str:
    """Headers as lines."""
    return "".join(
        f"{wording.one_line(name, 80)}: {wording.one_line(value, 200)}\n"
        for name, value in mask_headers(headers)[:30]
    )


def body_text(body: bytes) -> str:
    """A body as readable text of bounded length."""
    text = mask_text(_text(body))
    if len(text) <= _BODY_LIMIT:
        try:
            text = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
        except (ValueError, RecursionError):
            return wording.visible(text, _BODY_LIMIT)
    return wording.visible(text, _BODY_LIMIT)


def _text(body: bytes) -> str:
    # Enough to be cut again: a megabyte need not be decoded to show its beginning.
    return body[: 16 * _BODY_LIMIT].decode("utf-8", "backslashreplace")


@dataclass(frozen=True, slots=True)
class Branch:
    """A resource with everything below it."""

    resource: Resource
    users: tuple[str, ...]
    children: tuple[Branch, ...]
    size: int


def tree(model: ResourceModel) -> tuple[Branch, ...]:
    """The resources, each below its parent."""
    users: dict[ResourceName, set[str]] = {}
    for dependency in model.dependencies.values():
        users.setdefault(dependency.resource, set()).add(dependency.parameter.operation)
    children: dict[ResourceName | None, list[Resource]] = {}
    for resource in model.resources.values():
        parent = resource.parent if resource.parent in model.resources else None
        children.setdefault(parent, []).append(resource)

    def branch(resource: Resource, above: frozenset[ResourceName]) -> Branch:
        below = tuple(
            branch(child, above | {resource.name})
            for child in children.get(resource.name, ())
            if child.name not in above and child.name != resource.name
        )
        return Branch(
            resource,
            tuple(sorted(users.get(resource.name, ()))),
            below,
            1 + sum(child.size for child in below),
        )

    return tuple(branch(resource, frozenset()) for resource in children.get(None, ()))


@dataclass(frozen=True, slots=True)
class Chip:
    """A step of a flow in a few letters."""

    method: str
    label: str
    op: str
    told: str
    added: bool


@dataclass(frozen=True, slots=True)
class DayRow:
    """A flow of a day."""

    time: str
    length: str
    chips: tuple[Chip, ...]
    strategies: str


def day_rows(day: UserDay) -> tuple[DayRow, ...]:
    """The flows of a day."""
    rows = []
    for piece in day.slices:
        times = [entry.at for entry in piece.entries if not entry.added]
        if not times:
            continue
        chips = []
        for entry in piece.entries[:40]:
            method, path = wording.split_operation(entry.op)
            told = entry.reason if entry.added else f"answered {entry.status}"
            chips.append(Chip(method, wording.path_tail(path, 24), entry.op, told, entry.added))
        span = max(times) - min(times)
        rows.append(
            DayRow(
                wording.clock(min(times)),
                f"{wording.count(len(times), 'request')} in {wording.duration(span)}"
                if span
                else wording.count(len(times), "request"),
                tuple(chips),
                " + ".join(piece.strategies),
            )
        )
    return tuple(rows)


def _seen(value: object) -> object:
    """The last gate of all that is written: no text gets past it with marks that cannot be seen."""
    return wording.visible(value, 10_000) if type(value) is str else value


@cache  # compiling a page takes longer than filling it
def templates(*packages: str) -> Environment:
    """The templates of some packages, the first that has one wins; everything written is escaped text."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=_seen,
    )
    environment.filters["visible"] = wording.visible
    environment.filters["one_line"] = wording.one_line
    environment.filters["number"] = wording.number
    environment.filters["duration"] = wording.duration
    environment.filters["tail"] = wording.path_tail
    environment.globals["percent"] = wording.percent
    environment.globals["status_class"] = wording.status_class
    environment.globals["count"] = wording.count
    environment.globals["clock"] = wording.clock
    environment.globals["date"] = wording.day
    environment.globals["whole_modules"] = whole_modules
    return environment
