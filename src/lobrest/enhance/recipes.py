"""What people do first: the changes that went before an operation that worked, whoever made them.

A merge request needs a commit on its branch, a merge an approval by somebody else. No specification says so;
the log shows it. For each operation that changes something, the book holds what was done to the same instances
before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from lobrest.model.entry import LogEntry
from lobrest.model.operation import READS, ApiSpec, Location, OperationId
from lobrest.model.resource import ResourceInstance, ResourceModel
from lobrest.model.slice import Slice

_LONGEST = 5
_MOST = 4
_CASES = 2
"""Histories needed before a custom counts as one."""
Substitution = dict[ResourceInstance, ResourceInstance]


@dataclass(frozen=True, slots=True)
class Recipe:
    """Entries that went before one, in order."""

    before: tuple[LogEntry, ...]
    entry: LogEntry

    @property
    def signature(self) -> tuple[OperationId, ...]:
        """The operations, which tell recipes apart."""
        return tuple(one.operation for one in self.before)


@dataclass(frozen=True, slots=True)
class RecipeBook:
    """Recipes by operation, the shortest first."""

    recipes: Mapping[OperationId, tuple[Recipe, ...]] = field(default_factory=dict)
    always: Mapping[OperationId, Recipe] = field(default_factory=dict)
    """Where everything that was ever changed this way had been prepared like this."""

    def get(self, operation: OperationId) -> tuple[Recipe, ...]:
        """What is known to go before an operation."""
        return self.recipes.get(operation, ())


def mine_recipes(slices: Iterable[Slice], spec: ApiSpec, model: ResourceModel) -> RecipeBook:
    """Read the book out of the slices of all users together."""
    entries = {entry.source: entry for piece in slices for entry in piece.entries if entry.source is not None}
    changes: dict[ResourceInstance, list[LogEntry]] = {}
    known: set[ResourceInstance] = set()
    customs: dict[OperationId, list[frozenset[OperationId]]] = {}
    found: dict[OperationId, dict[tuple[OperationId, ...], Recipe]] = {}
    for entry in sorted(entries.values(), key=lambda one: one.at):
        operation = spec.operations.get(entry.operation)
        if operation is None or not 200 <= entry.status < 300:
            continue
        focus = _focus(entry, model)
        before = _before(entry, focus, changes)
        # A thing inside another has customs of its own; at the root everything comes before everything.
        whole = {one for one in focus if one in known and _is_inside(one, model)}
        if whole and operation.method not in READS:  # its history is in the log from the beginning
            customs.setdefault(entry.operation, []).append(
                frozenset(one.operation for one in _before(entry, frozenset(whole), changes))
            )
        if before:
            recipe = Recipe(before, entry)
            found.setdefault(entry.operation, {}).setdefault(recipe.signature, recipe)
        if entry.creates is not None:
            known.add(entry.creates)
        if operation.method not in READS:
            for instance in entry.instances:
                if instance.resource not in model.acting_users:
                    changes.setdefault(instance, []).append(entry)
    recipes = {
        operation: tuple(sorted(some.values(), key=lambda one: len(one.before))[:_MOST])
        for operation, some in found.items()
    }
    return RecipeBook(recipes, _always(recipes, customs))


def _always(
    recipes: Mapping[OperationId, tuple[Recipe, ...]],
    customs: Mapping[OperationId, list[frozenset[OperationId]]],
) -> dict[OperationId, Recipe]:
    """Of operations that never went without some preparation, the shortest recipe that has all of it."""
    found: dict[OperationId, Recipe] = {}
    for operation, cases in customs.items():
        needed = frozenset.intersection(*cases)
        if len(cases) < _CASES or not needed:
            continue
        fitting = [one for one in recipes.get(operation, ()) if needed <= set(one.signature)]
        if fitting:
            shortest = fitting[0]
            kept = tuple(one for one in shortest.before if one.operation in needed)
            found[operation] = Recipe(kept, shortest.entry)
    return found


def _is_inside(instance: ResourceInstance, model: ResourceModel) -> bool:
    return instance.parent is not None and instance.parent.resource not in model.acting_users


def _focus(entry: LogEntry, model: ResourceModel) -> frozenset[ResourceInstance]:
    """What an entry is about: its innermost instance, and what its query and body refer to."""
    used = [one for one in entry.uses.values() if one.resource not in model.acting_users]
    above = {up for one in used for up in one.ancestors()}
    inner = {one for one in used if one not in above}
    referred = {
        one
        for ref, one in entry.uses.items()
        if ref.location is not Location.PATH and one.resource not in model.acting_users
    }
    return frozenset(inner | referred)


def _before(
    entry: LogEntry,
    focus: frozenset[ResourceInstance],
    changes: Mapping[ResourceInstance, list[LogEntry]],
) -> tuple[LogEntry, ...]:
    earlier: dict[OperationId, LogEntry] = {}
    for instance in focus:
        for one in changes.get(instance, ()):
            # What creates an instance is completion's business, and the same change twice needs no recipe.
            if one.creates in focus or one.operation == entry.operation or one.at > entry.at:
                continue
            known = earlier.get(one.operation)
            if known is None or (known.at, str(known.source)) < (one.at, str(one.source)):
                earlier[one.operation] = one
    in_order = sorted(earlier.values(), key=lambda one: one.at)
    return tuple(in_order[-_LONGEST:])


def adapted(recipe: Recipe, entry: LogEntry) -> list[LogEntry]:
    """The recipe's entries, done to the instances of another entry of the same operation and by its user."""
    exchange = exchanged(recipe, entry)
    users = {recipe.entry.user: entry.user}
    return [
        replace(moved(one, exchange), user=users.get(one.user, one.user), at=entry.at, source=None)
        for one in recipe.before
    ]


def exchanged(recipe: Recipe, entry: LogEntry) -> Substitution:
    """Which instance of a recipe is which instance of an entry of the same operation."""
    exchange: Substitution = {}
    if recipe.entry.creates is not None and entry.creates is not None:
        exchange.update(pairs(recipe.entry.creates, entry.creates))
    for ref, theirs in recipe.entry.uses.items():
        ours = entry.uses.get(ref)
        if ours is not None:
            exchange.update(pairs(theirs, ours))
    return exchange


def pairs(theirs: ResourceInstance, ours: ResourceInstance) -> Substitution:
    """Two instances and, above them, their parents of equal resource."""
    found = {theirs: ours}
    left, right = theirs.parent, ours.parent
    while left is not None and right is not None and left.resource == right.resource:
        found[left] = right
        left, right = left.parent, right.parent
    return found


def moved(entry: LogEntry, exchange: Substitution) -> LogEntry:
    """An entry with instances replaced, those inside replaced ones included."""

    def one(instance: ResourceInstance) -> ResourceInstance:
        if instance in exchange:
            return exchange[instance]
        return instance if instance.parent is None else replace(instance, parent=one(instance.parent))

    return replace(
        entry,
        uses={ref: one(instance) for ref, instance in entry.uses.items()},
        creates=one(entry.creates) if entry.creates is not None else None,
    )
