"""One self-contained HTML page out of the results: no script, no other file, no network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from .comparison import ABLATION, Comparison, covered, distinct_faults
from .count import Fault, Point
from .planted import planted_table
from .plot import Curve, bars, curves, heatmap, upset
from .tables import coverage_table, effect_table, main_table

SAMPLES = 120

STYLE = Path(__file__).with_name("page.css")


def page(comparisons: Sequence[Comparison], *, title: str = "lobrest benchmark") -> str:
    """The whole page."""
    links = "".join(f'<a href="#{anchor(one)}">{escape(name_of(one))}</a>' for one in comparisons)
    body = "".join(section(one) for one in comparisons)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE.read_text()}</style></head><body><main><h1>{escape(title)}</h1>"
        '<p class="soft">Counted from the log of one proxy in front of the service, the same for every tool. '
        "Mean ± standard deviation over the repetitions; bands and whiskers show the lowest and the highest "
        f"run.</p><nav>{links}</nav>{body}</main></body></html>\n"
    )


def name_of(comparison: Comparison) -> str:
    minutes = comparison.seconds / 60
    return (
        f"{comparison.service}, {minutes:g} min"
        if minutes >= 1
        else f"{comparison.service}, {comparison.seconds} s"
    )


def anchor(comparison: Comparison) -> str:
    return f"{comparison.service}-{comparison.seconds}"


def section(comparison: Comparison) -> str:
    """Everything about one service."""
    parts = [
        f'<h2 id="{anchor(comparison)}">{escape(name_of(comparison))}</h2>',
        f"<p>{comparison.operations} operations in {len(comparison.modules())} modules.</p>",
        table(main_table(comparison)),
        '<div class="pair"><div><h3>Operations with a 2XX over time</h3>',
        curves(
            [curve(comparison, tool, "covered") for tool in comparison.runs],
            seconds=comparison.seconds,
            label="operations with a 2XX",
            limit=comparison.operations,
        ),
        "</div><div><h3>Distinct 5XX over time</h3>",
        curves(
            [curve(comparison, tool, "faults") for tool in comparison.runs],
            seconds=comparison.seconds,
            label="distinct 5XX",
        ),
        "</div></div>",
    ]
    if comparison.service == "demo":
        parts += ["<h3>Planted faults found</h3>", table(planted_table(comparison))]
    if comparison.parts:
        parts += [
            "<h3>Statements of the service that ran, in percent</h3>",
            table(coverage_table(comparison)),
        ]
    if "lobrest" in comparison.runs and len(comparison.runs) > 1:
        parts += ["<h3>How sure is that?</h3>", table(effect_table(comparison, "lobrest")), EFFECT_NOTE]
    parts += [ablation(comparison), "<h3>Modules</h3>", EXPLAIN_HEAT, modules(comparison)]
    parts += ["<h3>Which tool finds which 5XX</h3>", fault_overlap(comparison), fault_list(comparison)]
    parts += [commands(comparison)]
    return "".join(parts)


EFFECT_NOTE = (
    '<p class="soft">Ratio of the means; A12: how often a run of lobrest beats one of the other '
    "(0.5 is even); p: one-sided Mann–Whitney, exact. Three runs against three cannot go below 0.05.</p>"
)
EXPLAIN_HEAT = '<p class="soft">Percent of the operations of each module with a 2XX, mean over the runs.</p>'


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows, the first of them the head."""
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows[1:])
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def curve(comparison: Comparison, tool: str, field: str) -> Curve:
    """A figure of a tool's runs at evenly spaced moments."""
    moments = tuple(comparison.seconds * index / SAMPLES for index in range(SAMPLES + 1))
    series = [
        [level(run.counted.timeline, moment, field) for moment in moments] for run in comparison.runs[tool]
    ]
    columns = list(zip(*series, strict=True))
    return Curve(
        tool,
        moments,
        tuple(sum(column) / len(column) for column in columns),
        tuple(min(column) for column in columns),
        tuple(max(column) for column in columns),
    )


def level(timeline: Sequence[Point], moment: float, field: str) -> float:
    """The figure as it stood at a moment."""
    value = 0.0
    for point in timeline:
        if point.t_s > moment:
            break
        value = float(getattr(point, field))
    return value


def ablation(comparison: Comparison) -> str:
    """Initial slices, enhanced slices, and fuzzing on top."""
    there = [tool for tool in ABLATION if tool in comparison.runs]
    if len(there) < 2:
        return ""
    names = {
        "slices-init": "slices from the log",
        "slices-enhanced": "enhanced slices",
        "lobrest": "enhanced + fuzzing",
    }
    result = ['<h3>Ablation</h3><div class="pair">']
    for label, figure, limit in (
        ("operations with a 2XX", covered, comparison.operations),
        ("distinct 5XX", distinct_faults, None),
    ):
        rows = [(names[tool], comparison.spread(tool, figure)) for tool in there]
        values = [(name, one.mean, one.lowest, one.highest) for name, one in rows]
        result.append(f'<div><p class="soft">{label}</p>{bars(values, label=label, limit=limit)}</div>')
    return "".join([*result, "</div>"])


def modules(comparison: Comparison) -> str:
    """Modules by tools."""
    sizes = comparison.modules()
    share: dict[tuple[str, str], float] = {}
    for tool, runs in comparison.runs.items():
        for run in runs:
            for operation in run.operations:
                if operation.id in run.counted.covered:
                    key = (operation.module, tool)
                    share[key] = share.get(key, 0.0) + 1 / (sizes[operation.module] * len(runs))
    rows = sorted(sizes.items(), key=lambda pair: -pair[1])
    return f'<div class="scroll">{heatmap(rows, list(comparison.runs), share)}</div>'


def fault_overlap(comparison: Comparison) -> str:
    """The UpSet plot."""
    sets = {tool: frozenset[object](comparison.faults(tool)) for tool in comparison.runs}
    return f'<div class="scroll">{upset(sets)}</div>'


def fault_list(comparison: Comparison) -> str:
    """Every distinct 5XX with a request that shows it and the tools that found it."""
    first: dict[tuple[str, int, str], Fault] = {}
    for runs in comparison.runs.values():
        for run in runs:
            for fault in run.counted.faults:
                first.setdefault(fault.key, fault)
    if not first:
        return ""
    rows = "".join(
        f"<tr><td>{escape(fault.op)}</td><td>{fault.status}</td><td>{escape(fault.message) or '—'}</td>"
        f"<td>{escape(', '.join(tool for tool in comparison.runs if key in comparison.faults(tool)))}</td>"
        f"<td><code>{escape(fault.request[:200])} {escape(fault.body[:200])}</code></td></tr>"
        for key, fault in sorted(first.items())
    )
    return (
        f"<details><summary>All {len(first)} distinct 5XX</summary>"
        '<div class="scroll"><table class="faults"><thead><tr><th>operation</th><th>status</th>'
        "<th>message</th><th>found by</th><th>last request of the first sighting</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div></details>"
    )


def commands(comparison: Comparison) -> str:
    """How each tool was called, and what was going on beside it."""
    lines: list[str] = []
    for tool, runs in comparison.runs.items():
        loads = ", ".join(f"{run.load:.1f}" for run in runs)
        lines.append(
            f"# {tool}: load of the machine {loads}; finished {runs[-1].finished}; "
            f"version {', '.join(dict.fromkeys(run.version for run in runs))}\n{runs[-1].command}\n"
        )
    return f"<details><summary>Commands</summary><pre>{escape(chr(10).join(lines))}</pre></details>"
