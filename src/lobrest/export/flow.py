"""A business flow as every export has it: requests with named holes for what earlier answers bring."""

from __future__ import annotations

import hashlib
import json
import keyword
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from lobrest.fuzz.repair import freshened
from lobrest.model import pointer
from lobrest.model.exchange import Exchange
from lobrest.model.operation import Json, Location, OperationId, ParameterRef
from lobrest.model.pointer import parts
from lobrest.model.reproducer import Capture, CaptureSource, Fresh, FreshKind, ReproStep
from lobrest.report.reproduce import steps_from_exchanges
from lobrest.report.valueflow import noun, words
from lobrest.report.wording import split_operation

HOLE = re.compile(r"\{\{(\w+)\}\}")
_READS = ("GET", "HEAD", "OPTIONS")
_LONGEST_NAME = 60
_SHORTEST_FRESH = 8
"""Tests are run again and again on one instance: fewer digits would meet."""
_MADE_UNIQUE = re.compile(r"(?:[-_][xX][0-9A-Za-z]{4,}|[-_.+ ][0-9a-f]{4,16})(?=@|$)")


@dataclass(frozen=True, slots=True)
class Flow:
    """One mined flow, completed so that it runs on an empty instance of the service."""

    name: str
    """Unlike that of every other flow of one export; letters, digits and underscores."""
    steps: tuple[ReproStep, ...]
    fresh: tuple[Fresh, ...] = ()
    reasons: tuple[str, ...] = ()
    """For each step why completion added it, empty for one that the log shows; may be absent as a whole."""
    source: str = ""
    """Where the log has it."""
    exchanges: tuple[Exchange, ...] = ()
    """Of a play on a live service in which every step of the log was answered 2XX."""

    @property
    def played(self) -> bool:
        """Did it run?"""
        return bool(self.exchanges)

    @property
    def operations(self) -> tuple[OperationId, ...]:
        """What it does, in order."""
        return tuple(step.operation for step in self.steps)

    @property
    def actors(self) -> tuple[str, ...]:
        """Whose credentials it needs, in the order of their steps."""
        return tuple(dict.fromkeys(step.actor for step in self.steps if step.actor))

    @property
    def holes(self) -> frozenset[str]:
        """Names that stand for values."""
        return frozenset(
            [capture.name for step in self.steps for capture in step.captures]
            + [fresh.name for fresh in self.fresh]
        )

    @property
    def title(self) -> str:
        """In one line, for people."""
        told = [operation for operation in self.operations if split_operation(operation)[0] not in _READS]
        last = (told or list(self.operations) or [OperationId("nothing")])[-1]
        others = len(self.steps) - 1
        return f"{last} after {others} other {'step' if others == 1 else 'steps'}" if others else str(last)


def played_flow(exchanges: Sequence[Exchange], *, unique: Collection[ParameterRef] = ()) -> Flow:
    """The flow that a play of it shows. Of a step that was tried several times the last try counts.

    ``unique`` are fields of creations whose values must differ: a second run needs others.
    """
    last = {exchange.step: exchange for exchange in exchanges}
    kept = tuple(last[step] for step in sorted(last))
    steps, fresh = steps_from_exchanges(_with_new_names(kept, unique))
    return spoken(Flow("flow", steps, fresh, exchanges=kept))


def made_unique(exchanges: Iterable[Exchange]) -> set[ParameterRef]:
    """Body fields that a campaign has filled with names made to be unique: the service wants that."""
    found: set[ParameterRef] = set()
    for exchange in exchanges:
        body = exchange.request.body
        if exchange.ok and body and b"-x" in body and _makes_a_root(exchange):
            found.update(
                ParameterRef(exchange.request.operation, Location.BODY, place)
                for place, value in pointer.leaves(_parsed(body))
                if isinstance(value, str) and _MADE_UNIQUE.search(value)
            )
    return found


def _makes_a_root(exchange: Exchange) -> bool:
    """Is what it makes in nothing else? What is in something new need not have a new name."""
    return exchange.request.method in ("POST", "PUT") and "{" not in exchange.request.operation


def _with_new_names(exchanges: Sequence[Exchange], unique: Collection[ParameterRef]) -> Sequence[Exchange]:
    """The same exchanges; names given to things that are in nothing else end as names made to be unique do."""
    renamed: dict[str, str] = {}
    for exchange in exchanges:
        operation = exchange.request.operation
        if not exchange.ok or not exchange.request.body or not _makes_a_root(exchange):
            continue
        for ref in unique:
            if ref.operation == operation and ref.location is Location.BODY:
                name = pointer.first(_parsed(exchange.request.body), ref.pointer)
                if isinstance(name, str) and name and not _MADE_UNIQUE.search(name):
                    digits = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:4]
                    renamed[name] = str(freshened(name, f"0{digits}"))
    return [_rewritten(exchange, renamed) for exchange in exchanges] if renamed else exchanges


