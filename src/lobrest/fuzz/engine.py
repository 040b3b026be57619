"""The fuzzer: asked for the next attempt, told what came of it. Same number and answers, same campaign."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from lobrest.enhance.arrange import make_seed
from lobrest.enhance.augment import augment, invented_entry
from lobrest.enhance.cases import cases
from lobrest.enhance.complete import COLLEAGUE, Completer
from lobrest.enhance.introductions import memberships, mine_introductions
from lobrest.enhance.kinship import Kinship
from lobrest.enhance.people import who_is_who
from lobrest.enhance.recipes import Recipe, mine_recipes
from lobrest.enhance.sources import names_to_make, sources_of
from lobrest.enhance.values import ValueMaker
from lobrest.fuzz.cast import actors, cast
from lobrest.fuzz.catalogue import BUSINESS, FIELD_FAULTS, ORDER_FAULTS
from lobrest.fuzz.cause import cause_of
from lobrest.fuzz.choices import Choices
from lobrest.fuzz.context import MutationContext
from lobrest.fuzz.detour import DetourPlanner
from lobrest.fuzz.knowledge import Knowledge, Tally, with_bodies
from lobrest.fuzz.lessons import learn_from
from lobrest.fuzz.mutators.graft import grafted
from lobrest.fuzz.opening import in_playing_order, interleaved
from lobrest.fuzz.oracles.desk import Desk, Setting
from lobrest.fuzz.play import Performance, Plan
from lobrest.fuzz.pool import PoolItem
from lobrest.fuzz.probes import probes_of, probing
from lobrest.fuzz.state import Attempt, Depth, EngineState, Errand, Kind, Material, Rules
from lobrest.fuzz.variant import Variants
from lobrest.fuzz.ways import WayKeeper, barred_at
from lobrest.fuzz.working import WorkingFlows
from lobrest.model.bug import Severity
from lobrest.model.entry import UserId
from lobrest.model.event import Event, ExchangeDone, FlowReplayed, OperationCovered, SeedAdded
from lobrest.model.exchange import Request
from lobrest.model.operation import READS, OperationId, ParameterRef
from lobrest.model.resource import Binding, ResourceInstance, ResourceName
from lobrest.model.seed import Origin, Seed, Step
from lobrest.model.slice import Slice
from lobrest.spec.fields import BodyFields

_GROWING = (Kind.MUTATE, Kind.REACH, Kind.WALK, Kind.DETOUR, Kind.VARY)
"""What may put a seed into the pool."""
_RELEARN_EVERY = 25
"""Executions after which completion uses what was learnt since."""
_FIRST_TRIES, _LATER_TRIES = 5, 2
_FAN = 6
"""Broken requests sent at the end of one flow."""
_WALK = 5
_ORACLES_EVERY = 10
"""Of so many attempts one is an oracle's."""
_WALKS = 0.25
"""Share of walks among walks and detours."""
_DRAWN = 3
"""Flows drawn for a walk, of which the longest is taken: what is deep is seldom reached by chance."""
_FIRST_CASES = 40
"""Lives of things with several people that are played before fuzzing begins."""
_HOPE = 12
"""Attempts after which an operation that was never reached gets less of the effort."""


