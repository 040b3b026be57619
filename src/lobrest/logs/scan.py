"""One block of lines → ``Columns``. A pure function of the block, so blocks can be read on several cores."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from lobrest.logs.arguments import ArgumentReader, Detail, as_identity
from lobrest.logs.columns import PLACES, Columns, CreationSeen, Drop, pack
from lobrest.logs.flows import FlowFinder
from lobrest.logs.formats import by_name
from lobrest.logs.formats.batch import Batch, Extra, parse_documents, parse_lines, split_lines
from lobrest.logs.formats.record import FormatOptions, host_name, origin_form
from lobrest.logs.formats.wrapping import Wrapping
from lobrest.logs.instances import MOST_INSTANCES, InstanceReader, names_in, own_identities, value_identities
from lobrest.logs.mine import CorpusBuilder
from lobrest.logs.plan import CreationPlan, OperationPlan, Plan
from lobrest.logs.users import Identifier, Identity
from lobrest.model import pointer
from lobrest.model.operation import Json
from lobrest.spec.router import Router

_NOTHING: Final = Extra()
_MOST_PATHS = 200_000
_MOST_UNKNOWN = 5_000
_LARGEST_RESPONSE = 1 << 20
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_VARIABLE = re.compile(
    r"^(?:\d+|[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}|[0-9a-fA-F]{7,}|.*%2[Ff].*|.{33,}|[^/]*\d[^/]*\d[^/]*\d[^/]*)$"
)
_SAMPLED_BYTES = 8 << 20
_SAMPLES = 64
"""Requests of one operation that a block at the beginning of a log gives to the corpus."""
_SAMPLES_LATE = 1
_LATE_TURN = 8
"""Deep in a long log an operation is looked at in every so many blocks only."""


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of one file."""

    number: int
    """Counts blocks over all files."""
    bytes_before: int
    """How much was read before: later blocks give fewer samples to the corpus."""
    data: bytes
    format_name: str
    """A name, because a format does not travel to another process."""
    options: FormatOptions
    wrapping: Wrapping = Wrapping.NONE


class _Path(msgspec.Struct, frozen=True, gc=False):
    """An operation's path."""

    plan: OperationPlan
    arguments: Mapping[str, str]
    values: tuple[str, ...]
    """Identities of ``plan.path_uses``."""


class _Route(msgspec.Struct, gc=False):
    plan: OperationPlan
    arguments: Mapping[str, str]
    uses: tuple[int, ...]
    """Instances of ``plan.path_uses``, -1 where there is no value."""
    involved: tuple[int, ...]
    """What path and query name, each once."""


class Scanner:
    """Reads blocks. Keeps nothing between them but caches that change no result."""

    def __init__(self, plan: Plan, router: Router, user_key: bytes) -> None:
        self._plan = plan
        self._router = router
        self._user_key = user_key
        self._identifier = Identifier(user_key)
        self._arguments = ArgumentReader(plan.spec)
        self._reader = InstanceReader(self._arguments, self._identifier)
        self._paths: dict[tuple[str, str], _Path | None] = {}

    def __reduce__(self) -> tuple[type[Scanner], tuple[Plan, Router, bytes]]:
        return Scanner, (self._plan, self._router, self._user_key)

    def scan(self, block: Block) -> Columns:
        """The block's columns; never raises for what is in the lines."""
        return _BlockScan(self, block).run()

    def known(self, method: str, path: str) -> _Path | None:
        """What a path means, whatever block it is in."""
        key = (method, path)
        if key in self._paths:
            return self._paths[key]
        match = self._router.match(method, path)
        found: _Path | None = None
        if match is not None:
            plan = self._plan.operations[self._plan.index_of[match.operation.id]]
            found = _Path(plan, match.path_arguments, self._reader.path_values(plan, match.path_arguments))
        if len(self._paths) >= _MOST_PATHS:
            self._paths.clear()
        self._paths[key] = found
        return found


