"""The pages of a campaign. Each takes what the address says and gives a whole page; none keeps anything."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from lobrest.fuzz.judge import message
from lobrest.model.bug import Bug
from lobrest.model.operation import OperationId
from lobrest.model.seed import Origin, Seed, SeedId
from lobrest.report import wording
from lobrest.report.charts import day_drawing, upset_drawing
from lobrest.report.comparison import contrasts, found_by, group_rows, groups_of
from lobrest.report.data import FlowMap, Run
from lobrest.report.derive import by_importance
from lobrest.report.flowmap import FlowDrawing, flow_drawing
from lobrest.report.har import har
from lobrest.report.html import verdict
from lobrest.report.postman import postman_collection
from lobrest.report.reproduce import reproducer_of
from lobrest.report.scripts import curl_script, pytest_file, python_script
from lobrest.report.secrets import mask_target
from lobrest.report.views import (
    baseline_states,
    bug_view,
    charts,
    day_rows,
    figures,
    module_rows,
    operation_rows,
    state_of,
    step_view,
    tree,
)
from lobrest.store.browse import RequestFilter, RequestLine, StatusSum
from lobrest.web.picture import bug_result
from lobrest.web.site import MissingError, Site
from lobrest.web.watched import Watched

Query = Mapping[str, str]

_PAGE: Final = 50
_MOST_STEPS: Final = 200
_MOST_UNREACHED: Final = 40

FORMS: Final[Mapping[str, tuple[str, Callable[[Bug], str]]]] = {
    "curl": ("repro.sh", lambda bug: curl_script(reproducer_of(bug))),
    "python": ("repro.py", lambda bug: python_script(reproducer_of(bug))),
    "pytest": ("test_bug.py", lambda bug: pytest_file(reproducer_of(bug))),
    "postman": ("postman.json", lambda bug: postman_collection(reproducer_of(bug))),
    "har": ("exchange.har", lambda bug: har(bug.exchanges)),
}
"""Forms in which a bug can be taken along: the name of the file, and how it is made."""


@functools.lru_cache(maxsize=16)  # laying out the map takes longer than everything else on a page
def _drawn(flows: FlowMap) -> FlowDrawing:
    return flow_drawing(flows)


def home(site: Site) -> str:
    """All campaigns."""
    cards = [(watched, watched.pulse(), watched.stored()) for watched in site.campaigns]
    return site.page("home.html.j2", cards=cards, title="Campaigns")


def overview(site: Site, watched: Watched, _: Query) -> str:
    """The verdict, the figures, the curves, the modules and the worst bugs."""
    data = replace(watched.picture(), others=())
    ranked = by_importance(data.bugs)
    return site.page(
        "overview.html.j2",
        watched,
        data=data,
        summary=data.summary,
        verdict=verdict(data.summary),
        figures=figures(data.summary),
        charts=charts(data),
        groups=group_rows(groups_of([Run(data.label, data.summary)])),
        contrasts=(),
        shared=(),
        upset=None,
        modules=module_rows(data),
        bugs=[bug_view(bug_result(bug), bug) for bug in ranked[:5]],
        outages=watched.browser.outages()[-6:],
        failures=watched.browser.failures(),
        endings=watched.browser.endings(),
        title="Overview",
    )


def compare(site: Site) -> str:
    """The campaigns beside each other."""
    runs = [Run(watched.label, watched.picture().summary) for watched in site.campaigns]
    groups = groups_of(runs)
    shared = found_by(groups)
    first = replace(site.campaigns[0].picture(), label=runs[0].label, others=tuple(runs[1:]))
    return site.page(
        "compare.html.j2",
        data=first,
        summary=first.summary,
        charts=charts(first),
        groups=group_rows(groups),
        contrasts=contrasts(groups),
        shared=[([groups[place].label for place in places], count) for places, count in shared],
        upset=upset_drawing([group.label for group in groups], shared) if shared else None,
        modules=module_rows(first),
        title="Compared",
    )


def bugs(site: Site, watched: Watched, query: Query) -> str:
    """The bugs, most important first, by pages."""
    data = watched.picture()
    words = query.get("q", "")[:200].lower().split()
    severity, sure = query.get("severity", ""), query.get("sure", "") == "yes"
    states = baseline_states(data.summary)
    found = [
        bug
        for bug in by_importance(data.bugs)
        if (not severity or bug.severity.value == severity)
        and (not sure or bug.confirmed)
        and all(
            word in f"{bug.key.operation} {bug.key.status} {bug.kind} {bug.message[:2000]}".lower()
            for word in words
        )
    ]
    start = _number(query.get("from"), 0)
    shown = found[start : start + _PAGE]
    return site.page(
        "bugs.html.j2",
        watched,
        bugs=[bug_view(bug_result(bug), bug, states.get(bug.number, "")) for bug in shown],
        found=len(found),
        total=len(data.bugs),
        start=start,
        step=_PAGE,
        query=query,
        here="bugs",
        title="Bugs",
    )


def bug(site: Site, watched: Watched, query: Query) -> str:
    """One bug: the shortest way to it, its request and answer, and how to run it."""
    found = _bug(watched, query)
    data = watched.stored()
    view = bug_view(bug_result(found), found, baseline_states(data.summary).get(found.number, ""))
    return site.page(
        "bug.html.j2",
        watched,
        bug=view,
        found=found,
        data=data,
        forms=FORMS,
        seed_kept=watched.browser.seed(found.seed) is not None,
        here="bugs",
        title=f"Bug {found.number}",
    )


def bug_file(watched: Watched, query: Query) -> tuple[str, str]:
    """A bug in another form: name and text of the file."""
    found = _bug(watched, query)
    form = FORMS.get(query.get("form", ""))
    if form is None:
        raise MissingError("There is no such form of a bug.")
    name, make = form
    return f"bug-{found.number}-{name}", make(found)


def requests(site: Site, watched: Watched, query: Query) -> str:
    """The requests that fit, newest first."""
    wanted = RequestFilter(
        operation=query.get("op", "").strip()[:2000],
        status=query.get("status", "").strip()[:10],
        kind=query.get("kind", "")[:40],
        actor=query.get("user", "")[:200],
        text=query.get("q", "").strip()[:400],
    )
    before = _number(query.get("before"), 0) or None
    browser = watched.browser
    page = browser.requests(wanted, before=before, limit=_PAGE)
    data = watched.stored()
    statuses = sorted({one.status for one in browser.statuses()})
    return site.page(
        "requests.html.j2",
        watched,
        lines=_shown(page.lines),
        page=page,
        wanted=wanted,
        before=before,
        total=browser.total(wanted),
        operations=[row.op for row in data.summary.operations.list],
        statuses=statuses,
        all_kinds=browser.kinds(),
        actors=data.summary.extra.get("actors", ()),
        query=query,
        here="requests",
        title="Requests",
    )


def request(site: Site, watched: Watched, query: Query) -> str:
    """One request with its answer, and the play it was part of."""
    number = _number(query.get("number"), -1)
    stored = watched.browser.exchange(number)
    if stored is None:
        raise MissingError("There is no such request, or it was not kept.")
    play = watched.browser.play(stored.execution)
    return site.page(
        "request.html.j2",
        watched,
        stored=stored,
        step=step_view(stored.exchange),
        response=stored.exchange.response,
        play=play,
        lines=_shown(watched.browser.lines_of_play(play)) if play is not None else (),
        seed_kept=watched.browser.seed(stored.seed) is not None,
        newest=watched.browser.newest(),
        here="requests",
        title=f"Request {number}",
    )


@dataclass(frozen=True, slots=True)
class _OperationLine:
    op: str
    module: str
    state: str
    statuses: tuple[tuple[str, str, int], ...]
    requests: int
    mean: float
    covered_at: float | None


def operations(site: Site, watched: Watched, _: Query) -> str:
    """Every operation with its answers, how long they took, and since when it is covered."""
    data = watched.picture()
    sums = _by_operation(watched.browser.statuses())
    covered = watched.browser.covered()
    rows = []
    for row in operation_rows(data.summary):
        own = sums.get(row.op, ())
        answered = sum(one.total for one in own if one.status)
        rows.append(
            _OperationLine(
                row.op,
                row.module,
                row.state,
                row.statuses,
                sum(one.total for one in own),
                sum(one.seconds for one in own) / answered if answered else 0.0,
                covered.get(OperationId(row.op)),
            )
        )
    return site.page("operations.html.j2", watched, rows=rows, here="operations", title="Operations")


def operation(site: Site, watched: Watched, query: Query) -> str:
    """One operation: answers, bugs, resources, neighbours in the flows, latest requests."""
    op = query.get("op", "")[:2000]
    data = watched.picture()
    browser = watched.browser
    row = next((row for row in data.summary.operations.list if row.op == op), None)
    own = _by_operation(browser.statuses()).get(op, ())
    if row is None and not own:
        raise MissingError("There is no such operation.")
    edges = data.flows.edges if data.flows is not None else ()
    unreached = next((each for each in data.unreached or () if each.op == op), None)
    resources = data.resources
    answered = sum(one.total for one in own if one.status)
    return site.page(
        "operation.html.j2",
        watched,
        op_name=op,
        module=row.module if row is not None else "",
        state=state_of({str(one.status): one.total for one in own}),
        own=sorted(own, key=lambda one: one.status),
        mean=sum(one.seconds for one in own) / answered if answered else 0.0,
        covered_at=browser.covered().get(OperationId(op)),
        bugs=[bug_view(bug_result(one), one) for one in by_importance(data.bugs) if one.key.operation == op][
            :20
        ],
        before=[edge for edge in edges if edge.after == op and edge.before != op][:8],
        after=[edge for edge in edges if edge.before == op and edge.after != op][:8],
        dependencies=resources.of_operation(OperationId(op)) if resources is not None else (),
        creates=resources.creations.get(OperationId(op)) if resources is not None else None,
        unreached=unreached,
        messages=_messages(watched, op) if unreached is not None else (),
        lines=_shown(browser.requests(RequestFilter(operation=op), limit=10).lines),
        here="operations",
        title=op or "Operation",
    )


def flows(site: Site, watched: Watched, _: Query) -> str:
    """The map of flows, one user's day, and the flows that were played."""
    data = watched.picture()
    page = watched.browser.seeds(why="log", limit=20)
    replayed = watched.browser.replayed_flows()
    return site.page(
        "flows.html.j2",
        watched,
        data=data,
        drawing=_drawn(data.flows) if data.flows is not None and data.flows.edges else None,
        transitions=data.flows.edges[:400] if data.flows is not None else (),
        day=day_rows(data.day) if data.day is not None else (),
        day_drawing=day_drawing(data.day) if data.day is not None else None,
        summary=data.summary,
        flows=[(one, one.seed.id in replayed) for _, one in page.seeds],
        flow_count=watched.browser.seed_count(why="log"),
        here="flows",
        title="Business flows",
    )


