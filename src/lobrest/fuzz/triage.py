"""Bugs: told apart, confirmed by a second run, made smaller within a budget."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from lobrest.fuzz.edit import without_steps
from lobrest.fuzz.judge import bug_key, message
from lobrest.fuzz.play import Performance
from lobrest.model.bug import Bug, BugKey
from lobrest.model.event import BugConfirmed, BugFound, Event
from lobrest.model.seed import Seed

_BUDGET = 12
"""Runs spent on one bug to confirm it and make it smaller."""


@dataclass(slots=True)
class Case:
    """One bug and what is still to be done about it."""

    bug: Bug
    seed: Seed
    budget: int = _BUDGET
    confirmed: bool = False
    chunk: int = 0
    start: int = 0
    under_way: bool = False
    runs: int = 0
    repeats: int = 0


@dataclass(slots=True)
class Triage:
    """All known bugs and what is still to be done about them."""

    cases: dict[BugKey, Case] = field(default_factory=dict)

    @property
    def bugs(self) -> tuple[Bug, ...]:
        """In the order found."""
        return tuple(case.bug for case in self.cases.values())

    def told(self, performance: Performance) -> list[Event]:
        """New bugs of a performance; known ones are counted."""
        events: list[Event] = []
        for position, result in enumerate(performance.results):
            key = bug_key(result.exchange)
            if key is None:
                continue
            known = self.cases.get(key)
            if known is not None:
                known.bug = known.bug.seen_again()
                continue
            steps = tuple(one.exchange for one in performance.results[: position + 1])
            response = result.exchange.response
            bug = Bug(
                number=len(self.cases) + 1,
                key=key,
                message=message(response) if response else "",
                first_seen_s=result.exchange.at,
                exchanges=steps,
                seed=performance.plan.seed.id,
            )
            seed = performance.plan.seed
            shorter = without_steps(seed, range(position + 1, len(seed.steps)), "shorten")
            self.cases[key] = Case(bug, shorter)
            events.append(BugFound(result.exchange.at, bug))
        return events

    def next(self) -> tuple[BugKey, Seed] | None:
        """A run that would confirm a bug or make it smaller."""
        for key, case in self.cases.items():
            if case.under_way or case.budget <= 0:
                continue
            if not case.confirmed:
                candidate: Seed | None = case.seed
            else:
                candidate = self._smaller(case)
            if candidate is None:
                case.budget = 0
                continue
            case.under_way = True
            case.budget -= 1
            return key, candidate
        return None

    def _smaller(self, case: Case) -> Seed | None:
        """The seed without a chunk of steps in front of the failing one; halves first, then single steps."""
        before = len(case.seed.steps) - 1
        if before <= 0:
            return None
        if case.chunk == 0:
            case.chunk, case.start = max(1, before // 2), 0
        if case.start >= before:
            if case.chunk == 1:
                return None
            case.chunk, case.start = max(1, case.chunk // 2), 0
        while case.start < before:
            chunk = range(case.start, min(case.start + case.chunk, before))
            gone = dispensable(case.seed, chunk)
            if gone:
                return without_steps(case.seed, gone, "minimise")
            case.start += case.chunk
        return self._smaller(case)

    def settled(self, key: BugKey, performance: Performance) -> list[Event]:
        """What a confirming or minimising run showed."""
        case = self.cases[key]
        case.under_way = False
        case.runs += 1
        position = next(
            (index for index, one in enumerate(performance.results) if bug_key(one.exchange) == key), None
        )
        if position is None:
            if case.confirmed:
                case.start += case.chunk
            return []
        case.repeats += 1
        smaller = len(performance.plan.seed.steps) < len(case.seed.steps) or not case.confirmed
        if case.confirmed and not smaller:
            return []
        case.seed = without_steps(
            performance.plan.seed,
            range(position + 1, len(performance.plan.seed.steps)),
            "shorten",
        )
        case.chunk = min(case.chunk, max(1, len(case.seed.steps) - 1)) if case.confirmed else 0
        first = case.bug
        case.bug = replace(
            first,
            confirmed=True,
            minimised=case.confirmed,
            exchanges=tuple(one.exchange for one in performance.results[: position + 1]),
            seed=case.seed.id,
        )
        case.confirmed = True
        return [BugConfirmed(performance.results[position].exchange.at, case.bug)]

    def seed_of(self, key: BugKey) -> Seed:
        """The smallest seed known to show a bug."""
        return self.cases[key].seed


def dispensable(seed: Seed, steps: Iterable[int]) -> frozenset[int]:
    """Of some steps those that the last one does not stand on, with everything that stands on them.

    Steps that make what the failing one uses stay: without them a value that happens to exist on this very
    instance of the service would take their place, and nobody else could run the result.
    """
    made_by: dict[int, set[int]] = {}
    for wire in seed.wires:
        made_by.setdefault(wire.step, set()).add(wire.producer)
    for identity in seed.identities:
        if identity.owner_of is not None:
            made_by.setdefault(identity.step, set()).add(identity.owner_of)
    needed: set[int] = set()
    waiting = [len(seed.steps) - 1]
    while waiting:
        step = waiting.pop()
        if step not in needed:
            needed.add(step)
            waiting.extend(made_by.get(step, ()))
    gone = set(steps) - needed
    for step in range(len(seed.steps)):
        if gone and step not in needed and made_by.get(step, set()) & gone:
            gone.add(step)
    return frozenset(gone)
