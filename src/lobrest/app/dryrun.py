"""What a run would send, without sending anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lobrest.app.clock import today
from lobrest.app.pipeline import Prepared
from lobrest.app.session import Order
from lobrest.app.target import base_path, origin
from lobrest.fuzz.cast import cast
from lobrest.fuzz.engine import Engine
from lobrest.fuzz.render import Renderer
from lobrest.fuzz.safety import held_back
from lobrest.fuzz.state import Depth, Material, Rules
from lobrest.model.entry import Arguments
from lobrest.model.operation import Json, OperationId, ParameterRef
from lobrest.model.seed import Origin, Seed
from lobrest.model.slice import Profile
from lobrest.report.secrets import mask_target, mask_text
from lobrest.report.wording import count, one_line, visible
from lobrest.spec.router import Router

_FLOWS_SHOWN = 3
_FLOWS_TOLD = 200
_MOST_SHOWN = 40
_WIDE = 150


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """A request with ``<…>`` where a value is only known at run time."""

    operation: OperationId
    method: str
    target: str
    body: str
    actor: str
    reason: str
    """Why it is there, where no log shows it."""


@dataclass(frozen=True, slots=True)
class PlannedFlow:
    """One flow, in order."""

    origin: Origin
    requests: tuple[PlannedRequest, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Everything that would be sent before the first mutation."""

    target: str
    flows: tuple[PlannedFlow, ...]
    """The first of them."""
    flow_count: int
    requests: int
    operations: Mapping[OperationId, int]
    """How often each operation would be sent; 0 for those that no flow needs."""
    held_back: Mapping[OperationId, str]
    actors: tuple[str, ...]
    depth: Depth

    def to_json(self) -> Json:
        """For machines."""
        return {
            "dry_run": True,
            "target": self.target,
            "users": list(self.actors),
            "flows": self.flow_count,
            "requests": self.requests,
            "operations": [{"op": op, "requests": times} for op, times in self.operations.items()],
            "held_back": {str(op): why for op, why in self.held_back.items()},
            "first_flows": [
                {
                    "origin": flow.origin.value,
                    "requests": [
                        {
                            "op": one.operation,
                            "method": one.method,
                            "target": one.target,
                            "body": one.body or None,
                            "as": one.actor or None,
                            "added": one.reason or None,
                        }
                        for one in flow.requests
                    ],
                    "notes": list(flow.notes),
                }
                for flow in self.flows
            ],
        }

    def lines(self) -> Iterator[str]:
        """For people."""
        yield f"dry run: nothing is sent to {self.target}"
        people = ", ".join(self.actors) or "nobody: requests go without credentials"
        yield f"{count(self.flow_count, 'flow')} with {count(self.requests, 'request')}, as {people}"
        if self.depth is Depth.FUZZ:
            yield "after them, and between them, mutations of these flows; what those are depends on the answers"
        shown = sorted(self.operations.items(), key=lambda one: -one[1])
        yield "requests by operation:"
        for operation, times in shown[:_MOST_SHOWN]:
            yield f"  {times:>6}  {operation}"
        if len(shown) > _MOST_SHOWN:
            yield f"          and {count(len(shown) - _MOST_SHOWN, 'operation')} more (--json lists all)"
        if self.held_back:
            yield f"{count(len(self.held_back), 'operation')} held back:"
            for operation, why in list(self.held_back.items())[:_MOST_SHOWN]:
                yield f"  {operation}: {why}"
            if len(self.held_back) > _MOST_SHOWN:
                yield f"  and {len(self.held_back) - _MOST_SHOWN} more (--json lists all)"
        telling = [one for one in self.flows if 3 <= len(one.requests) <= 12] or list(self.flows)
        for flow in sorted(telling, key=lambda one: one.origin is not Origin.LOG)[:_FLOWS_SHOWN]:
            yield f"a flow {_ORIGINS.get(flow.origin, flow.origin.value)}:"
            for position, one in enumerate(flow.requests, 1):
                why = f"  ({one_line(one.reason, 60)})" if one.reason else ""
                yield f"  {position}. {one.actor or 'anybody'}: {one.method} {visible(one.target, _WIDE)}{why}"
                if one.body:
                    yield f"       {visible(one.body, _WIDE)}"
            for note in flow.notes:
                yield f"  ! {one_line(note, _WIDE)}"


_ORIGINS = {Origin.LOG: "from the log", Origin.AUGMENTED: "for an operation that no log shows"}


def rehearse(prepared: Prepared, order: Order) -> Rehearsal:
    """What an order would send. No connection is opened: nobody is asked who the credentials belong to."""
    spec, model = prepared.spec, prepared.model
    names = order.credentials.names
    back = held_back(spec, include=order.include, exclude=order.exclude, allow=order.allow)
    rules = Rules(
        order.random_seed,
        names,
        {},
        today(),
        depth=order.depth,
        held_back=frozenset(back),
        reuse=order.profile is not Profile.PAPER,
    )
    engine = Engine(Material(spec, model, prepared.corpus, prepared.slices), rules)
    seeds = engine.completed_flows()
    renderer = Renderer(spec, Router(spec), base_path=base_path(order.target, spec))
    times: Counter[OperationId] = Counter(step.entry.operation for seed in seeds for step in seed.steps)
    return Rehearsal(
        target=origin(order.target),
        flows=tuple(_flow(seed, renderer, names) for seed in seeds[:_FLOWS_TOLD]),
        flow_count=len(seeds),
        requests=times.total(),
        operations={op: times[op] for op in spec.operations if op not in back},
        held_back=back,
        actors=names,
        depth=order.depth,
    )


def _flow(seed: Seed, renderer: Renderer, names: tuple[str, ...]) -> PlannedFlow:
    parts = cast(seed, names)
    requests = []
    for index, step in enumerate(seed.steps):
        arguments, holes = _with_holes(seed, index)
        actor = "" if step.anonymous else parts.get(step.entry.user, names[0] if names else "")
        sent = renderer.render(step, arguments, actor=actor)
        body = (sent.body or b"").decode("utf-8", "replace")
        requests.append(
            PlannedRequest(
                step.entry.operation,
                sent.method,
                _filled(mask_target(sent.target), holes),
                _filled(mask_text(body), holes),
                actor,
                step.reason if step.origin in (Origin.CREATION, Origin.LISTING) else "",
            )
        )
    return PlannedFlow(seed.origin, tuple(requests), seed.notes)


def _with_holes(seed: Seed, index: int) -> tuple[Arguments, dict[str, str]]:
    """The arguments of a step with a mark for every value that comes from elsewhere, and what it stands for."""
    arguments = seed.steps[index].entry.arguments
    holes: dict[str, str] = {}

    def put(ref: ParameterRef, said: str) -> None:
        nonlocal arguments
        mark = f"lobrest0hole{len(holes)}0"
        holes[mark] = said
        arguments = arguments.with_value(ref, mark)

    for wire in seed.wires:
        if wire.step == index:
            name = wire.parameter.pointer.rpartition("/")[2]
            put(wire.parameter, f"<{name} from {wire.producer + 1}>")
    wired = {wire.parameter for wire in seed.wires if wire.step == index}
    for identity in seed.identities:
        if identity.step == index and identity.parameter not in wired:
            put(identity.parameter, f"<name of {identity.user[:20]}>")
    return arguments, holes


def _filled(text: str, holes: Mapping[str, str]) -> str:
    for mark, said in holes.items():
        text = text.replace(mark, said)
    return text
