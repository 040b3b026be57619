"""Bugs: told apart, confirmed by a second run, made smaller within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from lobrest.fuzz.edit import without_steps
from lobrest.fuzz.judge import bug_key, message
from lobrest.fuzz.oracles.alarm import Alarm
from lobrest.fuzz.play import Performance
from lobrest.model.bug import Bug, BugKey, BugKind, Severity
from lobrest.model.event import BugConfirmed, BugFound, Event
from lobrest.model.seed import Seed

_BUDGET = 12
"""Runs spent on one bug to confirm it and make it smaller."""
_CHANCES = 2
"""Runs in which an alarm may show itself again before it is dropped."""
_MOST_WAITING = 400
_MOST_WORDINGS = 40
"""Messages told apart for one operation and status: a service that never says the same twice has one bug more."""
_OTHER_WORDS = "in other words"


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
    needs: frozenset[int] = frozenset()
    """Steps that belong to the finding although the last one takes no value from them."""


@dataclass(slots=True)
class Triage:
    """All known bugs and what is still to be done about them.

    A 5XX is a bug at once. What an oracle says is one when a second run has shown it too.
    """

    cases: dict[BugKey, Case] = field(default_factory=dict)
    waiting: dict[BugKey, Case] = field(default_factory=dict)
    """Alarms that no second run has shown yet."""
    dismissed: set[BugKey] = field(default_factory=set)
    """Alarms that no second run would show."""

    @property
    def bugs(self) -> tuple[Bug, ...]:
        """In the order found."""
        return tuple(case.bug for case in self.cases.values())

    @property
    def failures(self) -> int:
        """How many of them are 5XX or took the service down."""
        return sum(key.kind in (BugKind.SERVER_ERROR, BugKind.OUTAGE) for key in self.cases)

    def told(
        self, performance: Performance, alarms: Sequence[Alarm] = (), *, at_once: bool = False
    ) -> list[Event]:
        """New bugs of a performance; known ones are counted. ``at_once``: no second run will be made."""
        events: list[Event] = []
        for position, result in enumerate(performance.results):
            key = bug_key(result.exchange)
            if key is None:
                continue
            known = self.cases.get(key)
            if known is None and self._wordy(key):
                key = replace(key, fingerprint=_OTHER_WORDS)
                known = self.cases.get(key)
            if known is not None:
                known.bug = known.bug.seen_again()
                continue
            response = result.exchange.response
            case = _case(
                Bug(
                    number=len(self.cases) + 1,
                    key=key,
                    message=message(response) if response else "",
                    first_seen_s=result.exchange.at,
                    exchanges=(),
                    seed=performance.plan.seed.id,
                ),
                performance,
                position,
            )
            self.cases[key] = case
            events.append(BugFound(result.exchange.at, case.bug))
        for one in alarms:
            events.extend(self._heard(performance, one, at_once=at_once or one.settled))
        return events

    def _wordy(self, key: BugKey) -> bool:
        """Does the operation fail in so many words that they cannot all be bugs?"""
        alike = sum(one.operation == key.operation and one.status == key.status for one in self.cases)
        return alike >= _MOST_WORDINGS

    def _heard(self, performance: Performance, alarm: Alarm, *, at_once: bool) -> list[Event]:
        known = self.cases.get(alarm.key) or self.waiting.get(alarm.key)
        if known is not None:
            known.bug = known.bug.seen_again()
            return []
        if alarm.key in self.dismissed or (not at_once and len(self.waiting) >= _MOST_WAITING):
            return []
        at = performance.results[alarm.position].exchange.at
        bug = Bug(
            number=0,
            key=alarm.key,
            message=alarm.message,
            first_seen_s=at,
            exchanges=(),
            seed=performance.plan.seed.id,
            severity=alarm.severity,
            evidence=alarm.evidence,
            check=alarm.check,
        )
        case = _case(bug, performance, alarm.position, alarm.needs)
        if not at_once:
            self.waiting[alarm.key] = case
            return []
        case.budget = 0
        return self._announced(case, at, confirmed=alarm.settled)

    def _announced(self, case: Case, at: float, *, confirmed: bool) -> list[Event]:
        case.confirmed = confirmed
        case.bug = replace(case.bug, number=len(self.cases) + 1, confirmed=confirmed)
        self.cases[case.bug.key] = case
        self.waiting.pop(case.bug.key, None)
        found: list[Event] = [BugFound(at, case.bug)]
        return [*found, BugConfirmed(at, case.bug)] if confirmed else found

    def next(self) -> tuple[BugKey, Seed] | None:
        """A run that would confirm a 5XX or make it smaller."""
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

    def next_alarm(self, least: Severity = Severity.INFO) -> tuple[BugKey, Seed] | None:
        """A run that would confirm what an oracle said: without what it does not stand on first, then all of it."""
        idle = [
            case
            for case in self.waiting.values()
            if not case.under_way and case.bug.severity.rank >= least.rank
        ]
        if not idle:
            return None
        case = max(idle, key=lambda one: (one.bug.severity.rank, -one.runs))
        case.under_way = True
        if case.runs == 0:
            return case.bug.key, essential(case.seed, case.needs)
        return case.bug.key, case.seed

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

    def settled(self, key: BugKey, performance: Performance, alarms: Sequence[Alarm] = ()) -> list[Event]:
        """What a confirming or minimising run showed."""
        if key in self.waiting:
            return self._answered(key, performance, alarms)
        case = self.cases.get(key)
        if case is None or key.kind is not BugKind.SERVER_ERROR:
            return []
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

    def _answered(self, key: BugKey, performance: Performance, alarms: Sequence[Alarm]) -> list[Event]:
        case = self.waiting[key]
        case.under_way = False
        case.runs += 1
        again = next((one for one in alarms if one.key == key), None)
        if again is None:
            if case.runs >= _CHANCES:
                del self.waiting[key]
                self.dismissed.add(key)
            return []
        shown = _case(case.bug, performance, again.position, again.needs)
        shown.bug = replace(
            shown.bug,
            evidence=again.evidence,
            message=again.message,
            check=again.check,
            minimised=case.runs == 1,
            seed=shown.seed.id,
        )
        shown.budget, shown.runs, shown.repeats = 0, case.runs, 1
        return self._announced(shown, performance.results[again.position].exchange.at, confirmed=True)

    def seed_of(self, key: BugKey) -> Seed:
        """The smallest seed known to show a bug."""
        return self.cases[key].seed


def _case(bug: Bug, performance: Performance, position: int, needs: Iterable[int] = ()) -> Case:
    """A bug shown by one step, and everything up to it."""
    seed = performance.plan.seed
    shorter = without_steps(seed, range(position + 1, len(seed.steps)), "shorten")
    steps = tuple(one.exchange for one in performance.results[: position + 1])
    return Case(replace(bug, exchanges=steps), shorter, needs=frozenset(needs))


def essential(seed: Seed, needs: Iterable[int] = ()) -> Seed:
    """The seed with nothing but what its last step, and those needed besides, stand on."""
    gone = dispensable(seed, range(len(seed.steps) - 1), needs)
    return without_steps(seed, gone, "minimise") if gone else seed


def dispensable(seed: Seed, steps: Iterable[int], needs: Iterable[int] = ()) -> frozenset[int]:
    """Of some steps those that the last one does not stand on, with everything that stands on them.

    Steps that make what the failing one uses stay: without them a value that happens to exist on this very
    instance of the service would take their place, and nobody else could run the result. So do ``needs``
    and what they stand on.
    """
    made_by: dict[int, set[int]] = {}
    for wire in seed.wires:
        made_by.setdefault(wire.step, set()).add(wire.producer)
    for identity in seed.identities:
        if identity.owner_of is not None:
            made_by.setdefault(identity.step, set()).add(identity.owner_of)
    needed: set[int] = set()
    waiting = [len(seed.steps) - 1, *needs]
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