def seeds(site: Site, watched: Watched, query: Query) -> str:
    """Seeds in the order they were added."""
    why = query.get("why", "")[:60]
    page = watched.browser.seeds(why=why, after=_number(query.get("after"), 0), limit=_PAGE)
    replayed = watched.browser.replayed_flows()
    return site.page(
        "seeds.html.j2",
        watched,
        page=page,
        why=why,
        total=watched.browser.seed_count(why=why),
        replayed=replayed,
        here="seeds",
        title="Seeds",
    )


@dataclass(frozen=True, slots=True)
class _SeedStep:
    position: int
    op: str
    user: str
    origin: str
    reason: str
    marks: tuple[str, ...]
    takes: tuple[tuple[str, int, str], ...]
    """Parameter, the step its value comes from, and what it names."""


def seed(site: Site, watched: Watched, query: Query) -> str:
    """One seed: its steps, what flows where, where it comes from, and its plays."""
    name = SeedId(query.get("name", ""))
    stored = watched.browser.seed(name)
    plays = watched.browser.plays_of_seed(name)
    if stored is None and not plays:
        raise MissingError("There is no such seed, or it was not kept.")
    return site.page(
        "seed.html.j2",
        watched,
        name=name,
        stored=stored,
        steps=_seed_steps(stored.seed) if stored is not None else (),
        left_out=max(0, len(stored.seed.steps) - _MOST_STEPS) if stored is not None else 0,
        lineage=watched.browser.lineage(name)[1:],
        plays=plays,
        replayed=name in watched.browser.replayed_flows(),
        here="seeds",
        title=f"Seed {name[:12]}",
    )


