"""A seed as a conversation: it asks for requests to be sent and is told the answers. No sockets, no clock."""

from __future__ import annotations

import random
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

from lobrest.enhance.kinship import Kinship
from lobrest.enhance.values import ValueMaker
from lobrest.fuzz.bind import document_of, fallback, value_of
from lobrest.fuzz.judge import message
from lobrest.fuzz.knowledge import ANY, Patience
from lobrest.fuzz.render import Renderer
from lobrest.fuzz.repair import Finding, Repairer, freshened
from lobrest.model.corpus import Corpus
from lobrest.model.entry import Arguments
from lobrest.model.exchange import Exchange, Failure, Request, Response
from lobrest.model.operation import ApiSpec, Json, Location, OperationId, ParameterRef
from lobrest.model.resource import Binding, ResourceModel, Source
from lobrest.model.seed import Identity, Origin, Seed, Wire
from lobrest.spec.fields import BodyFields

_UNSETTLED = re.compile(
    r"not ready|in progress|try again|please wait|being (prepared|checked|processed)|preparing|checking"
    r"|temporarily|locked|pending|not yet|busy",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(your|his|her|their|my) ?own\b|\byourself\b|\bself-?(approv|review)", re.IGNORECASE)
_TO_THEIR_OWN = 0
"""Instead of a status: what may not be done to one's own things."""
_VERSION = re.compile(r"(^|[/_-])(sha|etag|version|revision|rev|hash|digest)$", re.IGNORECASE)
"""What changes with the thing it is of: the last answer has it, not the first."""
_SETTLING = (404, 405, 409, 412, 422, 423, 425)
"""Statuses that a step may get because an earlier one has not settled."""
_LONGEST_WAIT = 8.0
_MENDABLE = (400, 409, 412, 415, 422)
_REBINDABLE = (400, 404, 422)


@dataclass(frozen=True, slots=True)
class Send:
    """Send these at once and answer with one reply each, in order."""

    requests: tuple[Request, ...]


@dataclass(frozen=True, slots=True)
class Wait:
    """Answer after this many seconds, with no replies."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a request, and when."""

    outcome: Response | Failure
    at: float


Ask: TypeAlias = Send | Wait
_Taken: TypeAlias = tuple[Json, Binding | None]
"""A value out of an earlier exchange, and the source that gave it, where one was known."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a play needs to decide by itself: a snapshot of what was known when it was planned."""

    seed: Seed
    number: int
    token: str
    """Makes names of this play different from those of any other."""
    actors: tuple[str, ...]
    """Credentials of each step."""
    everybody: tuple[str, ...]
    """All credentials, for steps that are refused."""
    cast: Mapping[str, str]
    """User of the log to credentials."""
    people: Mapping[str, Json]
    """Credentials to what the service says about their owner."""
    candidates: Mapping[tuple[int, ParameterRef], tuple[Binding, ...]]
    fresh: frozenset[tuple[int, ParameterRef]]
    tries: tuple[int, ...]
    """How often each step may be mended and sent again."""
    corpus: Corpus
    patience: Mapping[tuple[OperationId, int], Patience] = field(default_factory=dict)
    """How long operations were waited for, and whether that helped."""
    expected: tuple[bool, ...] = ()
    """For each step: has its operation worked before? Where it has, or the log shows so, it is waited for."""
    luck: str = ""
    """What chance is drawn from; the token where there is none. Plays of equal luck mend refusals alike."""


@dataclass(frozen=True, slots=True)
class Waited:
    """A step was answered with this status and sent again after so many seconds."""

    status: int
    seconds: float


@dataclass(slots=True)
class StepResult:
    """The last try of a step."""

    arguments: Arguments
    exchange: Exchange
    document: Json = None
    actor: str = ""
    bound: tuple[tuple[Wire, Binding], ...] = ()
    findings: tuple[Finding, ...] = ()
    waited: Waited | None = None


@dataclass(frozen=True, slots=True)
class Performance:
    """A seed played to its end."""

    plan: Plan
    results: tuple[StepResult, ...]
    exchanges: tuple[Exchange, ...]
    """Every exchange in order, tries that were mended included."""


@dataclass(slots=True)
class _Stage:
    plan: Plan
    repairer: Repairer
    wires: dict[int, list[Wire]] = field(default_factory=dict)
    identities: dict[int, list[Identity]] = field(default_factory=dict)
    fresh: dict[int, list[ParameterRef]] = field(default_factory=dict)
    wanted: frozenset[int] = frozenset()
    """Steps whose answers later ones take values from."""
    results: list[StepResult] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Try:
    """What a step sends, and as whom."""

    arguments: Arguments
    bound: tuple[tuple[Wire, Binding], ...]
    actor: str


@dataclass(slots=True)
class _Trial:
    """One step under way: what may still be tried."""

    first: _Try
    tries: int
    patient: bool
    """Is it worth waiting for although no answer says so?"""
    stand_ins: dict[int, list[str]] | None = None
    """By status who may still try it instead; found when it is refused."""
    passes: int = 0
    learnt: list[Finding] = field(default_factory=list)
    waits: dict[int, list[float]] = field(default_factory=dict)
    """By status the waits that are left."""
    waited: Waited | None = None


class Plays(Protocol):
    """Whoever turns plans into conversations."""

    def play(self, plan: Plan) -> Generator[Ask, Sequence[Reply], Performance]:
        """Ask for requests to be sent, be told the answers, and return what came of them."""


class Player:
    """Plays seeds of one service."""

    def __init__(self, spec: ApiSpec, model: ResourceModel, renderer: Renderer, *, now: float) -> None:
        self._spec = spec
        self._model = model
        self._renderer = renderer
        self._fields = BodyFields(spec)
        self._kinship = Kinship(spec)
        self._now = now

    def play(self, plan: Plan) -> Generator[Ask, Sequence[Reply], Performance]:
        """Ask for one step after the other; a failed step does not end the play."""
        chance = random.Random(f"play {plan.luck or plan.token}")
        values = ValueMaker(
            self._spec, plan.corpus, chance, now=self._now, fields=self._fields, kinship=self._kinship
        )
        stage = _Stage(plan, Repairer(self._spec, self._fields, values, chance))
        for wire in plan.seed.wires:
            stage.wires.setdefault(wire.step, []).append(wire)
        stage.wanted = frozenset(
            {wire.producer for wire in plan.seed.wires}
            | {one.owner_of for one in plan.seed.identities if one.owner_of is not None}
        )
        for identity in plan.seed.identities:
            stage.identities.setdefault(identity.step, []).append(identity)
        for at, ref in sorted(plan.fresh):
            stage.fresh.setdefault(at, []).append(ref)
        index = 0
        while index < len(plan.seed.steps):
            together = index + 1
            while together < len(plan.seed.steps) and plan.seed.steps[together].concurrent:
                together += 1
            if together - index > 1:
                yield from self._race(stage, index, together)
            else:
                yield from self._step(stage, index)
            index = together
        return Performance(plan, tuple(stage.results), tuple(stage.exchanges))

    def _race(self, stage: _Stage, start: int, end: int) -> Generator[Ask, Sequence[Reply], None]:
        prepared = [
            self._prepared(
                stage, index, [(wire, self._taken(stage, wire)) for wire in stage.wires.get(index, ())]
            )
            for index in range(start, end)
        ]
        requests = tuple(
            self._renderer.render(
                stage.plan.seed.steps[start + offset], arguments, actor=stage.plan.actors[start + offset]
            )
            for offset, (arguments, _) in enumerate(prepared)
        )
        replies = yield Send(requests)
        for offset, reply in enumerate(replies):
            arguments, bound = prepared[offset]
            self._keep(stage, start + offset, arguments, bound, requests[offset], reply, ())

    def _step(self, stage: _Stage, index: int) -> Generator[Ask, Sequence[Reply], None]:
        step = stage.plan.seed.steps[index]
        trial = self._trial(stage, index)
        current = trial.first
        answered = stage.results[-1].exchange.status // 100 if stage.results else 0
        if step.pause and (step.settled == 0 or step.settled != answered):
            yield Wait(step.pause)
        while True:
            request = self._renderer.render(step, current.arguments, actor=current.actor)
            (reply,) = yield Send((request,))
            result = self._keep(
                stage, index, current.arguments, current.bound, request, reply, tuple(trial.learnt)
            )
            result.waited = trial.waited
            if not isinstance(reply.outcome, Response) or step.broken or trial.tries == 0:
                return
            status = reply.outcome.status
            if status < 400 or status >= 500 or _is_there_already(stage.plan, index, result):
                return
            stage.results.pop()
            seconds = self._wait(stage, index, trial, reply.outcome, eager=True)
            other = None if seconds else self._other(stage, index, trial, current, reply.outcome)
            if other is None and not seconds:
                # Nothing else helps: as it was at first, a little later.
                seconds = self._wait(stage, index, trial, reply.outcome, eager=False)
                other = trial.first if seconds else None
            if seconds:
                before = trial.waited.seconds if trial.waited else 0.0
                trial.waited = Waited(trial.waited.status if trial.waited else status, before + seconds)
                yield Wait(seconds)
            elif other is None:
                stage.results.append(result)
                return
            current = other or current

    def _trial(self, stage: _Stage, index: int) -> _Trial:
        plan = stage.plan
        wires = stage.wires.get(index, ())
        taken = [(wire, self._taken(stage, wire)) for wire in wires]
        # Where an earlier step did not make what this one needs, trying again helps nobody.
        lost = any(value is None and wire.parameter.location is Location.PATH for wire, value in taken)
        entry = plan.seed.steps[index].entry
        logged = entry.source is not None and 200 <= entry.status < 300
        return _Trial(
            _Try(*self._prepared(stage, index, taken), plan.actors[index]),
            tries=0 if lost else plan.tries[index],
            patient=bool(wires) and (logged or (bool(plan.expected) and plan.expected[index])),
        )

    def _stand_ins(self, stage: _Stage, index: int) -> dict[int, list[str]]:
        plan = stage.plan
        actor = plan.actors[index]
        makers = [stage.results[wire.producer].actor for wire in stage.wires.get(index, ())]
        others = [name for name in dict.fromkeys([*makers, *plan.everybody]) if name != actor][:2]
        return {
            404: [name for name in dict.fromkeys(makers) if name != actor],
            403: list(others),
            401: list(others),
            # Whoever has made nothing of what the step is about goes before whoever has.
            _TO_THEIR_OWN: sorted(
                (name for name in plan.everybody if name != actor), key=makers.__contains__
            )[:2],
        }

    def _wait(self, stage: _Stage, index: int, trial: _Trial, refusal: Response, *, eager: bool) -> float:
        """Seconds to wait before the next try, 0 where waiting is not for now.

        ``eager``: only where the answer says that it is too early, or where waiting has helped before.
        """
        status = refusal.status
        if status not in _SETTLING:
            return 0.0
        asked = _asked_to_wait(refusal)
        told = asked > 0 or _UNSETTLED.search(message(refusal)) is not None
        known = stage.plan.patience.get((stage.plan.seed.steps[index].entry.operation, status), Patience())
        if not (told or (trial.patient and (known.helped > 0 or not eager))):
            return 0.0
        elsewhere = stage.plan.patience.get((ANY, status))
        left = trial.waits.setdefault(status, list(known.waits(told=told, elsewhere=elsewhere)))
        return max(left.pop(0), asked) if left else 0.0

    def _other(
        self, stage: _Stage, index: int, trial: _Trial, current: _Try, refusal: Response
    ) -> _Try | None:
        """Somebody else, another binding, or mended arguments; None where nothing is left to try."""
        plan, status = stage.plan, refusal.status
        step = plan.seed.steps[index]
        if trial.passes >= trial.tries:
            return None
        trial.passes += 1
        if trial.stand_ins is None:
            trial.stand_ins = self._stand_ins(stage, index)
        if trial.stand_ins.get(status) and not step.anonymous:
            return replace(current, actor=trial.stand_ins[status].pop(0))
        strangers = trial.stand_ins.get(_TO_THEIR_OWN)
        if strangers and not step.anonymous and _OWN.search(message(refusal)):
            return replace(current, actor=strangers.pop(0))
        rebound = (
            self._other_binding(stage, current.arguments, current.bound) if status in _REBINDABLE else None
        )
        if rebound is not None:
            return replace(current, arguments=rebound[0], bound=rebound[1])
        if status not in _MENDABLE:
            return None
        mended = stage.repairer.repaired(
            self._spec.operations[step.entry.operation],
            current.arguments,
            refusal,
            bound=frozenset(wire.parameter for wire, _ in current.bound)
            | {identity.parameter for identity in stage.identities.get(index, ())},
            token=f"{plan.token}{trial.passes}",
            tries=trial.passes - 1,
        )
        if mended is None:
            return None
        trial.learnt.extend(mended.findings)
        return replace(current, arguments=mended.arguments)

    def _prepared(
        self, stage: _Stage, index: int, taken: Sequence[tuple[Wire, _Taken | None]]
    ) -> tuple[Arguments, tuple[tuple[Wire, Binding], ...]]:
        """The step's arguments with identities, wired values and fresh names in place."""
        plan = stage.plan
        arguments = plan.seed.steps[index].entry.arguments
        for ref in stage.fresh.get(index, ()):
            current = arguments.get(ref)
            if isinstance(current, str) and current:
                arguments = arguments.with_value(ref, freshened(current, plan.token))
        bound: list[tuple[Wire, Binding]] = []
        path: dict[str, str] = {}
        for wire, found in taken:
            if found is not None:
                value, binding = found
                if wire.parameter.location is Location.PATH:
                    path[wire.parameter.pointer] = str(value)
                else:
                    arguments = _set(arguments, wire.parameter, value)
                if binding is not None:
                    bound.append((wire, binding))
        if path:
            arguments = arguments.with_path(path)
        for identity in stage.identities.get(index, ()):
            stated = self._stated(stage, identity)
            if stated is None and all(wire.parameter != identity.parameter for wire, _ in taken):
                stated = self._identity(stage, identity)
            if stated is not None:
                arguments = _set(arguments, identity.parameter, stated)
                bound = [one for one in bound if one[0].parameter != identity.parameter]
        return arguments, tuple(bound)

    def _stated(self, stage: _Stage, identity: Identity) -> Json:
        """The owner of what was made, where the answer says it."""
        if identity.owner_of is None or identity.owner_of >= len(stage.results):
            return None
        made = stage.results[identity.owner_of]
        if not made.exchange.ok or not isinstance(made.document, dict):
            return None
        dependency = self._model.dependencies.get(identity.parameter)
        for binding in dependency.bindings if dependency is not None else ():
            if binding.source is Source.RESPONSE and "/" in binding.pointer:
                value = value_of(binding, Arguments(), None, document=made.document)
                if value is not None:
                    return value
        stated = made.document.get(identity.parameter.pointer)
        return self._called(stated, identity) if isinstance(stated, dict) else None

    def _identity(self, stage: _Stage, identity: Identity) -> Json:
        """How the service calls a person: whoever made what is behind, else whoever plays the user."""
        plan = stage.plan
        name = plan.cast.get(identity.user, plan.everybody[0] if plan.everybody else "")
        if identity.owner_of is not None and identity.owner_of < len(stage.results):
            made = stage.results[identity.owner_of]
            name = made.actor if made.exchange.ok else name
        person = plan.people.get(name)
        if person is None:
            return name or None
        value = self._called(person, identity)
        return (
            value if value is not None else next(fallback(person, identity.parameter.pointer), name or None)
        )

    def _called(self, person: Json, identity: Identity) -> Json:
        dependency = self._model.dependencies.get(identity.parameter)
        for binding in dependency.bindings if dependency is not None else ():
            if binding.source in (Source.RESPONSE, Source.LIST):
                source = Binding(Source.RESPONSE, binding.pointer)
                value = value_of(source, Arguments(), None, document=person)
                if value is not None:
                    return value
        return None

    def _taken(self, stage: _Stage, wire: Wire) -> _Taken | None:
        result = stage.results[wire.producer] if wire.producer < len(stage.results) else None
        if result is None:
            return None
        if not result.exchange.ok and not exists_already(result):
            return None
        item = _item_of(stage.plan.seed, wire)
        for binding in stage.plan.candidates.get((wire.step, wire.parameter), ()):
            value = value_of(
                binding, result.arguments, result.exchange.response, document=result.document, item=item
            )
            if value is not None:
                latest = self._latest(stage, wire, binding)
                return value if latest is None else latest, binding
        last = next(fallback(result.document, wire.parameter.pointer.rpartition("/")[2]), None)
        return (last, None) if last is not None else None

    def _latest(self, stage: _Stage, wire: Wire, binding: Binding) -> Json:
        """A version of a thing as the last answer about it says, None where only its maker's does."""
        versioned = wire.parameter.location is not Location.PATH and _VERSION.search(binding.pointer)
        if binding.source is not Source.RESPONSE or not versioned:
            return None
        for index in range(min(wire.step, len(stage.results)) - 1, wire.producer, -1):
            result = stage.results[index]
            about = any(
                one.instance == wire.instance and one.parameter.location is Location.PATH
                for one in stage.wires.get(index, ())
            )
            if about and result.exchange.ok:
                document = document_of(result.exchange.response)
                found = value_of(binding, result.arguments, None, document=document)
                if found is not None:
                    return found
        return None

    def _other_binding(
        self,
        stage: _Stage,
        arguments: Arguments,
        bound: tuple[tuple[Wire, Binding], ...],
    ) -> tuple[Arguments, tuple[tuple[Wire, Binding], ...]] | None:
        """The last bound parameter taken from its next candidate that has another value."""
        for position in range(len(bound) - 1, -1, -1):
            wire, used = bound[position]
            candidates = stage.plan.candidates.get((wire.step, wire.parameter), ())
            rest = candidates[candidates.index(used) + 1 :] if used in candidates else ()
            result = stage.results[wire.producer]
            current = arguments.get(wire.parameter)
            for binding in rest[:3]:
                value = value_of(
                    binding, result.arguments, result.exchange.response, document=result.document
                )
                if value is not None and str(value) != str(current):
                    changed = (*bound[:position], (wire, binding), *bound[position + 1 :])
                    return _set(arguments, wire.parameter, value), changed
        return None

    def _keep(
        self,
        stage: _Stage,
        index: int,
        arguments: Arguments,
        bound: tuple[tuple[Wire, Binding], ...],
        request: Request,
        reply: Reply,
        learnt: tuple[Finding, ...],
    ) -> StepResult:
        answered = isinstance(reply.outcome, Response)
        response = reply.outcome if isinstance(reply.outcome, Response) else None
        failure = None if answered else reply.outcome
        exchange = Exchange(
            request, response, failure if isinstance(failure, Failure) else None, reply.at, index
        )
        wanted = index in stage.wanted
        document = document_of(response) if wanted and response is not None else None
        result = StepResult(arguments, exchange, document, request.actor, bound, learnt)
        stage.results.append(result)
        stage.exchanges.append(exchange)
        return result


def _asked_to_wait(response: Response) -> float:
    """The seconds that a refusal itself asks for, 0 where it asks for none."""
    asked = response.header("Retry-After")
    return min(float(asked), _LONGEST_WAIT) if asked and asked.isdecimal() else 0.0


def _is_there_already(plan: Plan, index: int, result: StepResult) -> bool:
    """A creation inside something new that meets its like: it came with the new thing, and serves."""
    step = plan.seed.steps[index]
    named = step.origin is Origin.CREATION and step.entry.creates is not None
    return named and not any(at == index for at, _ in plan.fresh) and exists_already(result)


def exists_already(result: StepResult) -> bool:
    """A creation refused because the very thing is there: as good as made."""
    response = result.exchange.response
    if response is None or response.status not in (409, 422, 400):
        return False
    return re.search(r"already|exists|taken|duplicate", message(response), re.IGNORECASE) is not None


def _item_of(seed: Seed, wire: Wire) -> int:
    """Different instances found by one listing are different items of it."""
    if seed.steps[wire.producer].origin is not Origin.LISTING:
        return 0
    distinct = list(dict.fromkeys(one.instance for one in seed.wires if one.producer == wire.producer))
    return distinct.index(wire.instance)


def _set(arguments: Arguments, ref: ParameterRef, value: Json) -> Arguments:
    """Set a bound value, keeping the type that the request had there."""
    current = arguments.get(ref)
    if ref.location in (Location.BODY, Location.QUERY):
        if isinstance(current, list):
            value = [_like(current[0] if current else value, value)]
        elif isinstance(current, str) and not isinstance(value, str):
            value = str(value)
    return arguments.with_value(ref, value)


def _like(sample: Json, value: Json) -> Json:
    return str(value) if isinstance(sample, str) else value