def _rewritten(exchange: Exchange, renamed: Mapping[str, str]) -> Exchange:
    request, response = exchange.request, exchange.response
    for old, new in renamed.items():
        plain, other = json.dumps(old).encode(), json.dumps(new).encode()
        target = request.target
        if not old.isdigit():  # a number may be anything's
            whole = rf"(?<![\w.~%-]){re.escape(quote(old, safe=''))}(?![\w.~%-])"
            target = re.sub(whole, quote(new, safe=""), target)
        body = request.body.replace(plain, other) if request.body else request.body
        request = replace(request, target=target, body=body)
        if response is not None:
            response = replace(response, body=response.body.replace(plain, other))
    return replace(exchange, request=request, response=response)


def _parsed(body: bytes) -> Json:
    try:
        value: Json = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value


def distinct(flows: Iterable[Flow]) -> tuple[Flow, ...]:
    """Flows that do different things, the longest first, each with a name of its own."""
    kept: dict[tuple[OperationId, ...], Flow] = {}
    for flow in flows:
        kept.setdefault(flow.operations, flow)
    taken: set[str] = set()
    named = []
    for flow in sorted(kept.values(), key=lambda one: (-len(one.steps), one.operations)):
        name = _unused(_flow_name(flow), taken)
        taken.add(name)
        named.append(replace(flow, name=name))
    return tuple(named)


def spoken(flow: Flow) -> Flow:
    """The same flow with holes called after what they hold: ``project_id`` instead of ``v1``."""
    names: dict[str, str] = {}
    taken = _literal_holes(flow)
    wanted = [(fresh.name, "new_secret" if fresh.kind is FreshKind.SECRET else "new") for fresh in flow.fresh]
    wanted += [(one.name, _capture_name(step, one)) for step in flow.steps for one in step.captures]
    for old, stem in wanted:
        names[old] = _unused(stem, taken)
        # Postman keeps a value in several forms, each under a name of its own.
        taken |= {names[old], f"{names[old]}_url", f"{names[old]}_json"}
    return replace(
        flow,
        steps=tuple(_renamed(step, names) for step in flow.steps),
        fresh=tuple(
            replace(fresh, name=names[fresh.name], length=max(fresh.length, _SHORTEST_FRESH))
            for fresh in flow.fresh
        ),
    )


def _renamed(step: ReproStep, names: Mapping[str, str]) -> ReproStep:
    def put(text: str) -> str:
        return HOLE.sub(lambda hole: "{{" + names.get(hole[1], hole[1]) + "}}", text)

    return replace(
        step,
        target=put(step.target),
        headers=tuple((name, put(value)) for name, value in step.headers),
        body=None if step.body is None else put(step.body),
        captures=tuple(replace(one, name=names[one.name]) for one in step.captures),
    )


def _literal_holes(flow: Flow) -> set[str]:
    """What looks like a hole in the requests and is none."""
    texts = [
        text for step in flow.steps for text in (step.target, step.body or "", *dict(step.headers).values())
    ]
    return {name for text in texts for name in HOLE.findall(text)} - flow.holes


def _capture_name(step: ReproStep, capture: Capture) -> str:
    literal = [part for part in split_operation(step.operation)[1].split("/") if part and "{" not in part]
    named = [part for part in parts(capture.where) if not part.isdigit()]
    if capture.source is not CaptureSource.BODY or not named:
        named = ["id"]
    thing = noun(named[-2]) if len(named) > 1 else noun(literal[-1]) if literal else ""
    return _identifier(f"{thing}_{'_'.join(words(named[-1])) or 'value'}")


def _flow_name(flow: Flow) -> str:
    method, path = split_operation(
        next(
            (one for one in reversed(flow.operations) if split_operation(one)[0] not in _READS),
            flow.operations[-1] if flow.operations else "GET /",
        )
    )
    literal = [part for part in path.split("/") if part and "{" not in part]
    return _identifier("_".join([method.lower(), *literal]))[:_LONGEST_NAME].rstrip("_")


def _identifier(text: str) -> str:
    """A name that is one in Python, JavaScript and Arazzo."""
    plain = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_") or "value"
    if not plain[0].isalpha():
        plain = f"n{plain}"
    return f"{plain}_" if keyword.iskeyword(plain) else plain


def _unused(stem: str, taken: set[str]) -> str:
    name, count = stem, 1
    while name in taken or not taken.isdisjoint((f"{name}_url", f"{name}_json")):
        count += 1
        name = f"{stem}_{count}"
    return name
