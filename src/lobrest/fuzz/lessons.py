"""What a performance teaches: what worked, what was missing, who may, where identities are found."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from lobrest.fuzz.knowledge import Knowledge, Tally
from lobrest.fuzz.play import Performance
from lobrest.fuzz.repair import Complaint
from lobrest.model.entry import Arguments
from lobrest.model.operation import Location, OperationId, ParameterRef
from lobrest.model.resource import Creation
from lobrest.model.seed import Seed, Step


def learn_from(
    performance: Performance,
    knowledge: Knowledge,
    creations: Mapping[OperationId, Creation],
    followed: Callable[[OperationId], tuple[OperationId, ...]],
) -> None:
    """Add to what is known. ``followed`` tells the recipe that was in force for an operation."""
    assigned = assigned_in(performance.plan.seed)
    producers: dict[int, dict[int, None]] = {}
    for wire in performance.plan.seed.wires:
        if wire.parameter.location is Location.PATH:
            producers.setdefault(wire.step, {})[wire.producer] = None
    for index, (step, result) in enumerate(
        zip(performance.plan.seed.steps, performance.results, strict=True)
    ):
        if step.broken:
            continue
        operation = step.entry.operation
        ok, status = result.exchange.ok, result.exchange.status
        if result.waited is not None:
            knowledge.waited(operation, result.waited.status, result.waited.seconds, success=ok)
        if ok or 400 <= status < 500:
            knowledge.recipes.setdefault((operation, followed(operation)), Tally()).told(success=ok)
        if ok:
            knowledge.worked(operation, unassigned(result.arguments, step, assigned.get(index, ())))
            for finding in result.findings:
                if finding.complaint is Complaint.TAKEN:
                    knowledge.unique.add(finding.parameter)
        knowledge.wanted.update(
            finding.parameter for finding in result.findings if finding.complaint is Complaint.MISSING
        )
        if ok or status in (400, 404, 409, 422):
            _judge_producers(performance, producers.get(index, ()), knowledge, creations, ok=ok)
        if ok or status in (401, 403):
            knowledge.actors.setdefault((operation, result.actor), Tally()).told(success=ok)
        if operation in creations and status not in (0, 429) and status < 500:
            knowledge.created(operation, success=ok)
        if ok or status in (400, 404, 422):
            for wire, binding in result.bound:
                producer = performance.plan.seed.steps[wire.producer].entry.operation
                knowledge.bound(wire.instance.resource, producer, wire.parameter.pointer, binding, success=ok)


def _judge_producers(
    performance: Performance,
    producers: Collection[int],
    knowledge: Knowledge,
    creations: Mapping[OperationId, Creation],
    *,
    ok: bool,
) -> None:
    """What could be done with a thing speaks for or against the form in which it was asked for."""
    if not all(performance.results[one].exchange.ok for one in producers):
        return
    for one in producers:
        operation = performance.plan.seed.steps[one].entry.operation
        if operation in creations:
            knowledge.served(operation, performance.results[one].arguments, success=ok)


def assigned_in(seed: Seed) -> dict[int, list[ParameterRef]]:
    """By step the parameters that get their values at run time."""
    found: dict[int, list[ParameterRef]] = {}
    for wire in seed.wires:
        found.setdefault(wire.step, []).append(wire.parameter)
    for identity in seed.identities:
        found.setdefault(identity.step, []).append(identity.parameter)
    return found


def unassigned(arguments: Arguments, step: Step, assigned: Sequence[ParameterRef]) -> Arguments:
    """Arguments without the identities of one run: those mean nothing in the next."""
    path: dict[str, str] = {}
    for ref in assigned:
        planned = step.entry.arguments.get(ref)
        if ref.location is Location.PATH:
            if planned is not None:
                path[ref.pointer] = str(planned)
        else:
            arguments = arguments.without(ref) if planned is None else arguments.with_value(ref, planned)
    return arguments.with_path(path) if path else arguments
