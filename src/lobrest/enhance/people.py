"""Who is who: the people that parameters name, and the users that send requests.

A log names users by an account or by a hash of their token, and parameters name them by a number or a login.
That both are one person shows in what happens: somebody is added to a project, and then a user appears there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lobrest.model.entry import LogEntry, UserId
from lobrest.model.operation import READS, ApiSpec, Location, OperationId
from lobrest.model.resource import ResourceInstance, ResourceModel, ResourceName
from lobrest.model.slice import Slice, logged_entries

_LEAST_SHARE = 0.5
_LEAST_LEAD = 1.5
_FOREIGN_CASES = 3


@dataclass(frozen=True, slots=True)
class People:
    """What the log tells about who made what, and who is who."""

    makers: Mapping[ResourceInstance, UserId] = field(default_factory=dict)
    """Who made an instance."""
    users: Mapping[ResourceInstance, UserId] = field(default_factory=dict)
    """Which user of the log a person is that parameters name."""
    stand_ins: Mapping[ResourceInstance, ResourceInstance] = field(default_factory=dict)
    """Names in a person's place that are no persons: a group or organisation that owns things like one."""
    for_others: frozenset[OperationId] = frozenset()
    """Operations that nobody was seen doing to what they had made themselves, such as an approval."""


def who_is_who(slices: Iterable[Slice], model: ResourceModel, spec: ApiSpec) -> People:
    """Read people out of the slices of all users together."""
    entries = logged_entries(slices)
    makers: dict[ResourceInstance, UserId] = {}
    for entry in entries:
        if entry.creates is not None:
            makers.setdefault(entry.creates, entry.user)
    users = _users(entries, model)
    return People(makers, users, _stand_ins(entries, model, users), _for_others(entries, makers, model, spec))


def _stand_ins(
    entries: list[LogEntry], model: ResourceModel, users: Mapping[ResourceInstance, UserId]
) -> dict[ResourceInstance, ResourceInstance]:
    """A name in a person's place that is also that of something creatable at the root is that something.

    Only in paths, and by name: numbers of different things are alike.
    """
    roots: dict[str, ResourceInstance] = {}
    owners: set[ResourceInstance] = set()
    for entry in entries:
        owners.update(
            one
            for ref, one in entry.uses.items()
            if ref.location is Location.PATH and one.resource in model.acting_users
        )
        for one in entry.instances:
            if one.resource not in model.acting_users and one.parent is None and not one.value.isdigit():
                resource = model.resources.get(one.resource)
                if resource is not None and resource.creators and "{" not in one.resource:
                    roots.setdefault(one.value, one)
    return {person: roots[person.value] for person in owners if person.value in roots and person not in users}


def _users(entries: list[LogEntry], model: ResourceModel) -> dict[ResourceInstance, UserId]:
    everybody = {entry.user for entry in entries}
    named: dict[ResourceInstance, list[tuple[int, ResourceInstance]]] = {}
    acting: dict[ResourceInstance, list[tuple[int, UserId]]] = {}
    for position, entry in enumerate(entries):
        people = [one for one in entry.uses.values() if one.resource in model.acting_users]
        things = {one for one in entry.uses.values() if one.resource not in model.acting_users}
        for thing in things:
            acting.setdefault(thing, []).append((position, entry.user))
            for person in people:
                if person not in thing.ancestors():
                    named.setdefault(person, []).append((position, thing))
    found: dict[ResourceInstance, UserId] = {}
    for person in {
        one for entry in entries for one in entry.uses.values() if one.resource in model.acting_users
    }:
        equal = _by_name(person.value, everybody)
        if equal is not None:
            found[person] = equal
    for person, owner in _namesakes(entries, model).items():
        found.setdefault(person, owner)
    for person, places in named.items():
        if person not in found:
            user = _newcomer(entries, places, acting)
            if user is not None:
                found[person] = user
    return found


def _namesakes(entries: list[LogEntry], model: ResourceModel) -> dict[ResourceInstance, UserId]:
    """Whoever makes something without saying for whom makes it for themselves; later its path names them."""
    votes: dict[ResourceInstance, dict[UserId, int]] = {}
    for entry in entries:
        above = entry.creates.parent if entry.creates is not None else None
        if above is None or above.resource not in model.acting_users or above in entry.uses.values():
            continue
        if not any(above.parent == one or above == one for one in entry.uses.values()):
            counts = votes.setdefault(above, {})
            counts[entry.user] = counts.get(entry.user, 0) + 1
    return {person: max(counts, key=lambda one: (counts[one], one)) for person, counts in votes.items()}


def _by_name(value: str, everybody: set[UserId]) -> UserId | None:
    """A user whose label is the name, alone or behind a scheme (``basic:ann``)."""
    for user in sorted(everybody):
        if user == value or user.rpartition(":")[2] == value:
            return user
    return None


def _newcomer(
    entries: list[LogEntry],
    places: list[tuple[int, ResourceInstance]],
    acting: Mapping[ResourceInstance, list[tuple[int, UserId]]],
) -> UserId | None:
    """The user who turns up most often where a person was named before, clearly ahead of everybody else."""
    votes: dict[UserId, float] = {}
    for position, thing in places:
        before = {user for at, user in acting[thing] if at <= position}
        after = {user for at, user in acting[thing] if at > position} - {entries[position].user}
        newcomers = after - before or after
        for user in newcomers:
            votes[user] = votes.get(user, 0.0) + 1.0 / len(newcomers)
    if not votes:
        return None
    ranked = sorted(votes.items(), key=lambda one: (-one[1], one[0]))
    best, score = ranked[0]
    second = ranked[1][1] if len(ranked) > 1 else 0.0
    return best if score >= _LEAST_SHARE * len(places) and score >= _LEAST_LEAD * second else None


def _for_others(
    entries: list[LogEntry], makers: Mapping[ResourceInstance, UserId], model: ResourceModel, spec: ApiSpec
) -> frozenset[OperationId]:
    """Changes always made by somebody else, where others make changes to their own things of that kind."""
    cases: dict[tuple[OperationId, ResourceName], list[bool]] = {}
    of_kind: dict[ResourceName, list[bool]] = {}
    for entry in entries:
        operation = spec.operations.get(entry.operation)
        if operation is None or operation.method in READS or not 200 <= entry.status < 300:
            continue
        used = [one for one in entry.uses.values() if one.resource not in model.acting_users]
        for instance in used:
            if instance in makers and not any(instance in other.ancestors() for other in used):
                foreign = makers[instance] != entry.user
                cases.setdefault((entry.operation, instance.resource), []).append(foreign)
                of_kind.setdefault(instance.resource, []).append(foreign)
    return frozenset(
        operation
        for (operation, resource), seen in cases.items()
        if len(seen) >= _FOREIGN_CASES and all(seen) and not all(of_kind[resource])
    )
