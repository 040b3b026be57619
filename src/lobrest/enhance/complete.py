"""RCSC: put the creations a slice lacks in front, and wire every parameter to what makes its instance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from lobrest.enhance.arrange import assembled
from lobrest.enhance.draft import NEW, ONE_OF_US, Draft, Literal, Made, Person, Producer
from lobrest.enhance.introductions import Introduction, memberships
from lobrest.enhance.people import People
from lobrest.enhance.recipes import Recipe, Substitution, adapted, exchanged, moved
from lobrest.enhance.values import ValueMaker
from lobrest.model.entry import Arguments, LogEntry, UserId
from lobrest.model.operation import ApiSpec, Json, Location, Method, OperationId, ParameterRef
from lobrest.model.resource import (
    Dependency,
    Resource,
    ResourceInstance,
    ResourceModel,
    ResourceName,
)
from lobrest.model.seed import Origin, Seed, SeedId, Step
from lobrest.model.slice import Slice

_MAX_ADDED = 40
"""Completion stops adding here: what needs more is better served by a list operation or a known value."""
_HOPELESS = 0.15
"""Nobody is let in by what is refused more often than this."""
_OFTEN, _NEARLY_ALL = 5, 0.8
_SAYS_NOTHING = frozenset(
    {"id", "iid", "uid", "uuid", "key", "name", "slug", "number", "index", "code", "path"}
)
"""Names of parameters that say nothing of what they are of."""
COLLEAGUE = UserId("colleague")
"""Somebody else, where the log does not say who."""


class Completer:
    """Completes slices for one service."""

    def __init__(
        self,
        spec: ApiSpec,
        model: ResourceModel,
        values: ValueMaker,
        *,
        people: People | None = None,
        creator_scores: Mapping[OperationId, float] | None = None,
        held_back: frozenset[OperationId] = frozenset(),
        recipes: Mapping[OperationId, Recipe] | None = None,
        introductions: Mapping[ResourceName, Introduction] | None = None,
    ) -> None:
        """``recipes`` are those to follow, one an operation; without one, nothing goes before it.

        ``introductions`` let the people of a flow in to what another of them has made.
        """
        self._spec = spec
        self._model = model
        self._values = values
        self._people = people or People()
        self._creator_scores = creator_scores or {}
        self._held_back = held_back
        self._recipes = recipes or {}
        self._introductions = introductions or {}
        self._memberships = frozenset(memberships(self._introductions))
        self._named_as = {(one.resource, user): one for one, user in self._people.users.items()}
        self._dependencies: dict[OperationId, list[Dependency]] = {}
        for dependency in model.dependencies.values():
            self._dependencies.setdefault(dependency.parameter.operation, []).append(dependency)
        self._usual = _usual(model)

    def followed(self, operation: OperationId) -> tuple[OperationId, ...]:
        """The recipe that completion follows for an operation."""
        recipe = self._recipes.get(operation)
        return recipe.signature if recipe else ()

    def complete(
        self,
        piece: Slice,
        *,
        origin: Origin = Origin.LOG,
        parents: tuple[SeedId, ...] = (),
        mutations: tuple[str, ...] = (),
        reuse: bool = True,
    ) -> Seed:
        """The completed slice. Without ``reuse``, what the slice itself creates is created again (the paper)."""
        draft = Draft([], {}, piece.user, tuple(dict.fromkeys(one.user for one in piece.entries)))
        for entry in map(one_thing, piece.entries):
            if entry.source is None or not entry.arguments.body_known or entry.arguments.hidden:
                entry = self._with_uses(draft, self._filled(entry), None)
            for earlier in self._prelude(draft, entry):
                draft.inserted[len(draft.entries)] = f"people do this before {entry.operation}"
                self._survey(draft, self._filled(earlier), reuse=reuse)
            self._survey(draft, entry, reuse=reuse)
        needed = [
            instance
            for instance, first in draft.first_use.items()
            if draft.created_at.get(instance, len(draft.entries)) >= first
        ]
        # Parents first; among equals the order of use. Sorting is stable.
        for instance in sorted(needed, key=lambda one: len(one.ancestors())):
            self._produce(draft, instance)
        for instance, at in draft.created_at.items():
            self._introduce(draft, instance, draft.entries[at].user)
        return assembled(draft, piece, origin, parents, mutations, acting=self._model.acting_users)

    def _filled(self, entry: LogEntry) -> LogEntry:
        operation = self._spec.operations[entry.operation]
        return replace(entry, arguments=self._values.completed(operation, entry.arguments))

    def _prelude(self, draft: Draft, entry: LogEntry) -> list[LogEntry]:
        """What the log shows to go before an operation, where the slice has not done it already."""
        recipe = self._recipes.get(entry.operation)
        if recipe is None:
            return []
        return [
            one
            for one in adapted(recipe, entry)
            if one.operation not in self._held_back and not self._is_done(draft, one)
        ]

    def _is_done(self, draft: Draft, entry: LogEntry) -> bool:
        """Has the same been done to the same things?"""
        things = {one for one in entry.uses.values() if one.resource not in self._model.acting_users}
        return any(
            one.operation == entry.operation and things.issubset(one.uses.values())
            for one in (*draft.entries, *(step.entry for step in draft.added))
        )

    def _survey(self, draft: Draft, entry: LogEntry, *, reuse: bool) -> None:
        """Take an entry in: what it uses for the first time, and what it creates."""
        index = len(draft.entries)
        draft.entries.append(entry)
        for used in entry.uses.values():
            for instance in (*reversed(used.ancestors()), used):
                if instance not in draft.first_use:
                    draft.first_use[instance] = index
                    draft.show(instance)
        # What was used before it is created comes from the front, and stays the same thing to the end.
        if entry.creates is not None and reuse and not draft.knows(entry.creates):
            draft.created_at[entry.creates] = index
            draft.show(entry.creates)

    # What makes an instance -------------------------------------------------------------------------

    def _produce(self, draft: Draft, instance: ResourceInstance) -> Producer:
        known = draft.producers.get(instance)
        if known is not None:
            return known
        made = self._decide(draft, instance)
        draft.producers[instance] = made
        return made

    def _decide(self, draft: Draft, instance: ResourceInstance) -> Producer:
        if instance.resource in self._model.acting_users and not self._administered(draft, instance):
            other = self._people.stand_ins.get(instance)
            return self._produce(draft, other) if other else Person(self._person(draft, instance))
        if instance in draft.under_way:
            draft.notes.append(f"{_named(instance)}: its creation needs itself; its value is kept")
            return Literal(self._literal(instance))
        if len(draft.added) + len(draft.under_way) >= _MAX_ADDED:
            draft.notes.append(f"{_named(instance)}: too many creations; its value is kept")
            return Literal(self._literal(instance))
        if instance.parent is not None and instance.parent not in draft.created_at:
            self._produce(draft, instance.parent)
        # A creation that needs another of its kind (a branch from a branch) begins with one that is there.
        needs_its_kind = any(one.resource == instance.resource for one in draft.under_way)
        draft.under_way.append(instance)
        try:
            made = None if needs_its_kind else self._create(draft, instance)
            made = made or self._namesake(draft, instance)
            return made or self._list(draft, instance) or self._give_up(draft, instance)
        finally:
            draft.under_way.pop()

    def _create(self, draft: Draft, instance: ResourceInstance) -> Producer | None:
        resource = self._model.resources.get(instance.resource)
        creator = self._creator(draft, instance, resource) if resource else None
        if creator is None:
            return None
        sender = self._owner(draft, instance)
        template = LogEntry(
            at=draft.entries[0].at if draft.entries else 0.0,
            operation=creator,
            arguments=self._values.arguments(creator),
            user=sender,
            status=0,
            creates=instance,
        )
        recipe = self._recipes.get(creator)
        if recipe is not None:
            known = moved(recipe.entry, self._apart(draft, recipe, exchanged(recipe, template)))
            template = self._filled(replace(template, arguments=known.arguments, uses=known.uses))
        entry = self._with_uses(draft, template, instance)
        for earlier in self._prelude(draft, entry):
            self._add(draft, self._filled(earlier), f"people do this before {creator}")
        entry = replace(
            entry, creates=instance, arguments=self._identified(entry.arguments, creator, instance)
        )
        made = self._add(draft, entry, f"makes {_named(instance)}")
        self._introduce(draft, instance, sender)
        return made

    def _apart(self, draft: Draft, recipe: Recipe, exchange: Substitution) -> Substitution:
        """What a recipe refers to, different from what the same creation refers to elsewhere in the draft."""
        taken = {
            one
            for entry in (*draft.entries, *(step.entry for step in draft.added))
            if entry.operation == recipe.entry.operation
            for one in entry.uses.values()
        }
        for ref, one in recipe.entry.uses.items():
            ours = moved(recipe.entry, exchange).uses[ref]
            if ref.location is Location.PATH or ours not in taken or not self._is_made_for_it(recipe, one):
                continue
            number = 2
            while replace(ours, value=f"{ours.value}-{number}") in taken:
                number += 1
            exchange = {**exchange, one: replace(ours, value=f"{ours.value}-{number}")}
        return exchange

    def _is_made_for_it(self, recipe: Recipe, instance: ResourceInstance) -> bool:
        """Is an instance prepared by the recipe, rather than there for everybody like a main branch?"""
        return any(instance in entry.uses.values() or entry.creates == instance for entry in recipe.before)

    def _add(self, draft: Draft, entry: LogEntry, reason: str) -> Made:
        """Put an entry in front, after what it needs."""
        for used in entry.uses.values():
            if used != entry.creates and used not in draft.created_at:
                self._produce(draft, used)
        draft.added.append(Step(entry, Origin.CREATION, reason=reason))
        made = Made(len(draft.added) - 1)
        if entry.creates is not None:
            draft.producers.setdefault(entry.creates, made)
        return made

    def _creator(self, draft: Draft, instance: ResourceInstance, resource: Resource) -> OperationId | None:
        """The creator that needs least beyond what is there, and has worked best."""
        held = {instance, *instance.ancestors(), *draft.producers}
        at_hand = {one.resource for one in held}
        namespace = self._namespace(draft, instance)
        owner = self._people.stand_ins.get(namespace) if namespace is not None else None
        busy = {one.resource for one in draft.under_way[:-1]}
        best: tuple[float, int] | None = None
        chosen = None
        for rank, creator in enumerate(resource.creators):
            if creator in self._held_back or creator not in self._spec.operations:
                continue
            needs = {
                dependency.resource
                for dependency in self._dependencies.get(creator, ())
                if dependency.parameter.location is Location.PATH
            } - self._model.acting_users
            if needs & busy:
                continue
            missing = len(needs - at_hand)
            score = 2.0 * self._creator_scores.get(creator, 0.5) - missing
            if owner is not None:
                score += 2.0 if owner.resource in needs else -1.0
            if (score, -rank) > (best or (float("-inf"), 0)):
                best, chosen = (score, -rank), creator
        return chosen

    def _namesake(self, draft: Draft, instance: ResourceInstance) -> Producer | None:
        """Of something that is only listed, such as what somebody has starred: what its parameter names elsewhere."""
        resource = self._model.resources.get(instance.resource)
        if resource is None or resource.creators or instance.value.startswith(NEW):
            return None
        for entry in draft.entries:
            for ref, used in entry.uses.items():
                other = self._usual.get(ref.pointer) if used == instance else None
                if ref.location is not Location.PATH or other is None or other == instance.resource:
                    continue
                same = next((one for one in draft.shown.get(other, ()) if one.value == instance.value), None)
                return self._produce(draft, same or ResourceInstance(other, instance.value, instance.parent))
        return None

    def _list(self, draft: Draft, instance: ResourceInstance) -> Producer | None:
        resource = self._model.resources.get(instance.resource)
        for lister in resource.listers if resource else ():
            if lister in self._held_back or lister not in self._spec.operations:
                continue
            known = draft.listed.get((lister, instance.parent))
            if known is not None:
                return Made(known)
            template = LogEntry(
                at=draft.entries[0].at if draft.entries else 0.0,
                operation=lister,
                arguments=replace(self._values.arguments(lister), query={}),
                user=self._owner(draft, instance),
                status=0,
            )
            entry = self._with_uses(draft, template, instance)
            for used in entry.uses.values():
                self._produce(draft, used)
            draft.added.append(Step(entry, Origin.LISTING, reason=f"finds {_named(instance)}"))
            draft.notes.append(f"{_named(instance)}: nothing creates it; taken from {lister}")
            draft.listed[lister, instance.parent] = len(draft.added) - 1
            return Made(len(draft.added) - 1)
        return None

    def _give_up(self, draft: Draft, instance: ResourceInstance) -> Producer:
        draft.notes.append(f"{_named(instance)}: nothing creates or lists it; its value is kept")
        return Literal(self._literal(instance))

    def _literal(self, instance: ResourceInstance) -> str:
        return "1" if instance.value.startswith(NEW) else instance.value

    def _introduce(self, draft: Draft, thing: ResourceInstance, maker: UserId) -> None:
        """Let everybody in who works on a thing that another has made, as the log shows it to be done."""
        introduction = self._introductions.get(thing.resource)
        if introduction is None or introduction.operation in self._held_back:
            return
        if self._creator_scores.get(introduction.operation, 1.0) < _HOPELESS:
            return
        about = [
            entry
            for entry in draft.entries
            if any(one == thing or thing in one.ancestors() for one in entry.uses.values())
        ]
        strangers = dict.fromkeys(entry.user for entry in about)
        strangers.update(
            dict.fromkeys(
                user
                for entry in about
                if entry.operation != introduction.operation
                for user in self._referred_people(draft, entry)
            )
        )
        strangers.pop(maker, None)
        for user in strangers:
            person = self._as_person(introduction.person, user)
            if person is None or self._let_in(draft, introduction, thing, person):
                continue
            example = self._values.chance.choice(introduction.examples)
            made = example.creates
            if made is not None:
                made = _membership(made.resource, user, thing)
                draft.show(made)
            entry = replace(
                example,
                at=draft.entries[0].at,
                user=maker,
                uses={
                    **self._namespaces(draft, introduction, maker),
                    introduction.thing: thing,
                    introduction.person: person,
                },
                creates=made,
                source=None,
            )
            self._add(draft, entry, f"lets {user} in")

    def _namespaces(
        self, draft: Draft, introduction: Introduction, maker: UserId
    ) -> dict[ParameterRef, ResourceInstance]:
        """Whose name stands before a thing in the path: its owner's."""
        template = self._spec.operations[introduction.operation].template
        end = template.find("{" + introduction.thing.pointer + "}")
        found: dict[ParameterRef, ResourceInstance] = {}
        for dependency in self._dependencies.get(introduction.operation, ()):
            ref = dependency.parameter
            before = ref.location is Location.PATH and template.find("{" + ref.pointer + "}") < end
            owner = self._as_person(ref, maker) if before else None
            if owner is not None and dependency.resource in self._model.acting_users:
                draft.producers.setdefault(owner, Person(maker))
                found[ref] = owner
        return found

    def _referred_people(self, draft: Draft, entry: LogEntry) -> list[UserId]:
        """Whom a request refers to beside what it is about: assignees, reviewers."""
        named = [
            self._produce(draft, one)
            for ref, one in entry.uses.items()
            if ref.location is Location.BODY and one.resource in self._model.acting_users
        ]
        return [one.user for one in named if isinstance(one, Person)]

    def _as_person(self, ref: ParameterRef, user: UserId) -> ResourceInstance | None:
        """How a parameter names a user of the log."""
        dependency = self._model.dependencies.get(ref)
        if dependency is None:
            return None
        known = self._named_as.get((dependency.resource, user))
        return known or ResourceInstance(dependency.resource, f"{ONE_OF_US}{user}")

    def _let_in(
        self, draft: Draft, introduction: Introduction, thing: ResourceInstance, person: ResourceInstance
    ) -> bool:
        """Does the flow itself let the person in?"""
        return any(
            entry.operation == introduction.operation
            and entry.uses.get(introduction.thing) == thing
            and entry.uses.get(introduction.person) == person
            for entry in draft.entries
        )

    # People -----------------------------------------------------------------------------------------

    def _administered(self, draft: Draft, instance: ResourceInstance) -> bool:
        """Is the person the object of a change rather than an actor? Then a new one is made for it."""
        resource = self._model.resources.get(instance.resource)
        if instance in draft.created_at or resource is None or not resource.creators:
            return instance in draft.created_at
        for entry in draft.entries:
            if instance not in entry.uses.values():
                continue
            operation = self._spec.operations.get(entry.operation)
            if operation is None or operation.method in (Method.GET, Method.HEAD, Method.OPTIONS):
                continue
            in_path = [used for ref, used in entry.uses.items() if ref.location is Location.PATH]
            if in_path and all(used.resource in self._model.acting_users for used in in_path):
                return True
        return False

    def _person(self, draft: Draft, instance: ResourceInstance) -> UserId:
        """Who is meant: a user the log shows to be this person, the slice's own where things belong to it."""
        known = self._people.users.get(instance)
        if known is not None:
            return known
        if instance.value.startswith(ONE_OF_US):
            return UserId(instance.value.removeprefix(ONE_OF_US))
        owns = any(one.parent == instance for one in draft.first_use)
        shown = draft.shown.get(instance.resource, [instance])
        if owns or (shown[0] == instance and not self._is_referred_to(draft, instance)):
            return draft.main
        return UserId(f"person:{instance.value}")

    def _is_referred_to(self, draft: Draft, instance: ResourceInstance) -> bool:
        """Is a person only named by changes, beside what they are about? People name others: members, reviewers."""
        named = [
            (ref, entry) for entry in draft.entries for ref, one in entry.uses.items() if one == instance
        ]
        return bool(named) and all(
            ref.location is Location.BODY
            and any(one.resource not in self._model.acting_users for one in entry.uses.values())
            for ref, entry in named
        )

    def _owner(self, draft: Draft, instance: ResourceInstance) -> UserId:
        """Who makes an instance: its maker in the log, the person it belongs to, the maker of its parent.

        What is done only to other people's things is done to something that somebody else has made.
        """
        namespace = self._namespace(draft, instance)
        above = self._produce(draft, namespace) if namespace is not None else None
        if isinstance(above, Person):
            return above.user  # under somebody's name only they can make it
        if isinstance(above, Made):
            return draft.added[above.index].entry.user
        maker = self._people.makers.get(instance) or self._inherited(draft, instance)
        for entry in draft.entries:
            if entry.operation in self._people.for_others and instance in entry.uses.values():
                return COLLEAGUE if maker == entry.user else maker
        return maker

    def _namespace(self, draft: Draft, instance: ResourceInstance) -> ResourceInstance | None:
        """The person, or what stands in for one, right before an instance in a path (``{owner}/{repo}``)."""
        if instance.parent is not None:
            return instance.parent if instance.parent.resource in self._model.acting_users else None
        for entry in draft.entries:
            before: ResourceInstance | None = None
            for ref, used in entry.uses.items():
                if ref.location is not Location.PATH:
                    continue
                if used == instance:
                    if before is not None and before.resource in self._model.acting_users:
                        return before
                    break
                before = used
        return None

    def _inherited(self, draft: Draft, instance: ResourceInstance) -> UserId:
        for ancestor in instance.ancestors():
            producer = draft.producers.get(ancestor)
            if isinstance(producer, Person):
                return producer.user
            if isinstance(producer, Made):
                return draft.added[producer.index].entry.user
        return draft.main

    # Parameters of entries that no log shows --------------------------------------------------------

    def _with_uses(self, draft: Draft, entry: LogEntry, made: ResourceInstance | None) -> LogEntry:
        """Give every resource-binding parameter an instance: of what is made, of the slice, else a new one."""
        operation = self._spec.operations[entry.operation]
        context: list[ResourceInstance] = list(made.ancestors()) if made else []
        namespace = self._namespace(draft, made) if made is not None else None
        if namespace is not None:
            context = [self._people.stand_ins.get(namespace, namespace), *context]
        uses = dict(entry.uses)
        for used in uses.values():
            context = [used, *used.ancestors(), *context]
        arguments = entry.arguments
        dependencies = self._dependencies.get(entry.operation, ())
        identifies = self._identifies(entry.operation) if made else frozenset()
        in_order = sorted(
            dependencies,
            key=lambda one: (
                operation.template.find("{" + one.parameter.pointer)
                if one.parameter.location is Location.PATH
                else len(operation.template)
            ),
        )
        for dependency in in_order:
            ref = dependency.parameter
            if ref in identifies or ref in uses:
                continue
            if ref.location is Location.PATH:
                chosen = self._chosen(
                    draft, dependency.resource, context, distinct=(), front=made is not None
                )
            else:
                shown = arguments.get(ref)
                if shown is None:
                    continue
                if not self._worth_keeping(entry.operation, ref, made):
                    arguments = arguments.without(ref)
                    continue
                chosen = self._referred(draft, dependency.resource, shown, context, uses, made)
            uses[ref] = chosen
            context = [chosen, *chosen.ancestors(), *context]
        return replace(entry, uses=uses, arguments=arguments)

    def _chosen(
        self,
        draft: Draft,
        resource: ResourceName,
        context: list[ResourceInstance],
        *,
        distinct: Iterable[ResourceInstance],
        front: bool,
    ) -> ResourceInstance:
        """An instance of the resource: in the context, else one the slice shows under it, else a new one.

        What the slice itself creates is there for its later entries, not for creations put in ``front``.
        """
        taken = set(distinct)
        for instance in context:
            if instance.resource == resource and instance not in taken:
                return instance
        near = set(context)
        fitting = [
            instance
            for instance in reversed(draft.shown.get(resource, ()))
            if instance not in taken
            and not (front and instance in draft.created_at)
            and (instance.parent is None or instance.parent in near or not context)
        ]
        if fitting:
            # Who of those let in is meant makes a difference; of other things the last one is what a flow is at.
            return self._values.chance.choice(fitting) if resource in self._memberships else fitting[0]
        parent = self._scope(resource, context)
        fresh = self._membership(draft, resource, parent) or draft.new_instance(resource, parent)
        draft.show(fresh)
        return fresh

    def _membership(
        self, draft: Draft, resource: ResourceName, parent: ResourceInstance | None
    ) -> ResourceInstance | None:
        """Of all who may be let in to a thing, somebody of the flow: that changes what the flow can do."""
        if parent is None or resource not in self._memberships or not draft.people:
            return None
        return _membership(resource, self._values.chance.choice(draft.people), parent)

    def _referred(
        self,
        draft: Draft,
        resource: ResourceName,
        shown: Json,
        context: list[ResourceInstance],
        uses: Mapping[ParameterRef, ResourceInstance],
        made: ResourceInstance | None,
    ) -> ResourceInstance:
        """The instance a body or query value names, seen from this request.

        An invented entry of a flow refers to what the flow is about rather than to what its example did.
        """
        scope = self._scope(resource, context)
        near = [
            one
            for one in draft.shown.get(resource, ())
            if one.parent == scope and one not in uses.values() and made is None
        ]
        if near:
            return self._values.chance.choice(near)
        if isinstance(shown, str | int) and not isinstance(shown, bool):
            return ResourceInstance(resource, str(shown), scope)
        return self._chosen(draft, resource, [], distinct=uses.values(), front=True)

    def _scope(self, resource: ResourceName, context: list[ResourceInstance]) -> ResourceInstance | None:
        declared = self._model.resources.get(resource)
        above = declared.parent if declared else None
        seen: set[ResourceName] = set()
        while above is not None and above not in seen:
            seen.add(above)
            for instance in context:
                if instance.resource == above:
                    return instance
            up = self._model.resources.get(above)
            above = up.parent if up else None
        # A resource of unknown parent that is named below others belongs to the nearest of them.
        return context[0] if context and declared is not None and "{" in resource else None

    def _identifies(self, operation: OperationId) -> frozenset[ParameterRef]:
        creation = self._model.creations.get(operation)
        return frozenset(creation.identified_by) if creation else frozenset()

    def _worth_keeping(
        self, operation: OperationId, ref: ParameterRef, made: ResourceInstance | None
    ) -> bool:
        """In a creation that completion adds, references that not every known request has are left out."""
        if made is None:
            return True
        return self._values.is_customary(operation, ref)

    def _identified(
        self, arguments: Arguments, creator: OperationId, instance: ResourceInstance
    ) -> Arguments:
        """An identity that the client chooses is the one the slice shows."""
        creation = self._model.creations.get(creator)
        if creation is None or instance.value.startswith(NEW) or _is_opaque(instance.value):
            return arguments
        for ref in creation.identified_by[:1]:
            arguments = arguments.with_value(ref, instance.value)
        return arguments