class Engine:
    """Plans attempts and learns from performances."""

    def __init__(self, material: Material, rules: Rules, state: EngineState | None = None) -> None:
        """From the beginning, or from where a state has got to."""
        self.material = material
        self.rules = rules
        self.state = state or EngineState(random.Random(rules.random_seed))
        self._fields = BodyFields(material.spec)
        self._kinship = Kinship(material.spec)
        self._operations = [one for one in material.spec.operations if one not in rules.held_back]
        self._dependencies = material.model.dependencies
        self._by_instance: dict[ResourceInstance, list[int]] = {}
        self._by_resource: dict[ResourceName, list[int]] = {}
        for position, piece in enumerate(material.slices):
            for instance in piece.instances:
                if instance.resource in material.model.acting_users:
                    continue
                self._by_instance.setdefault(instance, []).append(position)
                known = self._by_resource.setdefault(instance.resource, [])
                if not known or known[-1] != position:
                    known.append(position)
        self._choices = Choices(material.spec, self._fields, material.corpus, self._dependencies)
        self._ways = WayKeeper(material.spec, material.model, Variants(material.spec, self._choices))
        self._users_of: dict[ResourceName, list[OperationId]] = {}
        self._needs: dict[OperationId, list[ResourceName]] = {}
        """By operation what it needs, people aside."""
        for ref, dependency in self._dependencies.items():
            needs = self._needs.setdefault(ref.operation, [])
            if dependency.resource not in (*needs, *material.model.acting_users):
                needs.append(dependency.resource)
            if ref.operation not in rules.held_back:
                users = self._users_of.setdefault(dependency.resource, [])
                if not users or users[-1] != ref.operation:
                    users.append(ref.operation)
        self._book = mine_recipes(material.slices, material.spec, material.model)
        self._people = who_is_who(material.slices, material.model, material.spec)
        self._desk = Desk(
            Setting(
                material.spec,
                material.model,
                material.slices,
                rules.everybody,
                rules.people,
                rules.held_back,
            ),
            rules.oracles,
            self.state.oracles,
        )
        self._introductions = mine_introductions(material.slices, material.spec, material.model)
        self._detours = DetourPlanner(
            material.spec, material.model, memberships(self._introductions), rules.held_back
        )
        self._reaches = 0
        self._unreached_at = (-1, -1)
        self._unreached_then: list[OperationId] = []
        self._learn()
        if state is None:
            self._fill_pool()
        self._working = WorkingFlows(self.state.pool.items)

    @property
    def flows(self) -> int:
        """How many different flows the log has: different sequences of operations."""
        return len({_sequence(item) for item in self._logged()})

    @property
    def replayed(self) -> int:
        """How many of them were played with every step 2XX."""
        return len({_sequence(item) for item in self._logged() if item.replayed})

    def _logged(self) -> list[PoolItem]:
        return [
            item
            for item in self.state.pool.items
            if item.origin is Origin.LOG and item.seed is None and not item.joined
        ]

    def completed_flows(self) -> list[Seed]:
        """The flows of the log and the augmented ones, completed with what is known by now."""
        return [
            self._completer.complete(item.piece, origin=item.origin, reuse=self.rules.reuse)
            for item in self.state.pool.items
            if item.seed is None and not item.joined
        ]

    def unreplayed(self) -> list[Seed]:
        """Flows of the log that were never played whole, completed with what is known by now."""
        return [
            self._completer.complete(item.piece, origin=item.origin, reuse=self.rules.reuse)
            for item in self._logged()
            if not item.replayed
        ]

    def probe(self) -> Request:
        """A harmless request that tells whether the service answers at all."""
        return Request(OperationId("GET /"), "GET", "/")

    def take_over(self, learnt: Knowledge) -> None:
        """Begin with what is known of the service from elsewhere."""
        self.state.knowledge = learnt
        self._learn()

    # Planning ---------------------------------------------------------------------------------------

    @property
    def at_rest(self) -> bool:
        """Is everything that was learnt in use? Then a state says it all."""
        return self.state.observed % _RELEARN_EVERY == 0

    def next(self) -> Attempt | None:
        """The next attempt, or None when there is nothing left to do at this depth."""
        attempt = self._repeat() if self.state.repeats else self._chosen()
        if attempt is not None:
            plan = attempt.plan
            self.state.under_way[plan.number] = Errand(
                plan.seed,
                plan.tries,
                attempt.kind,
                attempt.item,
                attempt.mutators,
                attempt.bug,
                attempt.operation,
                attempt.way,
            )
        return attempt

    def _repeat(self) -> Attempt:
        errand = self.state.repeats.pop(0)
        plan = replace(self._plan(errand.seed), tries=errand.tries)
        return Attempt(
            plan, errand.kind, errand.item, errand.mutators, errand.bug, errand.operation, errand.way
        )

    def _chosen(self) -> Attempt | None:
        state = self.state
        if self.rules.depth is Depth.FUZZ and state.planned % 4 == 3:
            urgent = state.triage.next()
            if urgent is not None:
                key, seed = urgent
                return Attempt(self._plan(seed, tries=_LATER_TRIES), Kind.BUG, bug=key)
        if self.rules.depth is Depth.FUZZ and state.planned % _ORACLES_EVERY == _ORACLES_EVERY - 2:
            oracle = self._oracle()
            if oracle is not None:
                return oracle
        if state.queue:
            item = state.queue.pop(0)
            return Attempt(self._plan(self._seed(item)), Kind.FIRST, item)
        if self.rules.depth is not Depth.FUZZ:
            return self._rest()
        if not state.pool.items:
            return None
        roll = state.chance.random()
        if roll < 0.14 and (state.rest or state.again):
            return self._rest() or self._again()
        if roll < 0.18 and state.again:
            return self._again()
        unreached = self._unreached()
        hopeful = bool(unreached) and state.reached_for.get(unreached[0], 0) < _HOPE
        if unreached and roll < (0.36 if hopeful else 0.22):
            return self._reach(unreached)
        if state.bases and roll < 0.58:
            further = self._walk() if state.chance.random() < _WALKS else self._detour()
            if further is not None:
                return further
        if state.bases and roll < 0.66:
            varied = self._vary()
            if varied is not None:
                return varied
        if state.bases and roll < 0.93:
            return self._probe()
        return self._mutate(unreached)

    def _oracle(self) -> Attempt | None:
        """A second look at what an oracle has said, or, by turns, a request that only an oracle would send."""
        state = self.state
        turn = state.planned // _ORACLES_EVERY
        least = Severity.LOW if turn % 4 else Severity.INFO  # what is merely worth knowing waits longer
        urgent = state.triage.next_alarm(least) if turn % 2 or not turn % 4 else None
        seed = self._desk.next(state.bases, self._context(())) if urgent is None else None
        urgent = urgent or (state.triage.next_alarm() if seed is None else None)
        if urgent is not None:
            return Attempt(self._plan(urgent[1], tries=_LATER_TRIES), Kind.BUG, bug=urgent[0])
        if seed is None or self._holds_back(seed):
            return None
        return Attempt(self._plan(seed, tries=_LATER_TRIES), Kind.ORACLE)

    def _rest(self) -> Attempt | None:
        """The next flow that shows nothing new in itself."""
        if not self.state.rest:
            return None
        item = self.state.rest.pop(0)
        return Attempt(self._plan(self._seed(item)), Kind.FIRST, item)

    def _again(self) -> Attempt:
        """A flow that failed, with what was learnt since."""
        item = self.state.again.pop(0)
        return Attempt(self._plan(self._seed(item)), Kind.AGAIN, item)

    def _probe(self) -> Attempt:
        """One thing wrong about one request at a time, at the end of the shortest flow that reaches it."""
        state = self.state
        every = list(state.variants)
        # Of two the one that is reached sooner: it costs less, and what is deep has its turn when that is done.
        drawn = [state.chance.choice(every) for _ in range(2)]
        operation = min(drawn, key=self._probing_costs)
        base = state.bases[state.chance.choice(state.variants[operation])]
        waiting = state.probes.get(operation)
        if waiting is None:
            declared = self.material.spec.operations[operation]
            parameters = (*declared.parameters, *self._fields.of(declared))
            waiting = tuple(probes_of(declared, parameters, self.material.spec, state.chance))
            state.probes[operation] = waiting
        some, state.probes[operation] = waiting[:_FAN], waiting[_FAN:]
        if some:
            return Attempt(self._plan(probing(base, some), tries=0), Kind.PROBE, operation=operation)
        seed = base
        names: list[str] = []
        for _ in range(1 + (state.chance.random() < 0.25)):
            mutator = state.bandit.choose(FIELD_FAULTS, state.chance)
            child = mutator(seed, self._context((), focus=len(seed.steps) - 1))
            if child is not None:
                seed = child
                names.append(mutator.__name__)
        return Attempt(self._plan(seed, tries=0), Kind.PROBE, mutators=tuple(names), operation=operation)

    def _probing_costs(self, operation: OperationId) -> tuple[bool, int]:
        """Nothing is left to break, or how many steps lead to it."""
        state = self.state
        return state.probes.get(operation) == (), len(state.bases[state.variants[operation][0]].steps)

    def _walk(self) -> Attempt | None:
        """A few operations one after the other on what a flow has built, the first where nobody has tried it yet."""
        state = self.state
        every = list(state.bases)
        drawn = [state.chance.choice(every) for _ in range(_DRAWN)]
        first = max(drawn, key=lambda one: len(state.bases[one].steps))
        base = state.bases[first]
        related = self._related(base)
        untried = [one for one in related if (first, one) not in state.paired]
        if not related:
            return None
        changing = [one for one in untried if self.material.spec.operations[one].method not in READS]
        steps = [state.chance.choice(changing or untried or related)]
        state.paired.add((first, steps[0]))
        while len(steps) < _WALK and state.chance.random() < 0.8:
            steps.append(state.chance.choice(self._related(base) or related))
        entries = list(base.source.entries)
        for operation in steps:
            entry = invented_entry(operation, self._values, user=self._sender(base, operation))
            entries.append(replace(entry, at=entries[-1].at + 1.0))
        seed = self._completer.complete(
            Slice(tuple(entries)), origin=base.origin, parents=(base.id,), mutations=("walk",)
        )
        return Attempt(self._plan(seed, tries=1), Kind.WALK, operation=steps[-1])

    def _detour(self) -> Attempt | None:
        """A flow that works, with a change put in front of its last step."""
        state = self.state
        detour = self._detours.next(state.detours, state.bases, state.variants, state.chance)
        if detour is None:
            return None
        seed = self._completer.complete(detour.piece, parents=(detour.parent,), mutations=("detour",))
        return Attempt(self._plan(seed, tries=1), Kind.DETOUR, way=detour.way)

    def _vary(self) -> Attempt | None:
        """An operation with one more of its choices made, at the end of the shortest flow that reaches it."""
        state = self.state
        operation = state.chance.choice(list(state.variants))
        waiting = state.variations.get(operation)
        if waiting is None:
            every = list(self._choices.variations(self.material.spec.operations[operation]))
            state.chance.shuffle(every)
            waiting = tuple(every)
        base = state.bases[state.chance.choice(state.variants[operation])]
        *before, last = base.source.entries
        while waiting:
            variation, waiting = waiting[0], waiting[1:]
            if last.arguments.get(variation.ref) == variation.value or variation.ref in last.uses:
                continue
            varied = replace(
                last, arguments=last.arguments.with_value(variation.ref, variation.value), source=None
            )
            state.variations[operation] = waiting
            seed = self._completer.complete(
                Slice((*before, varied)), origin=base.origin, parents=(base.id,), mutations=("vary",)
            )
            return Attempt(self._plan(seed, tries=1), Kind.VARY, operation=operation)
        state.variations[operation] = ()
        return None

    def _related(self, base: Seed) -> list[OperationId]:
        """Operations on what a flow is about: mostly its innermost things, sometimes what they are in."""
        about = sorted(
            (one for one in base.source.instances if one.resource not in self.material.model.acting_users),
            key=lambda one: (-len(one.ancestors()), one.resource, one.value),
        )
        if not about:
            return []
        depth = len(about[0].ancestors()) if self.state.chance.random() < 0.7 else 0
        inner = self.state.chance.choice([one for one in about if len(one.ancestors()) >= depth])
        covered = self.state.feedback.covered
        return [one for one in self._users_of.get(inner.resource, ()) if one in covered]

    def _sender(self, base: Seed, operation: OperationId) -> UserId:
        """The flow's own user, or somebody else for what is only done to other people's things."""
        users = base.users
        if operation in self._people.for_others or self.state.chance.random() < 0.15:
            others = [one for one in users if one != base.source.user]
            return self.state.chance.choice(others) if others else COLLEAGUE
        return base.source.user

    def _reach(self, unreached: Sequence[OperationId]) -> Attempt:
        """Try an operation that was never answered 2XX: alone, or on what a working flow has built."""
        state = self.state
        operation = unreached[0]
        state.reached_for[operation] = state.reached_for.get(operation, 0) + 1
        self._reaches += 1
        context = self._context(unreached)
        tried = state.reached_for[operation]
        if tried % 3 == 1 or not state.pool.items:
            piece = augment(
                self.material.spec,
                [one for one in self.material.spec.operations if one != operation],
                self._values,
            )[0]
            seed = self._completer.complete(piece, origin=Origin.AUGMENTED)
            return Attempt(self._plan(seed), Kind.REACH, operation=operation)
        base = self._flow_with(operation)
        seed = grafted(base, operation, context)
        return Attempt(self._plan(seed), Kind.REACH, operation=operation)

    def _flow_with(self, operation: OperationId) -> Seed:
        """A working flow that has an instance the operation needs, else any."""
        state = self.state
        index = self._working.drawn(self._needs.get(operation, ()), state.chance)
        return self._seed(state.pool.choose(state.chance) if index is None else index)

    def _mutate(self, unreached: Sequence[OperationId]) -> Attempt:
        state = self.state
        index = state.pool.choose(state.chance)
        seed = self._seed(index)
        context = self._context(unreached)
        names: list[str] = []
        families = state.chance.choice(
            ((BUSINESS,), (BUSINESS, ORDER_FAULTS), (ORDER_FAULTS,), (BUSINESS, BUSINESS))
        )
        for family in families:
            for _ in range(1 + (state.chance.random() < 0.3)):
                mutator = state.bandit.choose(family, state.chance)
                child = mutator(seed, context)
                if child is not None and not self._holds_back(child):
                    seed = child
                    names.append(mutator.__name__)
                else:
                    state.bandit.told(mutator.__name__, success=False)
        return Attempt(self._plan(seed, tries=1), Kind.MUTATE, index, tuple(names))

    def _holds_back(self, seed: Seed) -> bool:
        return any(step.entry.operation in self.rules.held_back for step in seed.steps)

    def _plan(self, seed: Seed, *, tries: int | None = None) -> Plan:
        state = self.state
        number = state.planned
        state.planned += 1
        parts = cast(seed, self.rules.everybody)
        covered = state.feedback.covered
        budget = tuple(
            (_LATER_TRIES if step.entry.operation in covered else _FIRST_TRIES) if tries is None else tries
            for step in seed.steps
        )
        if self.rules.depth is Depth.SLICES:
            budget = (0,) * len(seed.steps)
        return Plan(
            seed=seed,
            number=number,
            token=_token(self.rules.random_seed, number),
            actors=actors(seed, parts, self.rules.everybody, state.knowledge),
            everybody=self.rules.everybody,
            cast={str(user): name for user, name in parts.items()},
            people=self.rules.people,
            candidates=self._candidates(seed),
            fresh=names_to_make(seed, self.material.model, state.knowledge.unique),
            tries=budget,
            corpus=self._corpus,
            patience=state.knowledge.patience,
            expected=tuple(step.entry.operation in covered for step in seed.steps),
        )

    def _candidates(self, seed: Seed) -> dict[tuple[int, ParameterRef], tuple[Binding, ...]]:
        return {
            (wire.step, wire.parameter): self.state.knowledge.ordered(
                dependency.resource,
                seed.steps[wire.producer].entry.operation,
                wire.parameter.pointer,
                sources_of(wire, seed, self.material.model),
            )
            for wire in seed.wires
            if (dependency := self._dependencies.get(wire.parameter)) is not None
        }

    def _seed(self, index: int) -> Seed:
        item = self.state.pool.items[index]
        if item.seed is not None:
            return item.seed
        if self.rules.depth is Depth.SLICES:
            steps = tuple(Step(entry, item.origin) for entry in item.piece.entries)
            return make_seed(steps, (), item.piece, item.origin)
        return self._completer.complete(item.piece, origin=item.origin, reuse=self.rules.reuse)

    def _context(self, wanted: Sequence[OperationId], *, focus: int | None = None) -> MutationContext:
        return MutationContext(
            chance=self.state.chance,
            spec=self.material.spec,
            model=self.material.model,
            corpus=self._corpus,
            completer=self._completer,
            values=self._values,
            fields=self._fields,
            slices=self.material.slices,
            by_instance=self._by_instance,
            by_resource=self._by_resource,
            wanted=wanted,
            users_of=self._users_of,
            focus=focus,
        )

    def _unreached(self) -> list[OperationId]:
        """Operations never answered 2XX, the least tried first."""
        covered = self.state.feedback.covered
        tried = self.state.reached_for
        mark = (len(covered), self._reaches)  # neither ever shrinks
        if mark != self._unreached_at:
            self._unreached_at = mark
            self._unreached_then = sorted(
                (one for one in self._operations if one not in covered), key=lambda one: tried.get(one, 0)
            )
        return self._unreached_then

    # Learning ---------------------------------------------------------------------------------------

    def observe(self, attempt: Attempt, performance: Performance) -> list[Event]:
        """Take in a performance. To be called in the order of planning."""
        state = self.state
        state.observed += 1
        state.under_way.pop(attempt.plan.number, None)
        seed = attempt.plan.seed
        events: list[Event] = [
            ExchangeDone(one.at, seed.id, attempt.plan.number, one) for one in performance.exchanges
        ]
        at = performance.exchanges[-1].at if performance.exchanges else 0.0
        gain, first = state.feedback.told(performance)
        events.extend(OperationCovered(at, operation) for operation in first)
        learn_from(performance, state.knowledge, self.material.model.creations, self._completer.followed)
        alarms = self._desk.told(
            performance,
            state.feedback.statuses,
            closely=attempt.kind in (Kind.BUG, Kind.ORACLE),
            first_play=attempt.kind in (Kind.FIRST, Kind.AGAIN),
        )
        failures = state.triage.failures
        events.extend(state.triage.told(performance, alarms, at_once=self.rules.depth is not Depth.FUZZ))
        gain += 5.0 * (state.triage.failures - failures)
        if attempt.bug is not None:
            events.extend(state.triage.settled(attempt.bug, performance, alarms))
        self._credit(attempt, performance, gain, events, at)
        if state.observed % _RELEARN_EVERY == 0:
            self._learn()
        return events

    def _credit(
        self, attempt: Attempt, performance: Performance, gain: float, events: list[Event], at: float
    ) -> None:
        state = self.state
        share = _good_share(performance)
        for name in attempt.mutators:
            state.bandit.told(name, success=gain >= 1.0)
        if attempt.item >= 0:
            item = state.pool.items[attempt.item]
            item.plays += 1
            if attempt.kind in (Kind.FIRST, Kind.AGAIN):
                item.gain += gain
                item.good_share = max(item.good_share, share)
                self._working.told(attempt.item, item)
                self._flow_result(attempt, performance, item, events, at)
            else:
                item.gain += 0.3 * gain
        self._ways.keep(performance, state, whole=attempt.kind in (Kind.FIRST, Kind.AGAIN))
        if attempt.way:
            state.detours.told(attempt.way, barred=barred_at(attempt.way, performance))
        if gain >= 1.0 and attempt.kind in _GROWING:
            child = PoolItem(attempt.plan.seed.source, attempt.plan.seed.origin, attempt.plan.seed)
            child.gain, child.good_share = gain, share
            self._working.told(state.pool.add(child), child)
            events.append(SeedAdded(at, attempt.plan.seed, f"{attempt.kind}: {gain:.1f} new"))

    def _flow_result(
        self, attempt: Attempt, performance: Performance, item: PoolItem, events: list[Event], at: float
    ) -> None:
        own: list[bool] = []
        steps = zip(attempt.plan.seed.steps, performance.results, strict=True)
        for index, (step, result) in enumerate(steps):
            if step.origin in (Origin.CREATION, Origin.LISTING):
                continue
            own.append(result.exchange.ok or 300 <= result.exchange.status < 400)
            place = step.entry.source
            if place is not None and 200 <= step.entry.status < 300:
                self.state.played.add(place)
                if result.exchange.ok:
                    self.state.repeated.add(place)
                    self.state.refused.pop(place, None)
                elif place not in self.state.repeated:
                    self.state.refused[place] = str(cause_of(performance, index))
        if all(own):
            if item.origin is Origin.LOG and not item.joined and not item.replayed:
                item.replayed = True
                events.append(FlowReplayed(at, attempt.plan.seed.id))
        elif item.plays <= 3:
            self.state.again.append(attempt.item)

    def _learn(self) -> None:
        """Completion with what is known by now."""
        state = self.state
        self._corpus = state.knowledge.corpus(self.material.corpus)
        self._values = ValueMaker(
            self.material.spec,
            self._corpus,
            state.chance,
            now=self.rules.now,
            fields=self._fields,
            kinship=self._kinship,
            doubtful=state.knowledge.doubtful() - with_bodies(self.material.corpus),
            wanted=state.knowledge.wanted,
        )
        self._completer = Completer(
            self.material.spec,
            self.material.model,
            self._values,
            people=self._people,
            creator_scores=state.knowledge.creator_scores(),
            held_back=self.rules.held_back,
            recipes=self._recipes(),
            introductions=self._introductions if self.rules.reuse else None,
        )

    def _recipes(self) -> dict[OperationId, Recipe]:
        """What to do before which operation: nothing while that works, else what has worked best."""
        if not self.rules.reuse:
            return {}
        tallies = self.state.knowledge.recipes
        chosen: dict[OperationId, Recipe] = {}
        for operation, known in self._book.recipes.items():
            usual = self._book.always.get(operation)
            plain = tallies.get((operation, ()))
            options = [usual] if usual is not None else []
            if plain is not None and plain.good == 0 and plain.bad > 0:
                options.extend(known)
            if options:
                chosen[operation] = max(
                    options, key=lambda one: tallies.get((one.entry.operation, one.signature), Tally()).rate
                )
        return chosen

    def _fill_pool(self) -> None:
        state = self.state
        playable = [
            piece
            for piece in self.material.slices
            if not any(entry.operation in self.rules.held_back for entry in piece.entries)
        ]
        leading, following = in_playing_order(playable)
        items = [PoolItem(piece, Origin.LOG) for piece in leading]
        if self.rules.depth is not Depth.SLICES:
            shown = {entry.operation for piece in playable for entry in piece.entries}
            missing = augment(self.material.spec, shown | self.rules.held_back, self._values)
            items = interleaved(items, [PoolItem(piece, Origin.AUGMENTED) for piece in missing])
        if self.rules.depth is Depth.FUZZ and self.rules.reuse:
            lives = cases(playable, self.material.model, self.material.spec)
            items += [PoolItem(piece, Origin.LOG, joined=True) for piece in lives[:_FIRST_CASES]]
            state.rest.extend(
                state.pool.add(PoolItem(piece, Origin.LOG, joined=True)) for piece in lives[_FIRST_CASES:]
            )
        state.queue.extend(state.pool.add(item) for item in items)
        state.rest.extend(state.pool.add(PoolItem(piece, Origin.LOG)) for piece in following)


def _sequence(item: PoolItem) -> tuple[OperationId, ...]:
    return tuple(entry.operation for entry in item.piece.entries)


def _good_share(performance: Performance) -> float:
    good = sum(result.exchange.ok for result in performance.results)
    return good / len(performance.results) if performance.results else 0.0


def _token(random_seed: int, number: int) -> str:
    """Four or more letters and digits, different for every plan of every campaign."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    value = (random_seed % 46_656) * 1_679_616 + number
    text = ""
    while value or len(text) < 4:
        value, rest = divmod(value, 36)
        text = digits[rest] + text
    return text
