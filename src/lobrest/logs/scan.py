"""One block of lines → ``Columns``. A pure function of the block, so blocks can be read on several cores."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from lobrest.logs.arguments import ArgumentReader, Detail, as_identity
from lobrest.logs.columns import SEGMENT, Columns, CreationSeen, Drop, pack
from lobrest.logs.flows import FlowFinder
from lobrest.logs.formats.record import (
    Actor,
    BadLine,
    Body,
    Format,
    FormatOptions,
    Parser,
    Record,
    origin_form,
)
from lobrest.logs.formats.wrapping import Wrapping
from lobrest.logs.instances import MOST_INSTANCES, InstanceReader, names_in, own_identities, value_identities
from lobrest.logs.plan import CreationPlan, OperationPlan, Plan
from lobrest.logs.users import Identifier
from lobrest.model import pointer
from lobrest.model.operation import Json
from lobrest.spec.router import Router

_MOST_UNKNOWN = 5_000
_LARGEST_RESPONSE = 1 << 20
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_VARIABLE = re.compile(
    r"^(?:\d+|[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}|[0-9a-fA-F]{7,}|.*%2[Ff].*|.{33,}|[^/]*\d[^/]*\d[^/]*\d[^/]*)$"
)
_SAMPLES_FIRST = 400
_SAMPLES_LATER = (64, 16, 8, 4)


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of one file."""

    number: int
    """Counts blocks over all files: later blocks give fewer samples to the corpus."""
    data: bytes
    first_line: int
    format: Format
    options: FormatOptions
    wrapping: Wrapping = Wrapping.NONE


@dataclass(slots=True)
class _Route:
    plan: OperationPlan
    arguments: Mapping[str, str]
    uses: tuple[int, ...]
    """Instances of ``plan.path_uses``, -1 where there is no value."""
    distinct: tuple[int, ...]


class Scanner:
    """Reads blocks. Keeps nothing between them but caches that change no result."""

    def __init__(self, plan: Plan, router: Router, user_key: bytes) -> None:
        self._plan = plan
        self._router = router
        self._user_key = user_key
        self._identifier = Identifier(user_key)
        self._arguments = ArgumentReader(plan.spec)
        self._reader = InstanceReader(self._arguments, self._identifier)

    def __reduce__(self) -> tuple[type[Scanner], tuple[Plan, Router, bytes]]:
        return Scanner, (self._plan, self._router, self._user_key)

    def scan(self, block: Block) -> Columns:
        """The block's columns; never raises for what is in the lines."""
        return _BlockScan(self, block).run()