def resources(site: Site, watched: Watched, _: Query) -> str:
    """The tree of resources."""
    data = watched.stored()
    drawn = tree(data.resources) if data.resources is not None else ()
    return site.page("resources.html.j2", watched, data=data, tree=drawn, here="resources", title="Resources")


def unreached(site: Site, watched: Watched, query: Query) -> str:
    """Operations that were never answered with success, and why."""
    data = watched.picture()
    all_of_them = data.unreached or ()
    start = _number(query.get("from"), 0)
    shown = [
        each if each.messages else replace(each, messages=_messages(watched, each.op))
        for each in all_of_them[start : start + _MOST_UNREACHED]
    ]
    return site.page(
        "unreached.html.j2",
        watched,
        data=replace(data, unreached=tuple(shown)),
        total=len(all_of_them),
        start=start,
        step=_MOST_UNREACHED,
        here="unreached",
        title="Not reached",
    )


def logs(site: Site, watched: Watched, _: Query) -> str:
    """What was read from the logs, and what was dropped."""
    return site.page("logs.html.j2", watched, data=watched.stored(), here="logs", title="Logs")


def time(site: Site, watched: Watched, _: Query) -> str:
    """Where the time went: stages, and the operations that took most of it."""
    data = watched.picture()
    rows = []
    for op, own in _by_operation(watched.browser.statuses()).items():
        answered = sum(one.total for one in own if one.status)
        seconds = sum(one.seconds for one in own)
        if answered:
            rows.append((op, answered, seconds, seconds / answered))
    rows.sort(key=lambda row: -row[2])
    whole = sum(row[2] for row in rows)
    return site.page(
        "time.html.j2",
        watched,
        data=data,
        rows=rows[:40],
        whole=whole,
        here="time",
        title="Where the time went",
    )


