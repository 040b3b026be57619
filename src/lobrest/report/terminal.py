"""A campaign in the terminal: while it runs and when it is over. Readable without colour."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from lobrest.model.bug import Severity
from lobrest.model.summary import BugResult, ModuleResult
from lobrest.report.comparison import Contrast, GroupRow
from lobrest.report.data import LogReading, ReportData, Run
from lobrest.report.html import verdict
from lobrest.report.views import KIND_WORDS
from lobrest.report.wording import count, day, duration, number, one_line, path_tail, percent, split_operation

_MOST_BUGS = 12
_MOST_MODULES = 24
_STATUS_PHRASE = re.compile(r"^\d{3} [A-Za-z ]+ · ")
"""What the status says already; the room is for what it does not say."""
_PALETTE = ("cyan", "yellow", "magenta", "blue")


@dataclass(frozen=True, slots=True)
class Progress:
    """A running campaign at one moment."""

    label: str
    covered: int
    operations: int
    bugs: int
    requests: int
    seconds: float
    budget_seconds: float
    current: str = ""
    """The operation that was sent last."""
    flow: str = ""
    """What is being played: a flow of the log, a mutation of one."""
    note: str = ""
    """What holds it up: a pause, a service that does not answer, cleaning up at the end."""

    @property
    def rate(self) -> float:
        """Requests a second so far."""
        return self.requests / self.seconds if self.seconds > 0.5 else 0.0


def live_line(progress: Progress) -> str:
    """One plain line, for CI logs."""
    left = max(0.0, progress.budget_seconds - progress.seconds)
    return (
        f"{one_line(progress.label, 40)}: {progress.covered} of {progress.operations} operations, "
        f"{count(progress.bugs, 'bug')}, {count(progress.requests, 'request')} ({progress.rate:.0f}/s), "
        f"{duration(round(left))} left"
        f"{f'; {one_line(progress.note, 100)}' if progress.note else ''}"
    )


def kind_words(kind: str) -> str:
    """Why something is played, in words."""
    return KIND_WORDS.get(kind, one_line(kind, 40))


def live_view(progress: Progress) -> RenderableType:
    """Two lines that change: how far, and what is going on right now."""
    return _LiveView(progress)


def comparison(groups: Sequence[GroupRow], contrasts: Sequence[Contrast]) -> RenderableType:
    """Several runs beside each other; of groups of runs the median, and whether they differ by more than chance."""
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("", overflow="ellipsis", no_wrap=True)
    for name in ("runs", "operations", "modules", "flows", "bugs", "requests", "time"):
        table.add_column(name, justify="right")
    for row in groups:
        table.add_row(
            one_line(row.label, 16),
            str(row.runs),
            f"{row.operations} of {row.total}",
            f"{row.whole_modules} of {row.modules}",
            f"{row.flows} of {row.flows_total}" if row.flows is not None else "–",
            str(row.bugs),
            number(round(row.requests.middle)),
            row.time,
        )
    lines = [
        Text(
            f"{each.measure}: {one_line(each.first, 30)} over {one_line(each.second, 30)}: "
            f"A12 {each.effect:.2f} ({each.size}), p {'< 0.001' if each.p < 0.001 else f'= {each.p:.3f}'}"
        )
        for each in contrasts
    ]
    return Group(table, *([Text(), *lines] if lines else []))


def final_picture(data: ReportData) -> RenderableType:
    """What was read, what was found out, how far each run got, what broke, and what to type next."""
    return _FinalPicture(data)


@dataclass(frozen=True, slots=True)
class _LiveView:
    progress: Progress

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        now = self.progress
        marks = _Marks.of(options)
        share = min(1.0, now.seconds / now.budget_seconds) if now.budget_seconds > 0 else 0.0
        left = duration(round(max(0.0, now.budget_seconds - now.seconds)))
        first = Text(no_wrap=True, overflow="ellipsis")
        first.append(f"{one_line(now.label, 24)} ", "bold")
        first.append_text(marks.bar(share, 1.0, 10, "cyan"))
        first.append(f" {left} left  ")
        first.append(f"{now.covered}/{now.operations}", "bold")
        first.append(" operations  ")
        first.append(count(now.bugs, "bug"), "bold red" if now.bugs else "")
        first.append(f"  {count(now.requests, 'request')} ({now.rate:.0f}/s)")
        yield first
        second = Text(no_wrap=True, overflow="ellipsis", style="dim")
        if now.note:
            second.append("  " + one_line(now.note, 200), "bold yellow")
        else:
            second.append("  " + one_line(": ".join(part for part in (now.flow, now.current) if part), 200))
        yield second


@dataclass(frozen=True, slots=True)
class _FinalPicture:
    data: ReportData

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        data = self.data
        width = min(options.max_width, 120)
        marks = _Marks.of(options)
        yield Text()
        yield Text(verdict(data.summary), "bold red" if data.summary.bugs else "bold green")
        yield Text()
        yield _story(data)
        runs = (Run(data.label, data.summary), *data.others)
        if len(runs) > 1:
            yield Text()
            yield Text(_same_time(runs), "bold")
            yield _comparison(runs, width, marks)
        if data.summary.modules:
            yield Text()
            yield Text("Modules: operations that answered with success", "bold")
            yield _modules(runs, width, marks)
        if data.summary.bugs:
            yield Text()
            yield Text("Bugs, deepest first", "bold")
            yield _bugs(data.summary.bugs, width)
        yield Text()
        yield _next(data)


@dataclass(frozen=True, slots=True)
class _Marks:
    """What bars are drawn with: blocks, or plain signs where the terminal knows no more."""

    full: str
    empty: str

    @classmethod
    def of(cls, options: ConsoleOptions) -> _Marks:
        return cls("#", ".") if options.ascii_only else cls("■", "·")

    def bar(self, part: float, whole: float, width: int, style: str) -> Text:
        filled = 0 if whole <= 0 or part <= 0 else max(1, round(width * min(part / whole, 1.0)))
        if part < whole:
            filled = min(filled, width - 1)  # only all looks like all
        text = Text(no_wrap=True)
        text.append(self.full * filled, style)
        text.append(self.empty * (width - filled), "dim")
        return text


def _story(data: ReportData) -> Table:
    """What was read and made of it, stage by stage."""
    table = _grid()
    if data.logs is not None:
        table.add_row(_head("read"), _logs(data.logs))
    if data.resources is not None:
        model = data.resources
        made = sum(bool(resource.creators) for resource in model.resources.values())
        table.add_row(
            _head("resources"),
            f"{count(len(model.resources), 'resource')}, {number(made)} with a creator; "
            f"{count(len(model.dependencies), 'parameter')} that {_refer(len(model.dependencies))} to one",
        )
    if data.slices is not None:
        facts = data.slices
        how = ", ".join(f"{number(times)} by {name.upper()}" for name, times in facts.by_strategy.items())
        told = f"{count(facts.total, 'slice')} of {count(facts.entries, 'request')}"
        told += f" ({how})" if how else ""
        told += f"; completion added {count(facts.added, 'step')}"
        if facts.augmented:
            told += f", {count(facts.augmented, 'operation')} without a log got a seed"
        table.add_row(_head("slices"), told)
    summary = data.summary
    sent = f"{count(summary.requests, 'request')} in {duration(summary.duration_s)}"
    sent += f" ({number(round(summary.requests_per_s))} a second)"
    if summary.flows.total:
        flows = count(summary.flows.total, "logged flow")
        sent += f"; {number(summary.flows.replayed)} of {flows} replayed whole"
    table.add_row(_head("tested"), sent)
    return table


def _refer(things: int) -> str:
    return "refers" if things == 1 else "refer"


def _logs(logs: LogReading) -> str:
    told = f"{count(logs.lines, 'line')}, {number(logs.kept)} kept, {count(logs.users, 'user')}"
    if logs.first is not None and logs.last is not None:
        first, last = day(logs.first), day(logs.last)
        told += f", {first}" if first == last else f", {first} to {last}"
    dropped = sorted(logs.dropped, key=lambda each: -each.count)[:3]
    if dropped:
        told += "; dropped: " + ", ".join(
            f"{number(each.count)} {one_line(each.reason, 40)}" for each in dropped
        )
    return told


def _same_time(runs: Sequence[Run]) -> str:
    times = {round(run.summary.duration_s) for run in runs}
    if max(times) - min(times) <= max(1, max(times) // 20):
        return f"In the same {duration(max(times))}, {' and '.join(one_line(run.label, 24) for run in runs)}"
    return "Runs compared"


def _comparison(runs: Sequence[Run], width: int, marks: _Marks) -> Table:
    bar = max(10, min(32, width - 68))
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("")
    for name in ("operations", "", "whole modules", "flows", "bugs"):
        table.add_column(name, justify="left" if not name else "right", no_wrap=True)
    for index, run in enumerate(runs):
        summary = run.summary
        covered, total = summary.operations.covered, summary.operations.total
        whole = sum(module.covered == module.total for module in summary.modules)
        table.add_row(
            Text(one_line(run.label, 24), _style(index)),
            f"{covered}/{total}",
            marks.bar(covered, total, bar, _style(index)),
            f"{whole}/{len(summary.modules)}",
            f"{summary.flows.replayed}/{summary.flows.total}" if summary.flows.total else "–",
            Text(str(sum(bug.severity != Severity.INFO for bug in summary.bugs)), "bold"),
        )
    return table


def _modules(runs: Sequence[Run], width: int, marks: _Marks) -> RenderableType:
    modules = runs[0].summary.modules
    others = [{module.name: module for module in run.summary.modules} for run in runs]
    shown = _spread(modules, others)
    longest = min(24, max(len(one_line(module.name, 24)) for module in shown))
    bar = max(5, min(20, (width - longest - 2) // len(runs) - 12))
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("", width=longest, no_wrap=True)
    for run in runs:
        table.add_column(one_line(run.label, bar + 8), no_wrap=True)
    for module in shown:
        cells: list[Text] = []
        for index, known in enumerate(others):
            same = known.get(module.name)
            covered, total = (same.covered, same.total) if same else (0, module.total)
            cell = marks.bar(covered, total, bar, _style(index))
            cell.append(f" {percent(covered, total):3d} %")
            cells.append(cell)
        table.add_row(Text(one_line(module.name, 24)), *cells)
    hidden = len(modules) - len(shown)
    if not hidden:
        return table
    return Group(table, Text(f"and {count(hidden, 'more module', 'more modules')} in the report", "dim"))


def _spread(
    modules: Sequence[ModuleResult], others: Sequence[dict[str, ModuleResult]]
) -> Sequence[ModuleResult]:
    """All modules where they fit, else those in which the runs differ most, in the order of the document."""
    if len(modules) <= _MOST_MODULES:
        return modules

    def difference(module: ModuleResult) -> float:
        shares = [
            known[module.name].covered / max(1, known[module.name].total) if module.name in known else 0.0
            for known in others
        ]
        return max(shares) - min(shares)

    wanted = sorted(modules, key=lambda module: (-difference(module), -module.total))[:_MOST_MODULES]
    return [module for module in modules if module in wanted]


def _rank(bug: BugResult) -> tuple[bool, bool, int, int]:
    """What is only to note comes last, what was not confirmed before that."""
    return bug.severity == Severity.INFO, not bug.confirmed, -bug.steps, bug.n


def _bugs(bugs: Iterable[BugResult], width: int) -> RenderableType:
    ranked = sorted(bugs, key=_rank)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, show_header=False)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis")
    room = max(24, width - 22)
    for bug in ranked[:_MOST_BUGS]:
        method, path = split_operation(bug.op)
        what = Text(no_wrap=True, overflow="ellipsis")
        what.append(f"{one_line(method, 8)} {path_tail(one_line(path, 300), room - len(method) - 1)}\n")
        message = _STATUS_PHRASE.sub("", one_line(bug.message, 1000))
        what.append(one_line(message, room if bug.confirmed else room - 16), "dim")
        what.append("" if bug.confirmed else " (not confirmed)", "yellow")
        table.add_row(
            Text(f"#{bug.n}", "dim"),
            count(bug.steps, "step"),
            Text(str(bug.status or "none"), "bold red"),
            what,
        )
    if len(ranked) <= _MOST_BUGS:
        return table
    return Group(table, Text(f"and {number(len(ranked) - _MOST_BUGS)} more in the report", "dim"))


def _next(data: ReportData) -> Table:
    table = _grid()
    folder = one_line(data.folder, 200) or "DIR"
    bugs = sorted(data.summary.bugs, key=_rank)
    if bugs:
        table.add_row(_head("try"), Text(f"lobrest bug {folder} {bugs[0].n}", "bold"))
        table.add_row("", Text(f"lobrest bug {folder} {bugs[0].n} --as curl", "bold"))
    else:
        table.add_row(_head("try"), Text("a longer run: --time 10m", "bold"))
    return table


def _grid() -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    return table


def _head(text: str) -> Text:
    return Text(text, "dim")


def _style(index: int) -> str:
    return _PALETTE[index % len(_PALETTE)]