class _BlockScan:
    """One block. Everything that depends on method and target alone is done once for each distinct one."""

    def __init__(self, scanner: Scanner, block: Block) -> None:
        self._plan = scanner._plan
        self._router = scanner._router
        self._known = scanner.known
        self._identifier = scanner._identifier
        self._arguments = scanner._arguments
        self._reader = scanner._reader
        self._block = block
        self._instances: dict[tuple[int, str, int], int] = {}
        self._routes: dict[tuple[str, str], _Route | None] = {}
        self._sets: dict[tuple[int, ...], int] = {(): 0}
        self._samples_left: dict[int, int] = {}
        self._sampled_contents: set[int] = set()
        self._sample_limit = _SAMPLES if block.bytes_before < _SAMPLED_BYTES else 0
        self._details: list[Detail] = []
        self._creations: list[CreationSeen] = []
        self._aliases: list[tuple[int, int]] = []
        self._renames: list[tuple[int, int, int]] = []
        self._redirects: list[tuple[int, tuple[int, ...]]] = []
        self._corpus = CorpusBuilder()
        self._drops: dict[str, Drop] = {}
        self._flow_counts: dict[tuple[int, str, int, str, str], int] = {}
        self._flows = FlowFinder(self._flow_counts)

    def run(self) -> Columns:
        batch = self._batch()
        for number, reason in batch.bad:
            self._drops.setdefault(f"not readable: {reason}", Drop()).add([number])
        statuses = np.asarray(batch.statuses, dtype=np.int16)
        requests = np.asarray(batch.request_ids, dtype=np.int32)
        lines = np.asarray(batch.lines, dtype=np.int32)
        paths = [self._known(method, target.partition("?")[0]) for method, target in batch.requests]
        known = np.asarray([path is not None for path in paths], dtype=bool)
        in_spec = known[requests] if len(requests) else np.zeros(0, dtype=bool)
        kept = in_spec & (((statuses >= 200) & (statuses < 400)) | (statuses >= 500))
        refused = in_spec & (statuses >= 400) & (statuses < 500)
        self._drop("not in the specification", lines[~in_spec])
        self._drop("answered 4XX", lines[refused])
        self._drop("no final answer", lines[in_spec & ~kept & ~refused])
        rows = np.flatnonzero(kept)
        requests = requests[rows]
        statuses = statuses[rows]
        used = np.unique(requests)
        # What only dropped lines name is nobody and nothing.
        routes: list[_Route | None] = [None] * len(batch.requests)
        operations = np.full(len(routes), -1, dtype=np.int32)
        path_sets = np.zeros(len(routes), dtype=np.int32)
        for number in used.tolist():
            route = routes[number] = self._route_of(*batch.requests[number])
            assert route is not None
            operations[number] = route.plan.index
            path_sets[number] = self._set(route.involved)
        actor_table, actors = self._senders(batch, rows)
        sets = path_sets[requests]
        details = np.full(len(rows), -1, dtype=np.int32)
        self._with_extras(batch, rows, requests, statuses, routes, sets, details)
        self._without_extras(batch, rows, requests, statuses, routes)
        place = np.zeros(len(routes), dtype=np.int32)
        place[used] = np.arange(len(used))
        members = [number for held in self._sets for number in held]
        return Columns(
            times=np.asarray(batch.starts, dtype=np.float64)[rows],
            actors=actors,
            operations=operations[requests],
            statuses=statuses,
            lines=lines[rows],
            targets=place[requests],
            details=details,
            sets=sets,
            set_sizes=np.asarray([len(held) for held in self._sets], dtype=np.int32),
            set_members=np.asarray(members, dtype=np.int32),
            actor_table=actor_table,
            instance_table=list(self._instances),
            target_segments=pack([batch.requests[number][1] for number in used.tolist()]),
            detail_segments=pack(self._details),
            body_kind=batch.body_kind,
            creations=self._creations,
            aliases=self._aliases,
            renames=self._renames,
            redirects=self._redirects,
            drops=self._drops,
            unknown=self._unknown(batch, in_spec),
            corpus=self._corpus,
            flows=self._flow_counts,
            hosts=_host_names(batch.hosts),
            request_keys=(
                None if batch.request_keys is None else np.asarray(batch.request_keys, dtype=np.uint64)[rows]
            ),
            lines_read=batch.lines_read,
            not_requests=batch.not_requests,
        )

    def _senders(self, batch: Batch, rows: NDArray[np.int64]) -> tuple[list[Identity], NDArray[np.int32]]:
        """Who sent the kept requests."""
        held = np.asarray(batch.actor_ids, dtype=np.int32)[rows]
        identities: dict[Identity, int] = {}
        numbers = np.zeros(len(batch.actors), dtype=np.int32)
        for number in np.unique(held).tolist():
            identity = self._identifier.identify(batch.actors[number])
            numbers[number] = identities.setdefault(identity, len(identities))
        return list(identities), numbers[held]

    def _batch(self) -> Batch:
        block = self._block
        known = by_name(block.format_name)
        if known.documents is not None:
            return parse_documents(known.documents(block.data))
        if known.batch is not None and block.wrapping is Wrapping.NONE:
            return known.batch(block.options, block.data)
        parse = block.wrapping.unwrapped(known.parser(block.options))
        return parse_lines(parse, split_lines(block.data))

    def _drop(self, reason: str, lines: NDArray[np.int32]) -> None:
        if len(lines):
            drop = self._drops.setdefault(reason, Drop())
            drop.add(lines[:PLACES].tolist())
            drop.count += len(lines) - len(lines[:PLACES])

    def _unknown(self, batch: Batch, in_spec: NDArray[np.bool_]) -> dict[str, int]:
        requests = np.asarray(batch.request_ids, dtype=np.int32)[~in_spec]
        counts = np.bincount(requests, minlength=len(batch.requests))
        unknown: dict[str, int] = {}
        for number in np.flatnonzero(counts).tolist():
            method, target = batch.requests[number]
            name = f"{method} {templated(target.partition('?')[0])}"
            if name in unknown or len(unknown) < _MOST_UNKNOWN:
                unknown[name] = unknown.get(name, 0) + int(counts[number])
        return unknown

    # Kept requests.

    def _with_extras(
        self,
        batch: Batch,
        rows: NDArray[np.int64],
        requests: NDArray[np.int32],
        statuses: NDArray[np.int16],
        routes: Sequence[_Route | None],
        sets: NDArray[np.int32],
        details: NDArray[np.int32],
    ) -> None:
        """Requests with a body, an answer or headers: each is looked at."""
        if not batch.extras:
            return
        extras = batch.extras
        request_ids = requests.tolist()
        row_of = rows.tolist()
        status_of = statuses.tolist()
        has_extra = np.zeros(len(batch.starts), dtype=bool)
        has_extra[np.fromiter(extras, dtype=np.int64, count=len(extras))] = True
        for row in np.flatnonzero(has_extra[rows]).tolist():
            extra = extras[row_of[row]]
            route = routes[request_ids[row]]
            assert route is not None
            plan = route.plan
            detail = Detail("", extra.body, extra.body_kind, extra.media_type)
            if extra.headers and plan.headers:
                detail.headers = tuple(pair for pair in extra.headers if pair[0] in plan.headers)
            if extra.body or detail.headers or extra.body_kind != batch.body_kind:
                details[row] = len(self._details)
                self._details.append(detail)
            status = status_of[row]
            good = status < 300
            sampled = good and self._sampled(plan.index, hash((request_ids[row], extra.body)))
            if sampled or extra.response or (good and plan.eventful) or plan.value_uses:
                whole = Detail(
                    batch.requests[request_ids[row]][1],
                    extra.body,
                    extra.body_kind,
                    extra.media_type,
                    detail.headers,
                )
                if plan.value_uses and (extra.body or detail.headers):
                    sets[row] = self._set(self._with_values(route, whole))
                if good:
                    self._made(row, route, whole, extra)
                if sampled:
                    self._sample(route, whole)
            if extra.location and status in _REDIRECTS:
                self._redirect(row, plan.operation.method.value, extra.location)

    def _made(self, row: int, route: _Route, detail: Detail, extra: Extra) -> None:
        """A 2XX with something beyond its target."""
        plan = route.plan
        if plan.creation is not None:
            self._creations.append(self._creation(row, plan.creation, route, detail, extra))
        elif extra.response and plan.shows:
            self._shown(plan, extra, route)
        if plan.renames and extra.body:
            self._renamed(row, plan, route, detail)
        if extra.response:
            self._flows.request(plan, route.arguments, detail, self._arguments)
            self._flows.response(plan, extra.response)

    def _without_extras(
        self,
        batch: Batch,
        rows: NDArray[np.int64],
        requests: NDArray[np.int32],
        statuses: NDArray[np.int16],
        routes: Sequence[_Route | None],
    ) -> None:
        """Requests that are all in their target: each distinct one is looked at."""
        plain = statuses < 300
        if batch.extras:
            has_extra = np.zeros(len(batch.starts), dtype=bool)
            has_extra[np.fromiter(batch.extras, dtype=np.int64, count=len(batch.extras))] = True
            plain &= ~has_extra[rows]
        creating = np.asarray(
            [route is not None and route.plan.creation is not None for route in routes], bool
        )
        if creating.any():
            seen: dict[int, CreationSeen] = {}
            chosen = np.flatnonzero(plain & creating[requests])
            for row, number in zip(chosen.tolist(), requests[chosen].tolist(), strict=True):
                known = seen.get(number)
                if known is None:
                    route = routes[number]
                    assert route is not None and route.plan.creation is not None
                    detail = Detail(batch.requests[number][1], "", batch.body_kind)
                    known = seen[number] = self._creation(row, route.plan.creation, route, detail, _NOTHING)
                self._creations.append(known if known.row == row else known.again(row))
        counts = np.bincount(requests[plain], minlength=len(routes))
        for number in np.flatnonzero(counts).tolist():
            route = routes[number]
            if route is not None and self._sampled(route.plan.index, number):
                self._sample(
                    route, Detail(batch.requests[number][1], "", batch.body_kind), int(counts[number])
                )

    def _sampled(self, operation: int, content: int) -> bool:
        """Is it the corpus' turn to look at a request of this operation? The same content is looked at
        once.
        """
        left = self._samples_left.get(operation)
        if left is None:
            left = self._sample_limit
            if not left and (operation + self._block.number) % _LATE_TURN == 0:
                left = _SAMPLES_LATE
        if left <= 0 or content in self._sampled_contents:
            self._samples_left[operation] = left
            return False
        self._samples_left[operation] = left - 1
        self._sampled_contents.add(content)
        return True

    def _sample(self, route: _Route, detail: Detail, count: int = 1) -> None:
        reading = self._arguments.read(route.plan.operation, self._reader.shown_path(route.arguments), detail)
        self._corpus.add(route.plan.operation.id, reading.arguments, whole=reading.whole, count=count)

    # Instances.

    def _instance(self, resource: int, value: str, scope: int) -> int:
        return self._instances.setdefault((resource, value, scope), len(self._instances))

    def _set(self, involved: tuple[int, ...]) -> int:
        return self._sets.setdefault(involved, len(self._sets))

    def _route_of(self, method: str, target: str) -> _Route | None:
        """The route of a target; what its query names is involved too."""
        path, question, _ = target.partition("?")
        key = (method, path)
        if key in self._routes:
            route = self._routes[key]
        else:
            route = self._routes[key] = self._route(method, path)
        if route is None or not question or not route.plan.value_uses:
            return route
        involved = self._with_values(route, Detail(target))
        return _Route(route.plan, route.arguments, route.uses, involved)

    def _route(self, method: str, path: str) -> _Route | None:
        known = self._known(method, path)
        if known is None:
            return None
        uses = self._reader.in_path(known.plan, known.values, self._instance)
        involved = tuple(dict.fromkeys([number for number in uses if number >= 0]))
        return _Route(known.plan, known.arguments, uses, involved)

    def _with_values(self, route: _Route, detail: Detail) -> tuple[int, ...]:
        """Path instances, and those that query, headers and body name."""
        found = dict.fromkeys(number for number in route.uses if number >= 0)
        for _, number in self._reader.in_values(route.plan, route.uses, detail, self._instance):
            if len(found) < MOST_INSTANCES:
                found.setdefault(number)
        return tuple(found)

    # What a request makes, shows or renames.

    def _creation(
        self, row: int, creation: CreationPlan, route: _Route, detail: Detail, extra: Extra
    ) -> CreationSeen:
        scope, scope_open = self._scope(creation, route, detail)
        names: tuple[str, ...] = ()
        answer = self._answer(extra)
        if answer is not None:
            names = names_in(answer, creation.names)
            if scope_open:
                scope, scope_open = self._scope_in(creation, answer)
        if not names and extra.location:
            names = self._located(creation, extra.location)
        chosen = tuple(own_identities(creation.chosen, route.arguments, {}, None))
        own: tuple[str, ...] = ()
        perhaps: tuple[str, ...] = ()
        if (creation.own or creation.perhaps) and (detail.body or route.arguments or "?" in detail.target):
            query, body, _ = self._arguments.values(route.plan.operation, detail)
            own = tuple(own_identities(creation.own, route.arguments, query, body))
            perhaps = tuple(own_identities(creation.perhaps, route.arguments, query, body))
        return CreationSeen(
            row, creation.resource, scope, scope_open, chosen[-1:] or names, own[:3], perhaps[:3]
        )

    def _scope(self, creation: CreationPlan, route: _Route, detail: Detail) -> tuple[int, bool]:
        if not creation.scopes:
            return -1, False
        if creation.place >= 0 and route.uses[creation.place] >= 0:
            return route.uses[creation.place], False
        shown = {
            use.resource: number
            for use, number in zip(route.plan.path_uses, route.uses, strict=True)
            if number >= 0
        }
        for kind in creation.scopes:
            if kind in shown:
                return shown[kind], False
        if route.plan.value_uses and (detail.body or "?" in detail.target):
            query, body, _ = self._arguments.values(route.plan.operation, detail)
            for _, resource, value, scopes in value_identities(route.plan, query, body, {}):
                if resource in creation.scopes:
                    inside = next((shown[kind] for kind in scopes if kind in shown), -1)
                    return self._instance(resource, value, inside), False
        return -1, True

    def _scope_in(self, creation: CreationPlan, answer: Json) -> tuple[int, bool]:
        for resource, pointers in creation.parents:
            for place in pointers:
                value = as_identity(pointer.first(answer, place))
                if value:
                    return self._instance(resource, value, -1), False
        return -1, True

    def _located(self, creation: CreationPlan, location: str) -> tuple[str, ...]:
        path = origin_form(location).partition("?")[0].rstrip("/")
        for method in ("GET", "PUT", "DELETE", "PATCH"):
            match = self._router.match(method, path)
            if match is None:
                continue
            plan = self._plan.operations[self._plan.index_of[match.operation.id]]
            if plan.path_uses and plan.path_uses[-1].resource == creation.resource:
                value = match.path_arguments.get(plan.path_uses[-1].ref.pointer, "")
                return (value,) if value else ()
        segments = [segment for segment in path.split("/") if segment]
        for number in creation.segments:
            if -len(segments) <= number < len(segments):
                return (segments[number],)
        return ()

    def _shown(self, plan: OperationPlan, extra: Extra, route: _Route) -> None:
        """An answer that repeats the name it was asked by shows other names of the same thing."""
        known = route.uses[-1]
        answer = self._answer(extra)
        if known < 0 or answer is None:
            return
        use = plan.path_uses[-1]
        names = names_in(answer, plan.shows)
        asked = as_identity(route.arguments.get(use.ref.pointer, ""))
        if asked not in names:
            return
        scope = route.uses[use.parent] if use.parent >= 0 else -1
        for name in names:
            if name != asked and not (name.isdigit() and asked.isdigit()):
                self._aliases.append((known, self._instance(use.resource, name, scope)))

    def _renamed(self, row: int, plan: OperationPlan, route: _Route, detail: Detail) -> None:
        known = route.uses[-1]
        if known < 0:
            return
        use = plan.path_uses[-1]
        asked = route.arguments.get(use.ref.pointer, "")
        _, body, _ = self._arguments.values(plan.operation, detail)
        scope = route.uses[use.parent] if use.parent >= 0 else -1
        for ref in plan.renames:
            value = as_identity(pointer.first(body, ref.pointer))
            if value and value != asked and not value.isdigit():
                new = self._instance(use.resource, value, scope)
                self._renames.append((row, known, new))

    def _redirect(self, row: int, method: str, location: str) -> None:
        route = self._route(method, origin_form(location).partition("?")[0])
        if route is not None:
            self._redirects.append((row, route.uses))

    def _answer(self, extra: Extra) -> Json:
        if not extra.response or len(extra.response) > _LARGEST_RESPONSE:
            return None
        try:
            value: Json = msgspec.json.decode(extra.response)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        return value


def _host_names(logged: Mapping[str, int]) -> dict[str, int]:
    names: dict[str, int] = {}
    for text, count in logged.items():
        name = host_name(text)
        if name:
            names[name] = names.get(name, 0) + count
    return names


def templated(path: str) -> str:
    """A path with its changing parts left open, to count paths that are not in the specification."""
    parts = path.split("/")
    if len(parts) > 12:
        parts = [*parts[:12], "…"]
    return "/".join([_open(part) for part in parts])[:200]


def _open(part: str) -> str:
    if len(part) < 33 and part.isalpha():
        return part
    return "{}" if part and (part.isdigit() or _VARIABLE.match(part)) else part
