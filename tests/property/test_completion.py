"""lobrest's completion of slices: its laws, and the literal algorithm where nothing is added to it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st
from tests.reference.paper import BoundRequest, rcsc

from lobrest.enhance.complete import Completer
from lobrest.enhance.values import ValueMaker
from lobrest.model.corpus import Corpus
from lobrest.model.entry import Arguments, LogEntry, Place, UserId
from lobrest.model.operation import (
    ApiSpec,
    Location,
    Method,
    Operation,
    OperationId,
    Parameter,
    ParameterRef,
    RequestBody,
)
from lobrest.model.resource import (
    Binding,
    Creation,
    Dependency,
    Resource,
    ResourceInstance,
    ResourceModel,
    ResourceName,
    Retrieval,
    Source,
)
from lobrest.model.seed import Origin, Seed
from lobrest.model.slice import Slice

MOST_ADDED = 60
"""Far above what completion adds on purpose; a closure that does not end gets there."""


@dataclass(frozen=True)
class Kind:
    """A resource of a made-up service, numbered; a parent has a smaller number."""

    number: int
    parent: int | None
    created: bool = True
    listed: bool = False
    needs: tuple[int, ...] = ()
    """Resources that the body of its creation refers to: they may need each other."""
    refers: int | None = None
    """A resource that an action on it refers to."""


class Service:
    """A specification and its analysis for a forest of resources."""

    def __init__(self, kinds: tuple[Kind, ...], acting: frozenset[int] = frozenset()) -> None:
        self.kinds = kinds
        self.operations: dict[OperationId, Operation] = {}
        self.dependencies: dict[ParameterRef, Dependency] = {}
        for kind in kinds:
            if kind.created:
                self._declare("POST", self.path(kind), kind.needs)
            if kind.listed:
                self._declare("GET", self.path(kind), ())
            self._declare("GET", self.item(kind), ())
            self._declare("POST", self.item(kind) + "/act", () if kind.refers is None else (kind.refers,))
        self.spec = ApiSpec("made up", "1", self.operations)
        creators = {kind.number: OperationId(f"POST {self.path(kind)}") for kind in kinds if kind.created}
        listers = {kind.number: OperationId(f"GET {self.path(kind)}") for kind in kinds if kind.listed}
        self.model = ResourceModel(
            service="made up",
            resources={
                self.name(kind): Resource(
                    self.name(kind),
                    None if kind.parent is None else self.name(kinds[kind.parent]),
                    tuple(creators[n] for n in [kind.number] if n in creators),
                    tuple(listers[n] for n in [kind.number] if n in listers),
                )
                for kind in kinds
            },
            creations={op: Creation(op, self.name(kinds[n])) for n, op in creators.items()},
            retrievals={op: Retrieval(op, self.name(kinds[n])) for n, op in listers.items()},
            dependencies=self.dependencies,
            acting_users=frozenset(self.name(kinds[n]) for n in acting),
        )

    def path(self, kind: Kind) -> str:
        above = "" if kind.parent is None else self.item(self.kinds[kind.parent])
        return f"{above}/r{kind.number}"

    def item(self, kind: Kind) -> str:
        return f"{self.path(kind)}/{{id{kind.number}}}"

    def name(self, kind: Kind) -> ResourceName:
        return ResourceName(self.path(kind))

    def line(self, kind: Kind) -> list[Kind]:
        """From the root down to the kind."""
        above = [] if kind.parent is None else self.line(self.kinds[kind.parent])
        return [*above, kind]

    def _declare(self, method: str, template: str, body: tuple[int, ...]) -> None:
        operation = OperationId(f"{method} {template}")
        in_path = [kind for kind in self.kinds if f"{{id{kind.number}}}" in template]
        for kind in in_path:
            self._depend(ParameterRef(operation, Location.PATH, f"id{kind.number}"), kind)
        for number in body:
            self._depend(ParameterRef(operation, Location.BODY, f"ref{number}"), self.kinds[number])
        fields = {f"ref{number}": {"type": "string", "minLength": 1} for number in body}
        schema = {"type": "object", "properties": fields, "required": list(fields)}
        self.operations[operation] = Operation(
            operation,
            Method(method),
            template,
            tuple(
                Parameter(
                    ParameterRef(operation, Location.PATH, f"id{kind.number}"), True, {"type": "string"}
                )
                for kind in in_path
            ),
            RequestBody(True, {"application/json": schema}) if body else None,
        )

    def _depend(self, ref: ParameterRef, kind: Kind) -> None:
        self.dependencies[ref] = Dependency(ref, self.name(kind), (Binding(Source.RESPONSE, "id"),))

    def entry(
        self,
        operation: str,
        at: float,
        instances: list[ResourceInstance],
        others: tuple[ResourceInstance, ...] = (),
        creates: ResourceInstance | None = None,
    ) -> LogEntry:
        """A logged request on a line of instances, root first, and further ones in its body."""
        declared = self.operations[OperationId(operation)]
        path = {p.ref.pointer: i.value for p, i in zip(declared.parameters, instances, strict=True)}
        uses = {p.ref: i for p, i in zip(declared.parameters, instances, strict=True)}
        body = {}
        for other in others:
            number = other.resource.rpartition("/r")[2]
            uses[ParameterRef(declared.id, Location.BODY, f"ref{number}")] = other
            body[f"ref{number}"] = other.value
        arguments = Arguments(path=path, body=body or None, has_body=bool(body))
        return LogEntry(
            at, declared.id, arguments, UserId("me"), 200, uses, creates, Place("log", int(at) + 1)
        )

    def complete(self, piece: Slice, *, reuse: bool = True) -> Seed:
        values = ValueMaker(self.spec, Corpus(), random.Random(0), now=0.0)
        return Completer(self.spec, self.model, values).complete(piece, reuse=reuse)


def instances_of(service: Service, kind: Kind) -> st.SearchStrategy[ResourceInstance]:
    """One of few instances of a kind, inside one of few instances of its parent."""

    def inside(values: list[str]) -> ResourceInstance:
        made: ResourceInstance | None = None
        for step, value in zip(service.line(kind), values, strict=True):
            made = ResourceInstance(service.name(step), value, made)
        assert made is not None
        return made

    depth = len(service.line(kind))
    return st.lists(st.sampled_from(["a", "b"]), min_size=depth, max_size=depth).map(inside)


def line_of(instance: ResourceInstance) -> list[ResourceInstance]:
    return [*reversed(instance.ancestors()), instance]


@st.composite
def services(draw: st.DrawFn, *, simple: bool = False) -> Service:
    """``simple``: everything has a creator that needs nothing but what it is inside."""
    count = draw(st.integers(1, 5))
    numbers = st.integers(0, count - 1)
    kinds = []
    for number in range(count):
        parent = draw(st.none() | st.integers(0, number - 1)) if number else None
        kinds.append(
            Kind(
                number,
                parent,
                created=simple or draw(st.integers(0, 3)) > 0,
                listed=draw(st.booleans()),
                needs=() if simple else draw(st.lists(numbers, max_size=2, unique=True).map(tuple)),
                refers=draw(st.none() | numbers),
            )
        )
    return Service(tuple(kinds))


@st.composite
def slices_of(draw: st.DrawFn, service: Service) -> Slice:
    """Requests on things and with references to others; some create what later requests may use."""
    entries: list[LogEntry] = []
    for at in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(service.kinds))
        instance = draw(instances_of(service, kind))
        what = draw(st.sampled_from(["get", "act", "create"]))
        if what == "create" and kind.created:
            others = tuple(draw(instances_of(service, service.kinds[n])) for n in kind.needs)
            above = line_of(instance)[:-1]
            entries.append(service.entry(f"POST {service.path(kind)}", at, above, others, instance))
        elif what == "act":
            other = () if kind.refers is None else (draw(instances_of(service, service.kinds[kind.refers])),)
            entries.append(service.entry(f"POST {service.item(kind)}/act", at, line_of(instance), other))
        else:
            entries.append(service.entry(f"GET {service.item(kind)}", at, line_of(instance)))
    return Slice(tuple(entries))


def a_child_of_what_the_slice_creates() -> tuple[Service, Slice]:
    service = Service((Kind(0, None), Kind(1, 0)))
    outer, inner = service.kinds
    thing = ResourceInstance(service.name(outer), "a")
    child = ResourceInstance(service.name(inner), "a", thing)
    made = service.entry(f"POST {service.path(outer)}", 0, [], creates=thing)
    return service, Slice((made, service.entry(f"GET {service.item(inner)}", 1, [thing, child])))


worlds = services().flatmap(lambda service: st.tuples(st.just(service), slices_of(service)))
simple_worlds = services(simple=True).flatmap(lambda one: st.tuples(st.just(one), slices_of(one)))


def producers(seed: Seed) -> dict[ResourceInstance, set[int]]:
    found: dict[ResourceInstance, set[int]] = {}
    for wire in seed.wires:
        found.setdefault(wire.instance, set()).add(wire.producer)
    return found


def sites(seed: Seed) -> Iterator[tuple[int, ParameterRef, ResourceInstance]]:
    for index, step in enumerate(seed.steps):
        for ref, instance in step.entry.uses.items():
            yield index, ref, instance


@given(worlds)
def test_the_slice_itself_stays_as_it_is_and_in_order(world: tuple[Service, Slice]):
    service, piece = world
    seed = service.complete(piece)
    assert [step.entry for step in seed.steps if step.origin is Origin.LOG] == list(piece.entries)
    assert seed.source == piece


@given(worlds)
def test_producers_come_before_their_consumers(world: tuple[Service, Slice]):
    service, piece = world
    seed = service.complete(piece)
    for wire in seed.wires:
        assert wire.producer < wire.step
        assert seed.steps[wire.step].entry.uses[wire.parameter] == wire.instance
        producer = seed.steps[wire.producer]
        if producer.origin is not Origin.LISTING:
            assert producer.entry.creates == wire.instance


@given(worlds)
def test_parents_are_made_before_their_children(world: tuple[Service, Slice]):
    service, piece = world
    seed = service.complete(piece)
    made = producers(seed)
    for instance, steps in made.items():
        for ancestor in instance.ancestors():
            if ancestor in made:
                assert min(made[ancestor]) < min(steps)


@given(worlds)
def test_one_instance_is_made_once_and_another_elsewhere(world: tuple[Service, Slice]):
    """A log may create a thing that it used before: then only the uses in between have another producer."""
    service, piece = world
    seed = service.complete(piece)
    added = Counter(step.entry.creates for step in seed.steps if step.origin is Origin.CREATION)
    assert all(times == 1 for times in added.values())
    makers: dict[int, set[ResourceInstance]] = {}
    for instance, steps in producers(seed).items():
        in_front = [index for index in steps if seed.steps[index].origin is not Origin.LOG]
        assert len(in_front) <= 1
        for index in steps:
            makers.setdefault(index, set()).add(instance)
    for index, instances in makers.items():
        if seed.steps[index].origin is not Origin.LISTING:
            assert len(instances) == 1


@given(worlds)
def test_no_instance_is_lost(world: tuple[Service, Slice]):
    """Every site gets its value from a step before it, or the seed says that it keeps the one of the log."""
    service, piece = world
    seed = service.complete(piece)
    wired = {(wire.step, wire.parameter) for wire in seed.wires}
    for index, ref, instance in sites(seed):
        if (index, ref) not in wired:
            assert any(note.startswith(f"{instance.resource} (") for note in seed.notes), (index, ref)


@given(worlds)
def test_nothing_is_added_in_vain(world: tuple[Service, Slice]):
    """What completion makes or finds is used: an added step that nobody takes from stands in the wrong place."""
    service, piece = world
    seed = service.complete(piece)
    used = {wire.producer for wire in seed.wires}
    for index, step in enumerate(seed.steps):
        if step.origin in (Origin.CREATION, Origin.LISTING):
            assert index in used, step.reason


@given(worlds)
def test_closure_ends(world: tuple[Service, Slice]):
    """Also where creations need each other in a circle."""
    service, piece = world
    seed = service.complete(piece)
    assert len(seed.steps) <= len(piece.entries) + MOST_ADDED
    assert service.complete(piece) == seed


@given(simple_worlds)
@example(world=a_child_of_what_the_slice_creates())
def test_what_the_slice_creates_before_use_is_not_created_again(world: tuple[Service, Slice]):
    service, piece = world
    seed = service.complete(piece)
    used: set[ResourceInstance] = set()
    own: set[ResourceInstance] = set()
    for entry in piece.entries:
        used |= {one for instance in entry.uses.values() for one in line_of(instance)}
        if entry.creates is not None and entry.creates not in used:
            own.add(entry.creates)
    assert not own & {step.entry.creates for step in seed.steps if step.origin is Origin.CREATION}


@given(simple_worlds)
@example(world=a_child_of_what_the_slice_creates())
def test_a_child_is_made_inside_the_parent_it_is_used_with(world: tuple[Service, Slice]):
    """Where a step names a thing and what it is inside, both come from one creation of the parent."""
    service, piece = world
    seed = service.complete(piece)
    producer_of = {(wire.step, wire.instance): wire.producer for wire in seed.wires}
    for (step, instance), maker in producer_of.items():
        if instance.parent is not None and (step, instance.parent) in producer_of:
            assert producer_of[maker, instance.parent] == producer_of[step, instance.parent]


@given(simple_worlds)
def test_without_reuse_and_closure_it_is_the_papers_algorithm(world: tuple[Service, Slice]):
    """Creators that need only what they are inside leave nothing to close over: Algorithm 3 to the letter."""
    service, piece = world
    # What an entry makes is not among its I_e here: the paper has no word for it, and creates what is used.
    sigma = [BoundRequest(frozenset(entry.uses.values()), dict(entry.uses)) for entry in piece.entries]

    def create_entry(instance: ResourceInstance) -> BoundRequest[ResourceInstance, ParameterRef]:
        kind = next(one for one in service.kinds if service.name(one) == instance.resource)
        entry = service.entry(f"POST {service.path(kind)}", 0, line_of(instance)[:-1])
        return BoundRequest(frozenset(entry.uses.values()), dict(entry.uses))

    everything = [one for entry in sigma for used in entry.phi.values() for one in line_of(used)]
    expected = rcsc(
        [BoundRequest(frozenset(one for used in e.instances for one in line_of(used)), e.phi) for e in sigma],
        create_entry=create_entry,
        layer_order=lambda one: (len(one.ancestors()), f"{everything.index(one):06}"),
    )
    seed = service.complete(piece, reuse=False)
    front = len(seed.steps) - len(sigma)
    assert tuple(step.entry.creates for step in seed.steps[:front]) == expected.created
    assert {(wire.step, wire.parameter): wire.producer for wire in seed.wires} == expected.phi
    assert [dict(step.entry.uses) for step in seed.steps] == [dict(entry.phi) for entry in expected.entries]
    depths = [len(one.ancestors()) for one in expected.created]
    assert all(upper <= lower for upper, lower in pairwise(depths))


@given(services(simple=True), st.data())
def test_people_are_named_not_created(shape: Service, data: st.DataObject):
    """A parameter that names who acts gets the identity of whoever plays that user."""
    service = Service(shape.kinds, acting=frozenset({0}))
    instance = data.draw(instances_of(service, service.kinds[0]))
    seed = service.complete(Slice((service.entry(f"GET {service.item(service.kinds[0])}", 0, [instance]),)))
    assert [step.origin for step in seed.steps] == [Origin.LOG]
    assert [(identity.step, identity.user) for identity in seed.identities] == [(0, UserId("me"))]
