"""Introductions: how somebody gets to work on what another has made.

People are let in before they act: added as a member, invited, made a collaborator. A flow of several people that is
played on new things needs the same, or it is played by one person who may do everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lobrest.model.entry import LogEntry
from lobrest.model.operation import ApiSpec, Location, Method, Operation, OperationId, ParameterRef
from lobrest.model.resource import ResourceModel, ResourceName
from lobrest.model.slice import Slice

_EXAMPLES = 8


@dataclass(frozen=True, slots=True)
class Introduction:
    """An operation that puts a person under a thing, and how it looked in the log."""

    operation: OperationId
    thing: ParameterRef
    person: ParameterRef
    examples: tuple[LogEntry, ...]


def mine_introductions(
    slices: Iterable[Slice], spec: ApiSpec, model: ResourceModel
) -> Mapping[ResourceName, Introduction]:
    """By resource the operation that the log most often shows to put a person under one."""
    letters: dict[OperationId, dict[object, LogEntry]] = {}
    possible: dict[OperationId, tuple[ParameterRef, ParameterRef]] = {}
    for operation in spec.operations.values():
        pair = _introduces(operation, model)
        if pair is not None:
            possible[operation.id] = pair
    for piece in slices:
        for entry in piece.entries:
            if entry.operation in possible and 200 <= entry.status < 300:
                letters.setdefault(entry.operation, {})[entry.source] = entry
    found: dict[ResourceName, Introduction] = {}
    often: dict[ResourceName, int] = {}
    for letter, shown in sorted(letters.items()):
        thing, person = possible[letter]
        resource = model.dependencies[thing].resource
        whole = [one for one in shown.values() if thing in one.uses and person in one.uses]
        if len(whole) > often.get(resource, 0):
            often[resource] = len(whole)
            found[resource] = Introduction(letter, thing, person, _usual(whole, person))
    # Whoever is let in to a thing is let in to what is in it: a watcher of one of its parts needs no letter.
    return {one: way for one, way in found.items() if not _ancestors(one, model) & found.keys()}


def _ancestors(resource: ResourceName, model: ResourceModel) -> set[ResourceName]:
    above: set[ResourceName] = set()
    known = model.resources.get(resource)
    while known is not None and known.parent is not None and known.parent not in above:
        above.add(known.parent)
        known = model.resources.get(known.parent)
    return above


def memberships(found: Mapping[ResourceName, Introduction]) -> list[ResourceName]:
    """The resources that say who may touch a thing."""
    return sorted(
        {one.creates.resource for way in found.values() for one in way.examples if one.creates is not None}
    )


def _usual(letters: list[LogEntry], person: ParameterRef) -> tuple[LogEntry, ...]:
    """Those that say what most say: somebody let in for the usual work can do it."""
    kinds: dict[str, list[LogEntry]] = {}
    for one in letters:
        arguments = one.arguments.without(person)
        kinds.setdefault(repr((arguments.query, arguments.body)), []).append(one)
    return tuple(max(kinds.values(), key=len)[:_EXAMPLES])


def _introduces(operation: Operation, model: ResourceModel) -> tuple[ParameterRef, ParameterRef] | None:
    """The thing and the person, where an operation makes nothing but a place for a person under a thing."""
    in_path = [
        (one.ref, model.dependencies[one.ref].resource)
        for one in operation.parameters
        if one.ref.location is Location.PATH and one.ref in model.dependencies
    ]
    things = [ref for ref, resource in in_path if resource not in model.acting_users]
    if not things:
        return None
    if operation.method is Method.PUT and operation.template.endswith("}"):
        last, resource = in_path[-1]
        named_last = operation.template.endswith("{" + last.pointer + "}")
        return (things[-1], last) if named_last and resource in model.acting_users else None
    creation = model.creations.get(operation.id)
    if creation is None or operation.method is not Method.POST:
        return None
    for ref in creation.identified_by:
        dependency = model.dependencies.get(ref)
        if dependency is not None and dependency.resource in model.acting_users:
            return things[-1], ref
    return None
