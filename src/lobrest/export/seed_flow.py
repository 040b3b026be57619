"""A completed slice as a flow that others can run, without ever having played it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePath

from lobrest.enhance.sources import names_to_make, sources_of
from lobrest.export.flow import Flow, spoken
from lobrest.fuzz.bind import value_of
from lobrest.fuzz.render import Renderer
from lobrest.fuzz.repair import freshened
from lobrest.model.entry import Arguments
from lobrest.model.exchange import Request
from lobrest.model.operation import Json, Location, OperationId, ParameterRef
from lobrest.model.pointer import join, leaves, parts
from lobrest.model.reproducer import Capture, CaptureSource, Encoding, Fresh, FreshKind, ReproStep
from lobrest.model.resource import Binding, ResourceModel, Source
from lobrest.model.seed import Origin, Seed, Step, Wire
from lobrest.report.reproduce import text_body
from lobrest.report.secrets import is_secret_field, is_secret_header
from lobrest.report.valueflow import words

_MARK = re.compile(r"lobrestmark([a-z]+\d+)end")
_QUOTED_MARK = re.compile(r'"lobrestmark([a-z]+\d+)endbare"')
_FRESH_LENGTH = 8
_NAMES = frozenset({"name", "path", "slug", "login", "username", "email", "key", "handle"})
_SECRET_LENGTH = 16


def seed_flow(seed: Seed, model: ResourceModel, renderer: Renderer) -> Flow:
    """The flow that playing the seed would send, with its most likely source for every value."""
    drafting = _Drafting(seed, model)
    drafting.fill()
    steps = []
    for index, step in enumerate(seed.steps):
        request = renderer.render(step, drafting.arguments[index], actor=step.entry.user)
        captures = tuple(capture for (producer, _), capture in drafting.captures.items() if producer == index)
        expected = step.entry.status if step.entry.status >= 200 else 200
        steps.append(_step(request, captures, expected))
    first = seed.source.entries[0].source if seed.source.entries else None
    return spoken(
        Flow(
            "flow",
            tuple(steps),
            tuple(drafting.fresh.values()),
            reasons=tuple(
                step.reason or step.origin.value
                if step.origin in (Origin.CREATION, Origin.LISTING, Origin.AUGMENTED)
                else ""
                for step in seed.steps
            ),
            source=f"{PurePath(first.file).name}:{first.line}" if first is not None else "",
        )
    )


@dataclass(slots=True)
class _Drafting:
    """The arguments of every step, with marks for what is not known before it is played."""

    seed: Seed
    model: ResourceModel
    arguments: list[Arguments] = field(default_factory=list)
    captures: dict[tuple[int, Binding], Capture] = field(default_factory=dict)
    fresh: dict[str, Fresh] = field(default_factory=dict)

    def fill(self) -> None:
        made_new = names_to_make(self.seed, self.model)
        for index, step in enumerate(self.seed.steps):
            arguments = step.entry.arguments
            named = {ref for position, ref in made_new if position == index}
            for ref in sorted(named | self._names(step)):
                current = arguments.get(ref)
                if isinstance(current, str) and current and not current.isupper():
                    mark = self._new("fresh1", FreshKind.HEX)
                    arguments = arguments.with_value(ref, freshened(current, mark))
            arguments = self._without_secrets(step.entry.operation, arguments)
            for wire in self.seed.wires:
                if wire.step == index:
                    arguments = self._wired(wire, arguments)
            self.arguments.append(arguments)

    def _names(self, step: Step) -> set[ParameterRef]:
        """Names of something that is in nothing else: nobody knows yet whether they must differ, so they do."""
        entry = step.entry
        body = entry.arguments.body
        if (
            "{" in entry.operation
            or entry.operation not in self.model.creations
            or not isinstance(body, dict)
        ):
            return set()
        refs = (ParameterRef(entry.operation, Location.BODY, join(name)) for name in body)
        return {ref for ref in refs if _NAMES.issuperset(words(ref.pointer)[-1:]) and ref not in entry.uses}

    def _new(self, name: str, kind: FreshKind) -> str:
        length = _SECRET_LENGTH if kind is FreshKind.SECRET else _FRESH_LENGTH
        self.fresh.setdefault(name, Fresh(name, kind, length))
        return f"lobrestmark{name}end"

    def _without_secrets(self, operation: OperationId, arguments: Arguments) -> Arguments:
        for place, value in list(leaves(arguments.body)) if arguments.has_body else []:
            name = next((part for part in reversed(parts(place)) if not part.isdigit()), "")
            if isinstance(value, str) and value and is_secret_field(name):
                number = sum(one.kind is FreshKind.SECRET for one in self.fresh.values()) + 1
                mark = self._new(f"secret{number}", FreshKind.SECRET)
                arguments = arguments.with_value(ParameterRef(operation, Location.BODY, place), mark)
        return arguments

    def _wired(self, wire: Wire, arguments: Arguments) -> Arguments:
        known = sources_of(wire, self.seed, self.model)
        binding = known[0] if known else Binding(Source.RESPONSE, "id")
        current = arguments.get(wire.parameter)
        if binding.source is Source.REQUEST:
            taken = value_of(binding, self.arguments[wire.producer], None, document=None)
            return arguments if taken is None else _set(arguments, wire.parameter, current, taken)
        capture = self.captures.get((wire.producer, binding))
        if capture is None:
            capture = _capture(f"v{len(self.captures) + 1}", binding, self._item(wire))
            self.captures[wire.producer, binding] = capture
        bare = wire.parameter.location is Location.BODY and not isinstance(_first(current), str)
        mark = f"lobrestmark{capture.name}end" + ("bare" if bare else "")
        return _set(arguments, wire.parameter, current, mark)

    def _item(self, wire: Wire) -> int:
        """Different instances found by one listing are different items of it."""
        producer = wire.producer
        several = dict.fromkeys(one.instance for one in self.seed.wires if one.producer == producer)
        return list(several).index(wire.instance)


def _capture(name: str, binding: Binding, item: int) -> Capture:
    match binding.source:
        case Source.LOCATION:
            return Capture(name, CaptureSource.LOCATION, binding.pointer or "-1")
        case Source.LIST if "*" in binding.pointer:
            return Capture(name, CaptureSource.BODY, binding.pointer.replace("*", str(item), 1))
        case Source.LIST:
            return Capture(name, CaptureSource.BODY, f"{item}/{binding.pointer}".rstrip("/"))
        case _:
            return Capture(name, CaptureSource.BODY, binding.pointer.replace("*", "0"))


def _first(value: Json) -> Json:
    return value[0] if isinstance(value, list) and value else value


def _set(arguments: Arguments, ref: ParameterRef, current: Json, value: Json) -> Arguments:
    return arguments.with_value(ref, [value] if isinstance(current, list) else value)


def _step(request: Request, captures: tuple[Capture, ...], expected: int) -> ReproStep:
    text, encoding = text_body(request)
    if text is not None and encoding is Encoding.JSON:
        text = _QUOTED_MARK.sub(r"{{\1}}", text)
    return ReproStep(
        operation=request.operation,
        method=request.method,
        target=_holes(request.target),
        headers=tuple((name, _holes(value)) for name, value in request.headers if not is_secret_header(name)),
        body=None if text is None else _holes(text),
        body_encoding=encoding,
        raw_body=request.body if text is None else None,
        actor=request.actor,
        captures=captures,
        expected=expected,
    )


def _holes(text: str) -> str:
    return _MARK.sub(r"{{\1}}", text)
