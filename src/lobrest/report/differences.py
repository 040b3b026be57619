"""Where two services differ, for people and for scripts."""

from __future__ import annotations

import json
from collections.abc import Iterator

from rich.text import Text

from lobrest.fuzz.compare import Aspect, Comparison, Difference, Disagreement
from lobrest.fuzz.play import Performance
from lobrest.model.exchange import Exchange
from lobrest.model.operation import Json
from lobrest.report.secrets import HIDDEN, is_secret_field, mask_target, mask_text
from lobrest.report.wording import count, number, one_line, visible

_SHOWN = 30
_LONGEST_BODY, _LONGEST_READ = 2000, 200_000


def differences_json(comparison: Comparison, *, here: str, there: str) -> str:
    """``differences.json``: every difference with the first flow that shows it."""
    document: dict[str, Json] = {
        "version": 1,
        "here": here,
        "there": there,
        "flows": comparison.flows,
        "flows_different": comparison.different,
        "steps": comparison.steps,
        "flows_played_again": comparison.repeated,
        "not_confirmed": comparison.unconfirmed,
        "following": comparison.following,
        "differences": [_entry(index, one) for index, one in enumerate(comparison.ranked(), 1)],
        "volatile": [
            {"op": operation, "aspect": aspect.value, "pointer": pointer}
            for operation, aspect, pointer in sorted(comparison.volatility.places)
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def difference_lines(comparison: Comparison, *, here: str, there: str) -> Iterator[Text]:
    """What to print: the verdict, then one difference a line, the gravest first."""
    ranked = comparison.ranked()
    told = f"{count(comparison.flows, 'flow')} with {count(comparison.steps, 'step')} on both services: "
    told += (
        f"{count(len(ranked), 'difference')} in {count(comparison.different, 'flow')}"
        if ranked
        else "no differences"
    )
    yield Text(told, "bold red" if ranked else "bold green")
    if ranked:
        yield Text(f"  here {one_line(here, 80)}, there {one_line(there, 80)}", "dim")
    for one in ranked[:_SHOWN]:
        yield _line(one)
    if len(ranked) > _SHOWN:
        yield Text(f"  and {number(len(ranked) - _SHOWN)} more in differences.json", "dim")
    aside = []
    if comparison.following:
        aside.append(f"{number(comparison.following)} that follow from a changed status")
    if comparison.unconfirmed:
        aside.append(f"{number(comparison.unconfirmed)} that did not show again")
    if comparison.volatility.places:
        aside.append(count(len(comparison.volatility.places), "volatile place"))
    if aside:
        yield Text(f"  left out: {', '.join(aside)}", "dim")


def _line(one: Disagreement) -> Text:
    difference = one.difference
    line = Text("  ")
    line.append(f"{difference.aspect.value:<6} ", _STYLE[difference.aspect])
    line.append(one_line(difference.operation, 100), "bold")
    line.append(f"  {_words(difference)}")
    line.append(
        f"  ({count(one.flows, 'flow')}, step {difference.step + 1} of {one.here.plan.seed.id})", "dim"
    )
    return line


_STYLE = {Aspect.STATUS: "red", Aspect.SHAPE: "yellow", Aspect.VALUE: "cyan"}


def _words(difference: Difference) -> str:
    where = f"/{one_line(difference.pointer, 80)}: " if difference.pointer else ""
    here, there = _values(difference)
    return f"{where}{one_line(here, 60)} here, {one_line(there, 60)} there"


def _values(difference: Difference) -> tuple[str, str]:
    secret = difference.aspect is Aspect.VALUE and is_secret_field(difference.pointer.rpartition("/")[2])
    return (HIDDEN, HIDDEN) if secret else (difference.here, difference.there)


def _entry(index: int, one: Disagreement) -> Json:
    difference = one.difference
    return {
        "n": index,
        "op": difference.operation,
        "aspect": difference.aspect.value,
        "pointer": difference.pointer,
        "here": _values(difference)[0],
        "there": _values(difference)[1],
        "flows": one.flows,
        "seed": one.here.plan.seed.id,
        "step": difference.step,
        "steps": [step.entry.operation for step in one.here.plan.seed.steps],
        "example": {
            "here": _exchange(one.here, difference.step),
            "there": _exchange(one.there, difference.step),
        },
    }


def _exchange(performance: Performance, step: int) -> Json:
    exchange = performance.results[step].exchange
    return {
        "statuses": [result.exchange.status for result in performance.results],
        "request": f"{exchange.request.method} {visible(mask_target(exchange.request.target), 500)}",
        "sent": _body(exchange.request.body),
        "status": exchange.status,
        "answer": _answer(exchange),
    }


def _answer(exchange: Exchange) -> str:
    return _body(exchange.response.body) if exchange.response is not None else ""


def _body(body: bytes | None) -> str:
    return visible(mask_text((body or b"")[:_LONGEST_READ].decode("utf-8", "replace")), _LONGEST_BODY)
