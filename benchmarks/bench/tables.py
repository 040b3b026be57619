"""The figures as Markdown, for the documentation and for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from .comparison import (
    Comparison,
    Figure,
    attempted,
    busy_faults,
    covered,
    distinct_faults,
    modules_covered,
    part_percent,
    rate,
    requests,
)
from .planted import planted_table
from .problem import BenchError

FIGURES: tuple[tuple[str, Figure], ...] = (
    ("operations 2XX", covered),
    ("modules", modules_covered),
    ("tried", attempted),
    ("distinct 5XX", distinct_faults),
    ("of these 503", busy_faults),
    ("requests", requests),
    ("requests/s", rate),
)


def main_table(comparison: Comparison) -> list[list[str]]:
    """Mean and spread of every figure by tool; the first row is the head."""
    return figure_table(comparison, FIGURES)


def coverage_table(comparison: Comparison) -> list[list[str]]:
    """Percent of the service's own statements that ran, by tool; only the head where nothing was measured."""
    return figure_table(comparison, tuple((part, part_percent(part)) for part in comparison.parts))


def figure_table(comparison: Comparison, figures: Sequence[tuple[str, Figure]]) -> list[list[str]]:
    """A row for every tool, a column for every figure."""
    rows = [["tool", "runs", *(name for name, _ in figures)]]
    for tool, runs in comparison.runs.items():
        cells = [str(comparison.spread(tool, figure)) for _, figure in figures]
        rows.append([tool, str(len(runs)), *cells])
    return rows


def effect_table(comparison: Comparison, reference: str) -> list[list[str]]:
    """How the reference tool compares to every other: ratio of means, A12 and p."""
    figures = (("operations", covered), ("distinct 5XX", distinct_faults))
    rows = [[f"{reference} against", *(f"{name}: ×, A12, p" for name, _ in figures)]]
    for tool in comparison.runs:
        if tool == reference:
            continue
        cells: list[str] = []
        for _, figure in figures:
            mean, other = comparison.spread(reference, figure).mean, comparison.spread(tool, figure).mean
            effect, p = comparison.against(reference, tool, figure)
            ratio = f"{mean / other:.1f}" if other else "—"
            cells.append(f"{ratio}, {effect:.2f}, {p:.3f}")
        rows.append([tool, *cells])
    return rows


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Rows, the first of them the head, as a Markdown table."""
    head, *body = rows
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in body]
    return "\n".join(lines)


def report(comparison: Comparison) -> str:
    """One service as Markdown."""
    parts = [
        f"### {comparison.service}: {comparison.operations} operations, {comparison.seconds} s a run",
        "",
        markdown(main_table(comparison)),
    ]
    if comparison.service == "demo":
        parts += ["", markdown(planted_table(comparison))]
    if comparison.parts:
        parts += [
            "",
            "Statements of the service that ran, in percent:",
            "",
            markdown(coverage_table(comparison)),
        ]
    if "lobrest" in comparison.runs and len(comparison.runs) > 1:
        parts += ["", markdown(effect_table(comparison, "lobrest"))]
    return "\n".join(parts)


def with_results(document: str, results: str) -> str:
    """A Markdown document with new results between its marks."""
    before, begin, rest = document.partition("<!-- results -->\n")
    _, end, after = rest.partition("<!-- /results -->")
    if not begin or not end:
        raise BenchError("the document has no <!-- results --> … <!-- /results -->")
    return f"{before}{begin}\n{results}\n\n{end}{after}"
