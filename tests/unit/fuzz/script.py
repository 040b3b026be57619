"""Plays and campaigns as scripts of answers: a service is a function from requests to answers."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence

from tests.unit.enhance.world import World

from lobrest.fuzz.context import MutationContext
from lobrest.fuzz.engine import Engine
from lobrest.fuzz.play import Performance, Plan, Player, Reply, Send, Wait
from lobrest.fuzz.render import Renderer
from lobrest.fuzz.state import Attempt, Material, Rules
from lobrest.model.corpus import Corpus
from lobrest.model.event import Event
from lobrest.model.exchange import Failure, Request, Response
from lobrest.model.operation import Json, OperationId, ParameterRef
from lobrest.model.resource import Binding, Source
from lobrest.model.seed import Origin, Seed
from lobrest.model.slice import Slice
from lobrest.spec.fields import BodyFields
from lobrest.spec.router import Router

Service = Callable[[Request], Response | Failure]


def answer(status: int, body: object = None, **headers: str) -> Response:
    """An answer with a JSON body."""
    return Response(status, tuple(headers.items()), b"" if body is None else json.dumps(body).encode())


def sent(request: Request) -> Json:
    """The JSON body of a request."""
    decoded: Json = json.loads(request.body) if request.body else None
    return decoded


def player_of(world: World) -> Player:
    spec = world.spec
    return Player(spec, world.model, Renderer(spec, Router(spec), base_path=""), now=1_700_000_000.0)


def plan_of(
    world: World,
    seed: Seed,
    *,
    everybody: tuple[str, ...] = ("ann", "bo"),
    cast: Mapping[str, str] | None = None,
    people: Mapping[str, Json] | None = None,
    candidates: Mapping[tuple[int, ParameterRef], tuple[Binding, ...]] | None = None,
    fresh: frozenset[tuple[int, ParameterRef]] = frozenset(),
    tries: int = 0,
    corpus: Corpus | None = None,
    token: str = "0007",
) -> Plan:
    """A plan in which everybody of the log plays themselves."""
    parts = dict(cast or {str(user): str(user) for user in seed.users})
    if candidates is None:
        candidates = {}
        for wire in seed.wires:
            listing = seed.steps[wire.producer].origin is Origin.LISTING
            known = world.dependencies[wire.parameter].bindings
            candidates[wire.step, wire.parameter] = tuple(
                one for one in known if (one.source is Source.LIST) == listing
            )
    return Plan(
        seed=seed,
        number=7,
        token=token,
        actors=tuple(parts.get(str(step.entry.user), everybody[0]) for step in seed.steps),
        everybody=everybody,
        cast=parts,
        people=people or {},
        candidates=candidates,
        fresh=fresh,
        tries=(tries,) * len(seed.steps),
        corpus=corpus or Corpus(),
    )


def play(player: Player, plan: Plan, service: Service) -> tuple[Performance, list[Request | Wait]]:
    """A play to its end, and everything it asked for."""
    asked: list[Request | Wait] = []
    conversation = player.play(plan)
    replies: Sequence[Reply] | None = None
    while True:
        try:
            ask = next(conversation) if replies is None else conversation.send(replies)
        except StopIteration as ended:
            return ended.value, asked
        if isinstance(ask, Wait):
            asked.append(ask)
            replies = ()
        else:
            asked.extend(ask.requests)
            replies = tuple(Reply(service(one), float(len(asked))) for one in ask.requests)


def engine_of(
    world: World,
    slices: Sequence[Slice] = (),
    *,
    corpus: Corpus | None = None,
    everybody: tuple[str, ...] = ("ann", "bo"),
    **rules: object,
) -> Engine:
    settings: dict = {"random_seed": 1, "people": {}, "now": 1_700_000_000.0, **rules}
    material = Material(world.spec, world.model, corpus or Corpus(), tuple(slices))
    return Engine(material, Rules(everybody=everybody, **settings))


def drive(
    world: World,
    engine: Engine,
    service: Service,
    *,
    plays: int,
    window: int = 1,
    arrival: Callable[[list[int]], int] = lambda waiting: waiting[0],
) -> tuple[list[Attempt], list[list[Request]], list[Event]]:
    """A campaign in a plain loop.

    ``window`` plays are under way at once; ``arrival`` picks which of them is answered next.
    What came of them is told in the order of planning, and for each one told another is planned.
    """
    player = player_of(world)
    attempts: list[Attempt] = []
    requests: list[list[Request]] = []
    events: list[Event] = []
    conversations: dict[int, tuple] = {}
    done: dict[int, Performance] = {}
    observed, clock = 0, 0.0
    while observed < plays:
        while len(attempts) < plays and len(attempts) - observed < window:
            attempt = engine.next()
            if attempt is None:
                plays = len(attempts)
                break
            conversation = player.play(attempt.plan)
            conversations[len(attempts)] = (conversation, next(conversation))
            attempts.append(attempt)
            requests.append([])
        if observed >= plays:
            break
        while observed not in done:
            number = arrival(sorted(conversations))
            conversation, ask = conversations[number]
            replies: list[Reply] = []
            if isinstance(ask, Send):
                for request in ask.requests:
                    clock += 0.01
                    requests[number].append(request)
                    replies.append(Reply(service(request), clock))
            try:
                conversations[number] = (conversation, conversation.send(tuple(replies)))
            except StopIteration as ended:
                done[number] = ended.value
                del conversations[number]
        events.extend(engine.observe(attempts[observed], done.pop(observed)))
        observed += 1
    return attempts, requests, events


def context_of(
    world: World,
    slices: Sequence[Slice] = (),
    *,
    corpus: Corpus | None = None,
    number: int = 0,
    wanted: Sequence[str] = (),
    focus: int | None = None,
) -> MutationContext:
    """What mutators may look at, with everything mined from the slices."""
    by_instance: dict = {}
    by_resource: dict = {}
    for position, piece in enumerate(slices):
        for instance in piece.instances:
            by_instance.setdefault(instance, []).append(position)
            if position not in by_resource.setdefault(instance.resource, []):
                by_resource[instance.resource].append(position)
    users_of: dict = {}
    for ref, dependency in world.dependencies.items():
        users_of.setdefault(dependency.resource, []).append(ref.operation)
    return MutationContext(
        chance=random.Random(number),
        spec=world.spec,
        model=world.model,
        corpus=corpus or Corpus(),
        completer=world.completer(corpus=corpus),
        values=world.values(corpus, number),
        fields=BodyFields(world.spec),
        slices=slices,
        by_instance=by_instance,
        by_resource=by_resource,
        wanted=[OperationId(one) for one in wanted],
        users_of=users_of,
        focus=focus,
    )