def search(site: Site, watched: Watched, query: Query) -> str:
    """Everything that a few words fit."""
    text = query.get("q", "").strip()[:200]
    words = text.lower().split()
    data, browser = watched.picture(), watched.browser

    def fits(shown: str) -> bool:
        return all(word in shown.lower() for word in words)

    number = int(text.lstrip("#")) if text.lstrip("#").isdecimal() and len(text) < 12 else None
    resources_found: Iterable[str] = data.resources.resources if data.resources is not None else ()
    page = browser.requests(RequestFilter(text=text), limit=15) if words else None
    return site.page(
        "search.html.j2",
        watched,
        text=text,
        request=browser.exchange(number) if number is not None else None,
        bug=browser.bug(number) if number is not None else None,
        operations=[
            row.op for row in data.summary.operations.list if words and fits(f"{row.op} {row.module}")
        ][:25],
        bugs=[
            bug_view(bug_result(one), one)
            for one in by_importance(data.bugs)
            if words and fits(_words_of(one))
        ][:15],
        seeds=browser.seeds_named(text) if len(text) >= 4 else (),
        resources=[name for name in resources_found if words and fits(name)][:15],
        lines=_shown(page.lines) if page is not None else (),
        page=page,
        here="search",
        title="Search",
    )


def _bug(watched: Watched, query: Query) -> Bug:
    found = watched.browser.bug(_number(query.get("number"), -1))
    if found is None:
        raise MissingError("There is no such bug.")
    return found


def _words_of(bug: Bug) -> str:
    """What a bug is searched by."""
    return f"{bug.key.operation} {bug.key.status} {bug.kind} {bug.message[:2000]}".lower()


def _shown(lines: Sequence[RequestLine]) -> tuple[RequestLine, ...]:
    """Lines without secrets in their addresses."""
    return tuple(replace(line, target=mask_target(line.target)) for line in lines)


def _messages(watched: Watched, op: str) -> tuple[tuple[str, int], ...]:
    """What the service said lately, where the campaign has not counted it itself."""
    said: dict[str, int] = {}
    for stored in watched.browser.refused(op):
        if stored.exchange.response is not None:
            words, status = message(stored.exchange.response), str(stored.exchange.status)
            text = words if words.startswith(status) else f"{status} {words}"
            said[text] = said.get(text, 0) + 1
    return tuple(said.items())


def _by_operation(sums: Sequence[StatusSum]) -> dict[str, list[StatusSum]]:
    found: dict[str, list[StatusSum]] = {}
    for one in sums:
        found.setdefault(one.operation, []).append(one)
    return found


def _seed_steps(seed: Seed) -> tuple[_SeedStep, ...]:
    takes: dict[int, list[tuple[str, int, str]]] = {}
    for wire in seed.wires:
        named = f"{wire.instance.resource} {wire.instance.value}"
        takes.setdefault(wire.step, []).append((wire.parameter.pointer, wire.producer + 1, named))
    rows = []
    for index, step in enumerate(seed.steps[:_MOST_STEPS]):
        marks = [
            word
            for word, holds in (
                ("anonymous", step.anonymous),
                ("at the same time as the step before", step.concurrent),
                ("broken on purpose", step.broken),
                ("raw body", step.raw_body is not None),
            )
            if holds
        ]
        rows.append(
            _SeedStep(
                index + 1,
                step.entry.operation,
                step.entry.user,
                "" if step.origin is Origin.LOG else step.origin.value,
                wording.one_line(step.reason, 200),
                tuple(marks),
                tuple(takes.get(index, ())),
            )
        )
    return tuple(rows)


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text is not None and text.isdecimal() and len(text) < 12 else otherwise
