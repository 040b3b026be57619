"""A request after which the service answered no more, twice: a bug of its own kind."""

from __future__ import annotations

from dataclasses import replace

from lobrest.fuzz.edit import without_steps
from lobrest.fuzz.play import Performance, Plan
from lobrest.fuzz.state import Attempt, EngineState
from lobrest.fuzz.triage import Case, dispensable
from lobrest.model.bug import Bug, BugKey, BugKind
from lobrest.model.event import BugConfirmed, BugFound, Event


def took_down(state: EngineState, performance: Performance, position: int, *, minimised: bool) -> list[Event]:
    """Take in that the step at ``position`` took the service down when it was sent with nothing else."""
    results = performance.results[: position + 1]
    last = results[-1].exchange
    key = BugKey(last.request.operation, last.status, "takes the service down", BugKind.OUTAGE)
    known = state.triage.cases.get(key)
    if known is not None:
        known.bug = known.bug.seen_again()
        return []
    seed = performance.plan.seed
    bug = Bug(
        number=len(state.triage.cases) + 1,
        key=key,
        message="takes the service down",
        first_seen_s=last.at,
        exchanges=tuple(one.exchange for one in results),
        seed=seed.id,
        confirmed=True,
        minimised=minimised,
        evidence=f"{last.failure or last.status}, and no answer to anything else until the service was back; "
        "again when it was sent alone",
    )
    shorter = without_steps(seed, range(position + 1, len(seed.steps)), "shorten")
    # No budget for more runs: each of them takes the service down.
    state.triage.cases[key] = Case(bug, shorter, budget=0, confirmed=True)
    return [BugFound(last.at, bug), BugConfirmed(last.at, bug)]


def given_up(state: EngineState, attempt: Attempt) -> None:
    """Forget an attempt that is never told of."""
    state.observed += 1
    state.under_way.pop(attempt.plan.number, None)
    case = state.triage.cases.get(attempt.bug) if attempt.bug is not None else None
    if case is not None:
        case.under_way = False


def bare(plan: Plan, position: int) -> Plan | None:
    """The plan with nothing but what the step at ``position`` stands on; None where that is all of it."""
    cut = without_steps(plan.seed, range(position + 1, len(plan.seed.steps)), "shorten")
    gone = dispensable(cut, range(position)) | frozenset(range(position + 1, len(plan.seed.steps)))
    kept = [index for index in range(len(plan.seed.steps)) if index not in gone]
    if len(kept) == position + 1:
        return None
    place = {index: at for at, index in enumerate(kept)}
    return replace(
        plan,
        seed=without_steps(plan.seed, gone, "minimise"),
        token=f"{plan.token}m",
        actors=tuple(plan.actors[index] for index in kept),
        tries=tuple(plan.tries[index] for index in kept),
        expected=tuple(plan.expected[index] for index in kept if index < len(plan.expected)),
        candidates={(place[at], ref): known for (at, ref), known in plan.candidates.items() if at in place},
        fresh=frozenset((place[at], ref) for at, ref in plan.fresh if at in place),
    )
