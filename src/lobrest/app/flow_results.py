"""Logged flows played once each, and how every one of them went."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial

from lobrest.app.pipeline import Prepared
from lobrest.app.session import Order, run_session
from lobrest.fuzz.engine import Engine
from lobrest.fuzz.judge import message
from lobrest.fuzz.state import Attempt, Depth
from lobrest.model.event import Event, ExchangeDone
from lobrest.model.exchange import Exchange
from lobrest.model.operation import OperationId
from lobrest.model.seed import Origin, Seed
from lobrest.model.slice import Slice
from lobrest.report.secrets import mask_target
from lobrest.report.wording import one_line
from lobrest.store import Keep


@dataclass(frozen=True, slots=True)
class PlayedStep:
    """One request of a flow and its answer."""

    operation: OperationId
    actor: str
    """Whose credentials it was sent with."""
    target: str
    """Path and query, secrets hidden."""
    status: int
    """0 where there was no answer."""
    added: str
    """Why completion added it; empty for a request of the log."""
    said: str
    """The message of a refusal."""

    @property
    def ok(self) -> bool:
        """Was it answered 2XX or 3XX?"""
        return 200 <= self.status < 400


@dataclass(frozen=True, slots=True)
class FlowResult:
    """A flow, played."""

    name: str
    flow: Slice
    ok: bool
    """Every request of the log was answered 2XX or 3XX."""
    steps: tuple[PlayedStep, ...]

    def __str__(self) -> str:
        lines = [f"{self.name}: {'replayed' if self.ok else 'not replayed'}"]
        for number, step in enumerate(self.steps, 1):
            who = f" as {step.actor}" if step.actor else ""
            mark = " " if step.ok else "!"
            why = f"  (added: {step.added})" if step.added else ""
            said = f"  {step.said}" if step.said and not step.ok else ""
            answer = step.status or "no answer"
            lines.append(f"{mark} {number}. {step.operation}{who} → {answer}{said}{why}")
        return "\n".join(lines)


def flow_names(slices: Sequence[Slice]) -> tuple[str, ...]:
    """A readable name for each flow, unlike those of the others: what it does last, and where the log has it."""
    taken: set[str] = set()
    names = []
    for piece in slices:
        telling = next(
            (one for one in reversed(piece.entries) if not one.operation.startswith(("GET ", "HEAD "))),
            piece.entries[-1],
        )
        place = piece.entries[0].source
        stem = str(telling.operation)
        if place is not None:  # without its suffix: pytest makes colons of dots
            file = place.file.rpartition("/")[2]
            stem += f" ({file.partition('.')[0] or file}:{place.line})"
        name, count = stem, 1
        while name in taken:
            count += 1
            name = f"{stem} #{count}"
        taken.add(name)
        names.append(name)
    return tuple(names)


def play_flows(
    prepared: Prepared, order: Order, chosen: Sequence[int] | None = None
) -> tuple[FlowResult, ...]:
    """Play slices once each, completed, and nothing else; their results in the same order.

    ``chosen`` are their places; the others still teach what people do before and who does it.
    What is held back for safety is not sent: such flows have no steps.
    """
    places = range(len(prepared.slices)) if chosen is None else chosen
    names = flow_names(prepared.slices)
    watcher = _Watcher()
    run_session(
        prepared,
        replace(order, depth=Depth.ENHANCED, oracles=frozenset(), keep=Keep.BUGS),
        None,
        sinks=[watcher.told],
        planned=watcher.planned,
        begun=partial(watcher.begun, {id(prepared.slices[place]) for place in places}),
    )
    return tuple(watcher.result(names[place], prepared.slices[place]) for place in places)


class _Watcher:
    """Remembers which plays were of which flow, and gives what failed another chance."""

    def __init__(self) -> None:
        self._engine: Engine | None = None
        self._plays: dict[int, list[int]] = {}
        """By the identity of the slice: equal ones are different flows."""
        self._seeds: dict[int, Seed] = {}
        self._exchanges: dict[int, list[Exchange]] = {}

    def begun(self, wanted: Collection[int], engine: Engine) -> None:
        """Take everything else off the list: other flows, and operations that no log shows."""
        self._engine = engine
        state = engine.state
        for waiting in (state.queue, state.rest):
            waiting[:] = [
                one
                for one in waiting
                if state.pool.items[one].origin is Origin.LOG and id(state.pool.items[one].piece) in wanted
            ]

    def planned(self, attempt: Attempt) -> None:
        self._plays.setdefault(id(attempt.plan.seed.source), []).append(attempt.plan.number)
        self._seeds[attempt.plan.number] = attempt.plan.seed

    def told(self, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, ExchangeDone):
                self._exchanges.setdefault(event.execution, []).append(event.exchange)
        state = self._engine.state if self._engine is not None else None
        if state is not None and not state.queue and not state.rest and state.again:
            state.rest.extend(state.again)  # with what the others have taught
            state.again.clear()

    def result(self, name: str, piece: Slice) -> FlowResult:
        """The play that went well, else the last."""
        result = FlowResult(name, piece, False, ())
        for number in self._plays.get(id(piece), ()):
            seed, exchanges = self._seeds[number], self._exchanges.get(number, ())
            last = {exchange.step: exchange for exchange in exchanges}
            steps = tuple(_played(seed, position, exchange) for position, exchange in sorted(last.items()))
            whole = len(steps) == len(seed.steps)
            result = FlowResult(name, piece, whole and all(one.ok or one.added for one in steps), steps)
            if result.ok:
                break
        return result


def _played(seed: Seed, position: int, exchange: Exchange) -> PlayedStep:
    step = seed.steps[position]
    added = step.origin in (Origin.CREATION, Origin.LISTING)
    refused = not 200 <= exchange.status < 400 and exchange.response is not None
    return PlayedStep(
        exchange.request.operation,
        exchange.request.actor,
        mask_target(exchange.request.target),
        exchange.status,
        (step.reason or step.origin.value) if added else "",
        one_line(message(exchange.response), 200) if refused and exchange.response is not None else "",
    )
