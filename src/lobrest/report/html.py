"""``report.html``: one file that needs nothing else and allows nothing else to be loaded."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from lobrest.model.bug import Bug
from lobrest.model.exchange import Exchange, Headers
from lobrest.model.resource import Resource, ResourceModel, ResourceName
from lobrest.model.summary import BugResult, Summary
from lobrest.report import wording
from lobrest.report.charts import Series, day_drawing, line_chart
from lobrest.report.data import ReportData, Run, UserDay
from lobrest.report.derive import by_importance, found_by
from lobrest.report.flowmap import flow_drawing
from lobrest.report.scripts import variables_of
from lobrest.report.secrets import mask_headers, mask_target, mask_text

_MOST_BUGS = 300
_MOST_TRANSITIONS = 400
_BODY_LIMIT = 3000


def report_html(data: ReportData) -> str:
    """The whole report as one HTML document, about 3 MB at the very most."""
    templates = _templates()
    runs = (Run(data.label, data.summary), *data.others)
    style, script = _asset("report.css"), _asset("report.js")
    return templates.get_template("report.html.j2").render(
        data=data,
        summary=data.summary,
        verdict=verdict(data.summary),
        figures=_figures(data.summary),
        charts=_charts(data),
        runs=runs,
        found_by=found_by(runs) if data.others else (),
        modules=_modules(data),
        operations=_operations(data.summary),
        bugs=_bugs(data),
        bugs_left_out=max(0, len(data.summary.bugs) - _MOST_BUGS),
        tree=_tree(data.resources) if data.resources else (),
        drawing=flow_drawing(data.flows) if data.flows and data.flows.edges else None,
        transitions=data.flows.edges[:_MOST_TRANSITIONS] if data.flows else (),
        day=_day(data.day) if data.day else (),
        day_drawing=day_drawing(data.day) if data.day else None,
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script),
    )


def verdict(summary: Summary) -> str:
    """The outcome in a sentence."""
    service = wording.one_line(summary.service, 80)
    covered, total = summary.operations.covered, summary.operations.total
    reach = f"{wording.number(covered)} of {wording.count(total, 'operation')} answered with success"
    if not summary.bugs:
        return f"No bug was found in {service}; {reach}."
    confirmed = sum(bug.confirmed for bug in summary.bugs)
    deepest = max(bug.steps for bug in summary.bugs)
    found = f"{wording.count(len(summary.bugs), 'bug')} found in {service}"
    if confirmed == len(summary.bugs):
        seen = "confirmed by a second run" if confirmed == 1 else "all confirmed by a second run"
    else:
        seen = f"{wording.number(confirmed) if confirmed else 'none'} confirmed by a second run"
    which = "" if len(summary.bugs) == 1 else "the deepest "
    depth = f", {which}at the end of a flow of {deepest} steps" if deepest > 1 else ""
    return f"{found}, {seen}{depth}; {reach}."


@dataclass(frozen=True, slots=True)
class _Figure:
    name: str
    value: str
    of: str
    share: int | None
    note: str
    tone: str = ""


def _figures(summary: Summary) -> tuple[_Figure, ...]:
    operations, flows = summary.operations, summary.flows
    whole = _whole_modules(summary)
    touched = sum(module.covered > 0 for module in summary.modules)
    confirmed = sum(bug.confirmed for bug in summary.bugs)
    return (
        _Figure(
            "Bugs", wording.number(len(summary.bugs)), "", None, f"{wording.number(confirmed)} confirmed",
            "bad" if summary.bugs else "good",
        ),
        _Figure(
            "Operations covered", wording.number(operations.covered), wording.number(operations.total),
            wording.percent(operations.covered, operations.total),
            f"{wording.number(operations.attempted)} tried",
        ),
        _Figure(
            "Modules reached", wording.number(touched), wording.number(len(summary.modules)),
            wording.percent(touched, len(summary.modules)), f"{wording.number(whole)} covered whole",
        ),
        _Figure(
            "Logged flows replayed", wording.number(flows.replayed), wording.number(flows.total),
            wording.percent(flows.replayed, flows.total), "every step answered 2XX",
        ),
        _Figure(
            "Requests", wording.number(summary.requests), "", None,
            f"{wording.number(summary.requests_per_s)} a second for {wording.duration(summary.duration_s)}",
        ),
    )  # fmt: skip


def _whole_modules(summary: Summary) -> int:
    return sum(module.covered == module.total for module in summary.modules)


def _charts(data: ReportData) -> tuple[object, ...]:
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
        line_chart("Bugs found over time", series("bugs")),
    )


@dataclass(frozen=True, slots=True)
class _Cell:
    op: str
    state: str
    told: str


@dataclass(frozen=True, slots=True)
class _ModuleRow:
    name: str
    total: int
    cells: tuple[_Cell, ...]
    shares: tuple[tuple[int, int, int], ...]
    """For each run: covered, percent, and the step of the colour scale."""


def _modules(data: ReportData) -> tuple[_ModuleRow, ...]:
    cells: dict[str, list[_Cell]] = {}
    for result in data.summary.operations.list:
        told = ", ".join(f"{count} × {status}" for status, count in sorted(result.statuses.items()) if count)
        state = _state(result.statuses)
        cells.setdefault(result.module, []).append(_Cell(result.op, state, told or "not tried"))
    others = [{module.name: module for module in run.summary.modules} for run in data.others]
    rows = []
    for module in data.summary.modules:
        same = [module, *(other.get(module.name) for other in others)]
        shares = []
        for one in same:
            covered = one.covered if one else 0
            share = wording.percent(covered, one.total if one else module.total)
            shares.append((covered, share, (share + 9) // 10))
        rows.append(_ModuleRow(module.name, module.total, tuple(cells.get(module.name, ())), tuple(shares)))
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class _OperationRow:
    op: str
    module: str
    state: str
    statuses: tuple[tuple[str, str, int], ...]
    """Status, its class, how often."""


def _operations(summary: Summary) -> tuple[_OperationRow, ...]:
    return tuple(
        _OperationRow(
            result.op,
            result.module,
            _state(result.statuses),
            tuple(
                ("no answer" if status == "0" else status, wording.status_class(status), count)
                for status, count in sorted(result.statuses.items())
                if count
            ),
        )
        for result in summary.operations.list
    )


def _state(statuses: dict[str, int]) -> str:
    seen = {status[:1] for status, count in statuses.items() if count}
    if "5" in seen:
        return "failed" if "2" not in seen else "covered-failed"
    if "2" in seen:
        return "covered"
    return "refused" if seen else "untried"


@dataclass(frozen=True, slots=True)
class _StepView:
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
class _BugView:
    result: BugResult
    message: str
    status_class: str
    steps: tuple[_StepView, ...]
    count: int
    variables: tuple[str, ...]
    search: str


def _bugs(data: ReportData) -> tuple[_BugView, ...]:
    known = {bug.number: bug for bug in data.bugs}
    order = {bug.number: place for place, bug in enumerate(by_importance(data.bugs))}
    ranked = sorted(
        data.summary.bugs,
        key=lambda bug: (order.get(bug.n, len(order)), not bug.confirmed, -bug.steps, bug.n),
    )
    return tuple(_bug_view(result, known.get(result.n)) for result in ranked[:_MOST_BUGS])


def _bug_view(result: BugResult, bug: Bug | None) -> _BugView:
    actors = [exchange.request.actor for exchange in bug.exchanges] if bug else []
    return _BugView(
        result=result,
        message=wording.visible(result.message, 600),
        status_class=wording.status_class(result.status),
        steps=tuple(_step_view(exchange) for exchange in bug.exchanges) if bug else (),
        count=bug.count if bug else 1,
        variables=tuple(variables_of(actors).values()),
        search=wording.one_line(f"{result.op} {result.status} {result.message}", 400).lower(),
    )


def _step_view(exchange: Exchange) -> _StepView:
    request, response = exchange.request, exchange.response
    target = wording.visible(mask_target(request.target), 400)
    sent = _body(request.body or b"")
    method = wording.one_line(request.method, 20)
    if response is None:
        answer = f"no answer ({exchange.failure or 'unknown cause'})"
    else:
        answer = f"{response.status}\n{_header_lines(response.headers)}\n{_body(response.body)}"
    return _StepView(
        op=request.operation,
        method=method,
        target=target,
        actor=wording.one_line(request.actor, 60),
        status=exchange.status,
        status_class=wording.status_class(exchange.status),
        request=f"{method} {target}\n{_header_lines(request.headers)}\n{sent}".rstrip(),
        answer=answer.rstrip(),
        body=wording.one_line(mask_text(_text(request.body or b"")), 140),
    )


def _header_lines(headers: Headers) -> str:
    return "".join(
        f"{wording.one_line(name, 80)}: {wording.one_line(value, 200)}\n"
        for name, value in mask_headers(headers)[:30]
    )


def _body(body: bytes) -> str:
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
class _Branch:
    """A resource with everything below it."""

    resource: Resource
    users: tuple[str, ...]
    children: tuple[_Branch, ...]
    size: int


def _tree(model: ResourceModel) -> tuple[_Branch, ...]:
    users: dict[ResourceName, set[str]] = {}
    for dependency in model.dependencies.values():
        users.setdefault(dependency.resource, set()).add(dependency.parameter.operation)
    children: dict[ResourceName | None, list[Resource]] = {}
    for resource in model.resources.values():
        parent = resource.parent if resource.parent in model.resources else None
        children.setdefault(parent, []).append(resource)

    def branch(resource: Resource, above: frozenset[ResourceName]) -> _Branch:
        below = tuple(
            branch(child, above | {resource.name})
            for child in children.get(resource.name, ())
            if child.name not in above and child.name != resource.name
        )
        return _Branch(
            resource,
            tuple(sorted(users.get(resource.name, ()))),
            below,
            1 + sum(child.size for child in below),
        )

    return tuple(branch(resource, frozenset()) for resource in children.get(None, ()))


@dataclass(frozen=True, slots=True)
class _Chip:
    method: str
    label: str
    op: str
    told: str
    added: bool


@dataclass(frozen=True, slots=True)
class _DayRow:
    time: str
    length: str
    chips: tuple[_Chip, ...]
    strategies: str


def _day(day: UserDay) -> tuple[_DayRow, ...]:
    rows = []
    for piece in day.slices:
        times = [entry.at for entry in piece.entries if not entry.added]
        if not times:
            continue
        chips = []
        for entry in piece.entries[:40]:
            method, path = wording.split_operation(entry.op)
            told = entry.reason if entry.added else f"answered {entry.status}"
            chips.append(_Chip(method, wording.path_tail(path, 24), entry.op, told, entry.added))
        span = max(times) - min(times)
        rows.append(
            _DayRow(
                wording.clock(min(times)),
                f"{wording.count(len(times), 'request')} in {wording.duration(span)}"
                if span
                else wording.count(len(times), "request"),
                tuple(chips),
                " + ".join(piece.strategies),
            )
        )
    return tuple(rows)


def _asset(name: str) -> str:
    return files("lobrest.report").joinpath("templates", name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    return (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src '{_digest(style)}'; script-src '{_digest(script)}'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _seen(value: object) -> object:
    """The last gate of all that is written: no text gets past it with marks that cannot be seen."""
    return wording.visible(value, 10_000) if type(value) is str else value


@cache  # compiling the page takes longer than filling it
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("lobrest.report"),
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
    environment.globals["count"] = wording.count
    environment.globals["clock"] = wording.clock
    environment.globals["date"] = wording.day
    environment.globals["whole_modules"] = _whole_modules
    return environment