def _usual(model: ResourceModel) -> dict[str, ResourceName]:
    """For names of path parameters what nearly all operations mean by them, where that can be created."""
    meanings: dict[str, Counter[ResourceName]] = {}
    for ref, dependency in model.dependencies.items():
        if ref.location is Location.PATH and ref.pointer.lower() not in _SAYS_NOTHING:
            meanings.setdefault(ref.pointer, Counter())[dependency.resource] += 1
    found: dict[str, ResourceName] = {}
    for name, counts in meanings.items():
        (resource, times), *_ = counts.most_common(1)
        declared = model.resources.get(resource)
        if times >= _OFTEN and times >= _NEARLY_ALL * counts.total() and declared and declared.creators:
            found[name] = resource
    return found


def one_thing(entry: LogEntry) -> LogEntry:
    """What a request names by its number in the path and by its digest beside it is one thing, not two."""
    in_path = {
        (one.resource, one.parent): one for ref, one in entry.uses.items() if ref.location is Location.PATH
    }
    other = {
        ref: named
        for ref, one in entry.uses.items()
        if ref.location is not Location.PATH
        and (named := in_path.get((one.resource, one.parent))) is not None
        and _is_opaque(one.value)
        and one.value.isdigit() != named.value.isdigit()
    }
    return replace(entry, uses={**entry.uses, **other}) if other else entry


def _is_opaque(value: str) -> bool:
    """Numbers, digests and UUIDs are given by a service, not chosen by a client."""
    compact = value.replace("-", "")
    return value.isdigit() or (len(compact) >= 16 and all(c in "0123456789abcdefABCDEF" for c in compact))


def _named(instance: ResourceInstance) -> str:
    shown = "a new one" if instance.value.startswith(NEW) else instance.value
    return f"{instance.resource} ({shown})"


def _membership(resource: ResourceName, user: UserId, of: ResourceInstance) -> ResourceInstance:
    """What says that a user may touch a thing."""
    return ResourceInstance(resource, f"{ONE_OF_US}{user}", of)
