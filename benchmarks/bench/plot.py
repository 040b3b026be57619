"""Plain SVG: curves over time, a heatmap and an UpSet plot. Values in, text out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

COLOURS = ("#0b6e4f", "#c2571a", "#3d5a98", "#8a3b8f", "#7a6a00", "#0f7c8a", "#b3293a", "#555b66")
BLANK = "var(--faint)"


@dataclass(frozen=True, slots=True)
class Curve:
    """A figure over time: mean, lowest and highest over the repetitions at each moment."""

    name: str
    moments: tuple[float, ...]
    mean: tuple[float, ...]
    lowest: tuple[float, ...]
    highest: tuple[float, ...]


def colours(names: Sequence[str]) -> dict[str, str]:
    """A colour for every name, the same for the same order."""
    return {name: COLOURS[index % len(COLOURS)] for index, name in enumerate(names)}


def ticks(top: float, wanted: int = 5) -> list[float]:
    """Round values from nothing to at least the top."""
    if top <= 0:
        return [0.0, 1.0]
    step = 1.0
    while step * wanted < top:
        for factor in (2, 2.5, 2):
            step *= factor
            if step * wanted >= top:
                break
    count = int(-(-top // step))
    return [step * index for index in range(count + 1)]


def curves(lines: Sequence[Curve], *, seconds: float, label: str, limit: float | None = None) -> str:
    """Curves with their spread as a band, and where the document's total lies."""
    width, height, left, bottom, right, top = 480, 270, 38, 34, 8, 14
    highest = max([value for line in lines for value in line.highest] + [limit or 0, 1])
    marks = ticks(highest)
    ceiling = marks[-1]
    paint = colours([line.name for line in lines])

    def x(moment: float) -> float:
        return left + (width - left - right) * min(moment / seconds, 1.0)

    def y(value: float) -> float:
        return height - bottom - (height - bottom - top) * value / ceiling

    parts = [f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)} over time">']
    for mark in marks:
        parts.append(
            f'<line class="grid" x1="{left}" x2="{width - right}" y1="{y(mark):.1f}" y2="{y(mark):.1f}"/>'
        )
        parts.append(f'<text x="{left - 6}" y="{y(mark) + 4:.1f}" text-anchor="end">{mark:g}</text>')
    for share in (0, 0.25, 0.5, 0.75, 1):
        moment = seconds * share
        shown = f"{moment / 60:g} min" if seconds >= 120 else f"{moment:g} s"
        anchor = "end" if share == 1 else "middle"
        parts.append(
            f'<text x="{x(moment):.1f}" y="{height - bottom + 20}" text-anchor="{anchor}">{shown}</text>'
        )
    if limit:
        parts.append(
            f'<line class="limit" x1="{left}" x2="{width - right}" y1="{y(limit):.1f}" y2="{y(limit):.1f}"/>'
            f'<text x="{width - right}" y="{y(limit) - 5:.1f}" text-anchor="end">{limit:g} declared</text>'
        )
    for line in lines:
        colour = paint[line.name]
        there = [f"{x(m):.1f},{y(v):.1f}" for m, v in zip(line.moments, line.highest, strict=True)]
        back = [f"{x(m):.1f},{y(v):.1f}" for m, v in zip(line.moments, line.lowest, strict=True)][::-1]
        path = " ".join(f"{x(m):.1f},{y(v):.1f}" for m, v in zip(line.moments, line.mean, strict=True))
        parts.append(f'<polygon points="{" ".join(there + back)}" fill="{colour}" opacity="0.18"/>')
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.2"/>')
    parts.append("</svg>")
    return "".join(parts) + legend(paint)


def legend(paint: Mapping[str, str]) -> str:
    """Names with their colours."""
    items = "".join(
        f'<li><span style="background:{colour}"></span>{escape(name)}</li>' for name, colour in paint.items()
    )
    return f'<ul class="legend">{items}</ul>'


def heatmap(
    rows: Sequence[tuple[str, int]], columns: Sequence[str], share: Mapping[tuple[str, str], float]
) -> str:
    """Modules by tools: the mean share of a module's operations that a tool covered, 0 to 1."""
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body: list[str] = []
    for name, size in rows:
        cells = "".join(heat_cell(share.get((name, column), 0.0)) for column in columns)
        body.append(f'<tr><th scope="row">{escape(name)} <small>{size}</small></th>{cells}</tr>')
    return (
        f'<table class="heat"><thead><tr><th></th>{head}</tr></thead><tbody>{"".join(body)}</tbody></table>'
    )