class _BlockScan:
    def __init__(self, scanner: Scanner, block: Block) -> None:
        self._plan = scanner._plan
        self._router = scanner._router
        self._identifier = scanner._identifier
        self._arguments = scanner._arguments
        self._reader = scanner._reader
        self._block = block
        self._columns = Columns()
        self._routes: dict[str, dict[str, _Route | None]] = {}
        self._actors: dict[Actor, int] = {}
        self._identities: dict[tuple[str, str], int] = {}
        self._instances: dict[tuple[int, str, int], int] = {}
        self._details: list[Detail] = []
        self._sampled: dict[int, int] = {}
        self._flows = FlowFinder(self._columns.flows)
        late = min(block.number - 1, len(_SAMPLES_LATER) - 1)
        self._sample_limit = _SAMPLES_FIRST if block.number == 0 else _SAMPLES_LATER[late]

    def run(self) -> Columns:
        columns = self._columns
        keep = self._keep
        routes = self._routes
        dropped_4xx: Drop | None = None
        for line, record in self._records():
            status = record.status
            target = record.target
            question = target.find("?")
            path = target if question < 0 else target[:question]
            by_path = routes.get(record.method)
            if by_path is None:
                by_path = routes[record.method] = {}
            try:
                route = by_path[path]
            except KeyError:
                route = by_path[path] = self._route(record.method, path)
            if route is None:
                self._not_in_spec(record.method, path, line)
            elif 200 <= status < 400 or status >= 500:
                keep(line, record, route, question)
            elif 400 <= status < 500:
                if dropped_4xx is None:
                    dropped_4xx = columns.drops.setdefault("answered 4XX", Drop())
                dropped_4xx.add(line)
            else:
                self._drop("no final answer", line)
        self._flush()
        columns.actor_table = list(self._identities)
        columns.instance_table = list(self._instances)
        return columns

    def _records(self) -> Iterator[tuple[int, Record]]:
        block, columns = self._block, self._columns
        if block.format.documents is not None:
            yield from self._documents()
            return
        parse: Parser = block.wrapping.unwrapped(block.format.parser(block.options))
        number = block.first_line - 1
        lines = block.data.split(b"\n")
        if lines and not lines[-1]:
            lines.pop()
        columns.lines_read = len(lines)
        for line in lines:
            number += 1
            try:
                record = parse(line)
            except BadLine as bad:
                self._drop(f"not readable: {bad}", number)
                continue
            if record is None:
                columns.not_requests += 1
            else:
                yield number, record

    def _documents(self) -> Iterator[tuple[int, Record]]:
        read = self._block.format.documents
        assert read is not None
        number = 0
        for number, record in enumerate(read(self._block.data), start=1):
            if isinstance(record, BadLine):
                self._drop(f"not readable: {record}", number)
            else:
                yield number, record
        self._columns.lines_read = number

    def _drop(self, reason: str, line: int) -> None:
        self._columns.drops.setdefault(reason, Drop()).add(line)

    def _not_in_spec(self, method: str, path: str, line: int) -> None:
        self._drop("not in the specification", line)
        unknown = self._columns.unknown
        name = f"{method} {templated(path)}"
        if name in unknown or len(unknown) < _MOST_UNKNOWN:
            unknown[name] = unknown.get(name, 0) + 1

    # --- a kept request ----------------------------------------------------------------------------------------

    def _keep(self, line: int, record: Record, route: _Route, question: int) -> None:
        columns = self._columns
        plan = route.plan
        actor = self._actors.get(record.actor)
        if actor is None:
            actor = self._actor(record.actor)
        columns.times.append(record.start)
        columns.actors.append(actor)
        columns.operations.append(plan.index)
        columns.statuses.append(record.status)
        columns.lines.append(line)
        detail = Detail(record.target)
        if record.body_kind:
            body = record.body
            if len(body) > 2 or (record.body_kind != Body.PARAMETERS and body):
                detail.body = body
                detail.media_type = record.media_type
            detail.body_kind = record.body_kind
        if record.headers and plan.headers:
            detail.headers = tuple(pair for pair in record.headers if pair[0] in plan.headers)
        self._details.append(detail)
        if len(self._details) == SEGMENT:
            self._flush()
        used = route.distinct
        good = record.status < 300
        if plan.value_uses and (question >= 0 or detail.body or detail.headers):
            used = self._with_values(route, detail)
        columns.counts.append(len(used))
        columns.used.extend(used)
        if good:
            if plan.creation is not None:
                self._creation(plan.creation, record, route, detail)
            elif record.response and plan.shows:
                self._shown(plan, record, route)
            if plan.renames and detail.body:
                self._renamed(plan, route, detail)
            seen = self._sampled.get(plan.index, 0)
            if seen < self._sample_limit:
                self._sampled[plan.index] = seen + 1
                reading = self._arguments.read(
                    plan.operation, self._reader.shown_path(route.arguments), detail
                )
                columns.corpus.add(plan.operation.id, reading.arguments, whole=reading.whole)
            if record.response:
                self._flows.request(plan, route.arguments, detail, self._arguments)
                self._flows.response(plan, record.response)
        elif record.status in _REDIRECTS and record.location:
            self._redirect(record)

    def _flush(self) -> None:
        if self._details:
            self._columns.segments.append(pack(self._details))
            self._details = []

    def _actor(self, actor: Actor) -> int:
        identity = self._identifier.identify(actor)
        number = self._identities.setdefault(identity, len(self._identities))
        self._actors[actor] = number
        return number

    # --- instances ---------------------------------------------------------------------------------------------

    def _instance(self, resource: int, value: str, scope: int) -> int:
        return self._instances.setdefault((resource, value, scope), len(self._instances))

    def _route(self, method: str, path: str) -> _Route | None:
        match = self._router.match(method, path)
        if match is None:
            return None
        plan = self._plan.operations[self._plan.index_of[match.operation.id]]
        uses = self._reader.in_path(plan, match.path_arguments, self._instance)
        distinct = tuple(dict.fromkeys(number for number in uses if number >= 0))
        return _Route(plan, match.path_arguments, uses, distinct)

    def _with_values(self, route: _Route, detail: Detail) -> tuple[int, ...]:
        """Path instances, and those that query, headers and body name."""
        found = dict.fromkeys(route.distinct)
        for _, number in self._reader.in_values(route.plan, route.uses, detail, self._instance):
            if len(found) < MOST_INSTANCES:
                found.setdefault(number)
        return tuple(found)

    # --- what a request makes, shows or renames ----------------------------------------------------------------

    def _creation(self, creation: CreationPlan, record: Record, route: _Route, detail: Detail) -> None:
        scope, scope_open = self._scope(creation, route, detail)
        names: tuple[str, ...] = ()
        answer = self._answer(record)
        if answer is not None:
            names = names_in(answer, creation.names)
            if scope_open:
                scope, scope_open = self._scope_in(creation, answer)
        if not names and record.location:
            names = self._located(creation, record.location)
        chosen = tuple(own_identities(creation.chosen, route.arguments, {}, None))
        own: tuple[str, ...] = ()
        perhaps: tuple[str, ...] = ()
        if creation.own or creation.perhaps:
            query, body, _ = self._arguments.values(route.plan.operation, detail)
            own = tuple(own_identities(creation.own, route.arguments, query, body))
            perhaps = tuple(own_identities(creation.perhaps, route.arguments, query, body))
        self._columns.creations.append(
            CreationSeen(
                len(self._columns.times) - 1,
                creation.resource,
                scope,
                scope_open,
                chosen[-1:] or names,
                own[:3],
                perhaps[:3],
            )
        )

    def _scope(self, creation: CreationPlan, route: _Route, detail: Detail) -> tuple[int, bool]:
        if not creation.scopes:
            return -1, False
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

    def _shown(self, plan: OperationPlan, record: Record, route: _Route) -> None:
        """An answer that repeats the name it was asked by shows other names of the same thing."""
        known = route.uses[-1]
        answer = self._answer(record)
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
                self._columns.aliases.append((known, self._instance(use.resource, name, scope)))

    def _renamed(self, plan: OperationPlan, route: _Route, detail: Detail) -> None:
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
                self._columns.renames.append((len(self._columns.times) - 1, known, new))

    def _redirect(self, record: Record) -> None:
        path = origin_form(record.location).partition("?")[0]
        route = self._route(record.method, path)
        if route is not None:
            self._columns.redirects.append((len(self._columns.times) - 1, route.uses))

    def _answer(self, record: Record) -> Json:
        if not record.response or len(record.response) > _LARGEST_RESPONSE:
            return None
        try:
            value: Json = msgspec.json.decode(record.response)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        return value


def templated(path: str) -> str:
    """A path with its changing parts left open, to count paths that are not in the specification."""
    parts = path.split("/")
    if len(parts) > 12:
        parts = [*parts[:12], "…"]
    return "/".join("{}" if part and _VARIABLE.match(part) else part for part in parts)[:200]