def heat_cell(value: float) -> str:
    """A cell whose ground says as much as its number."""
    dark = ' class="dark"' if value > 0.7 else ""
    return f'<td{dark} style="--share:{value:.2f}">{100 * value:.0f}</td>'


def upset(sets: Mapping[str, frozenset[object]], *, most: int = 14) -> str:
    """Which faults are found by exactly which tools: a bar for every combination, largest first."""
    names = list(sets)
    groups: dict[tuple[bool, ...], int] = {}
    for item in frozenset().union(*sets.values()) if sets else frozenset():
        pattern = tuple(item in sets[name] for name in names)
        groups[pattern] = groups.get(pattern, 0) + 1
    shown = sorted(groups.items(), key=lambda pair: (-pair[1], pair[0]))[:most]
    if not shown:
        return "<p>No 5XX was found by any tool.</p>"
    paint = colours(names)
    left, step, row, bars = 190, 40, 26, 130
    width, height = left + step * len(shown) + 20, bars + 24 + row * len(names) + 8
    top = max(number for _, number in shown)
    parts = [
        f'<svg viewBox="0 0 {width} {height}" style="width:{width}px" role="img" '
        'aria-label="5XX found by combinations of tools">'
    ]
    for index, name in enumerate(names):
        y = bars + 24 + row * index + row / 2
        parts.append(f'<text x="{left - 40}" y="{y + 4:.0f}" text-anchor="end">{escape(name)}</text>')
        parts.append(
            f'<text class="number" x="{left - 8}" y="{y + 4:.0f}" text-anchor="end">{len(sets[name])}</text>'
        )
    for column, (pattern, number) in enumerate(shown):
        x = left + step * column + step / 2
        size = (bars - 16) * number / top
        parts.append(
            f'<rect class="bar" x="{x - 12:.0f}" y="{bars - size:.1f}" width="24" height="{size:.1f}"/>'
        )
        parts.append(
            f'<text class="number" x="{x:.0f}" y="{bars - size - 4:.1f}" text-anchor="middle">{number}</text>'
        )
        on = [index for index, inside in enumerate(pattern) if inside]
        parts.append(
            f'<line class="join" x1="{x:.0f}" x2="{x:.0f}" y1="{bars + 24 + row * on[0] + row / 2:.0f}" '
            f'y2="{bars + 24 + row * on[-1] + row / 2:.0f}"/>'
        )
        for index, inside in enumerate(pattern):
            fill = paint[names[index]] if inside else BLANK
            y = bars + 24 + row * index + row / 2
            parts.append(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="7" fill="{fill}"/>')
    parts.append("</svg>")
    rest = len(groups) - len(shown)
    return "".join(parts) + (f"<p>{rest} smaller combinations are left out.</p>" if rest else "")


def bars(values: Sequence[tuple[str, float, float, float]], *, label: str, limit: float | None = None) -> str:
    """Horizontal bars of (name, mean, lowest, highest)."""
    left, row, width = 130, 34, 480
    top = max([highest for *_, highest in values] + [limit or 0, 1])
    height = row * len(values) + 8
    scale = (width - left - 70) / top
    parts = [f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)}">']
    for index, (name, mean, lowest, highest) in enumerate(values):
        y = row * index + 8
        end = left + highest * scale
        parts.append(f'<text x="{left - 8}" y="{y + 17}" text-anchor="end">{escape(name)}</text>')
        parts.append(f'<rect class="bar" x="{left}" y="{y + 3}" width="{mean * scale:.1f}" height="20"/>')
        parts.append(
            f'<line class="join" x1="{left + lowest * scale:.1f}" x2="{end:.1f}" '
            f'y1="{y + 13}" y2="{y + 13}"/>'
        )
        parts.append(
            f'<text class="number" x="{end + 8:.1f}" y="{y + 17}">{mean:.{0 if mean >= 100 else 1}f}</text>'
        )
    parts.append("</svg>")
    return "".join(parts)
