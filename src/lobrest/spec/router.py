"""A method and a raw request path → the operation and its path arguments, and back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

from lobrest.model.operation import ApiSpec, Location, Operation, OperationId
from lobrest.spec.template import Hole, Segment, parse_template, takes_slashes

_CACHE_SIZE = 100_000
_MAX_PREFIX_SEGMENTS = 4


@dataclass(frozen=True, slots=True)
class Match:
    """A request that belongs to an operation. Shared between calls: do not change the mapping."""

    operation: Operation
    path_arguments: dict[str, str]
    """Percent-decoded, by the names of the template."""
    base: str
    """The base path or prefix that was stripped."""


@dataclass(frozen=True, slots=True)
class _End:
    """Where a template ends: its operation and the names of the values met on the way."""

    operation: Operation
    names: tuple[str, ...]


class _Node:
    __slots__ = ("ends", "literals", "parameter", "patterns", "wide", "wide_ends")

    def __init__(self) -> None:
        self.literals: dict[str, _Node] = {}
        self.patterns: list[tuple[re.Pattern[str], int, _Node]] = []
        self.parameter: _Node | None = None
        self.wide: _Node | None = None
        """A parameter that takes slashes, with more of the template behind it."""
        self.ends: dict[str, _End] = {}
        self.wide_ends: dict[str, _End] = {}
        """Operations whose last parameter may take the rest of the path."""


@dataclass(frozen=True, slots=True)
class _Form:
    """One way to write a path."""

    asks: tuple[str, ...]
    rank: tuple[int, bool, int]
    segments: tuple[tuple[tuple[str, str | None], ...], ...]
    """Parts of each segment: encoded text with None, or the name of a parameter with what is safe in it."""


class Router:
    """Routes requests of one specification.

    ``prefixes`` are path prefixes that a gateway adds; they are tried besides the base paths of the
    specification. ``learnt`` finds them from paths.
    """

    def __init__(self, spec: ApiSpec, prefixes: Iterable[str] = ()) -> None:
        self._spec = spec
        given = ["/" + prefix.strip("/") if prefix.strip("/") else "" for prefix in prefixes]
        self.prefixes = tuple(dict.fromkeys(given))
        bases = dict.fromkeys([*given, *spec.base_paths])
        self._bases = tuple(sorted(bases, key=lambda base: -len(base)))
        self._root = _Node()
        self._cache: dict[tuple[str, str], Match | None] = {}
        for operation in spec.operations.values():
            self._insert(operation)
        self._open_ended = _open_ended(self._root)
        self._forms: dict[OperationId, tuple[_Form, ...]] = {}

    def match(self, method: str, raw_path: str) -> Match | None:
        """The operation of a request line's method and path (query and all), or ``None``."""
        key = (method, raw_path)
        try:
            return self._cache[key]
        except KeyError:
            pass
        found = self._match(method, raw_path)
        if len(self._cache) >= _CACHE_SIZE:
            self._cache.clear()
        self._cache[key] = found
        return found

    def _match(self, method: str, raw_path: str) -> Match | None:
        path = raw_path
        if "?" in path or "#" in path:
            path = path.partition("?")[0].partition("#")[0]
        if not path.startswith("/") and "://" in path[:12]:
            path = "/" + path.split("://", 1)[1].partition("/")[2]
        method = method.upper()
        for base in self._bases:
            if base and not (path.startswith(base) and path[len(base) : len(base) + 1] in ("/", "")):
                continue
            match = self._under(base, method, path[len(base) :])
            if match is not None:
                return match
        return None

    def _under(self, base: str, method: str, path: str) -> Match | None:
        segments = path[1:].split("/") if path.startswith("/") else path.split("/")
        found = self._search(method, segments)
        if found is None and "" in segments[:-1]:
            # A doubled slash, as careless clients join base and path.
            kept = [segment for segment in segments[:-1] if segment] + segments[-1:]
            found = self._search(method, kept) if kept else None
        if found is None:
            return None
        end, values = found
        if "%" in path:
            values = [unquote(value) if "%" in value else value for value in values]
        return Match(end.operation, dict(zip(end.names, values, strict=True)), base)

    def _search(self, method: str, segments: list[str]) -> tuple[_End, list[str]] | None:
        values: list[str] = []
        end = _stride(self._root, segments, method, values)
        if end is not None:
            return end, values
        values.clear()
        end = _walk(self._root, segments, 0, method, values)
        if end is None:
            values.clear()
            end = _walk_wide(self._root, segments, 0, method, values, budget=[2_000])
        return (end, values) if end is not None else None

    def _insert(self, operation: Operation) -> None:
        template = parse_template(operation.template)
        for variant in template.variants:
            node = self._root
            names: list[str] = []
            for number, segment in enumerate(variant):
                last = number == len(variant) - 1
                if last and _whole(segment) is not None and self._wide(operation, segment):
                    hole = segment[0]
                    assert isinstance(hole, Hole)
                    node.wide_ends.setdefault(operation.method.value, _End(operation, (*names, hole.name)))
                node = _child(node, segment)
                names += [part.name for part in segment if isinstance(part, Hole)]
            node.ends.setdefault(operation.method.value, _End(operation, tuple(names)))

    def _takes_slashes(self, operation: Operation) -> bool:
        return operation.id in self._open_ended

    @staticmethod
    def _wide(operation: Operation, segment: Segment) -> bool:
        hole = _whole(segment)
        if hole is None:
            return False
        if hole.wide:
            return True
        for parameter in operation.parameters:
            if parameter.ref.location is Location.PATH and parameter.ref.pointer == hole.name:
                return takes_slashes(
                    hole.name,
                    kind=parameter.schema.get("type"),
                    description=parameter.description,
                    format_name=parameter.schema.get("format"),
                )
        return False

    def learnt(self, requests: Iterable[tuple[str, str]], *, least_share: float = 0.02) -> Router:
        """A router that also knows the prefix most of these (method, raw path) requests carry.

        The same router comes back when nothing is gained. Paths that match already do not vote, and
        a prefix must explain ``least_share`` of all requests and at least two different operations.
        """
        votes: Counter[str] = Counter()
        operations: dict[str, set[str]] = {}
        total = 0
        for method, raw_path in requests:
            total += 1
            if self.match(method, raw_path) is not None:
                continue
            path = raw_path.partition("?")[0]
            segments = path.strip("/").split("/")
            for count in range(min(_MAX_PREFIX_SEGMENTS, len(segments) - 1) + 1):
                prefix = "".join(f"/{segment}" for segment in segments[:count])
                found = self._search(method.upper(), segments[count:])
                if found is None or found[0].operation.template.startswith("/{"):
                    continue
                votes[prefix] += 1
                operations.setdefault(prefix, set()).add(found[0].operation.id)
                break
        for prefix, count in votes.most_common():
            if count >= least_share * total and len(operations[prefix]) >= min(2, len(self._spec.operations)):
                return Router(self._spec, (*self.prefixes, prefix))
        return self

    def expand(self, operation: Operation, path_arguments: Mapping[str, str], base: str = "") -> str:
        """The encoded request path; a missing argument leaves out an optional part, or is empty."""
        forms = self._forms.get(operation.id)
        if forms is None:
            forms = self._forms[operation.id] = self._written_forms(operation)
        chosen = forms[0]
        if len(forms) > 1:
            fitting = (one for one in forms if all(name in path_arguments for name in one.asks))
            # The form that uses most of what is given, with nothing glued together or left hanging.
            chosen = min(fitting, key=lambda one: one.rank, default=forms[0])
        path = base
        for segment in chosen.segments:
            text = ""
            for part, safe in segment:
                if safe is None:
                    text += part
                else:
                    value = str(path_arguments.get(part, ""))
                    text += value if value.isalnum() and value.isascii() else quote(value, safe=safe)
            # A segment of dots alone would be taken for a step up the path.
            path += "/" + (text.replace(".", "%2E") if text in (".", "..") else text)
        return path

    def _written_forms(self, operation: Operation) -> tuple[_Form, ...]:
        """The ways to write an operation's path, prepared for writing it often."""
        forms = []
        for variant in parse_template(operation.template).variants:
            last = len(variant) - 1
            asks = tuple(part.name for segment in variant for part in segment if isinstance(part, Hole))
            segments = []
            for number, segment in enumerate(variant):
                wide = number == last and self._takes_slashes(operation)
                segments.append(
                    tuple(
                        (part.name, "/" if wide or part.wide else "")
                        if isinstance(part, Hole)
                        else (quote(part, safe="!$&'()*+,;=:@-._~%"), None)
                        for part in segment
                    )
                )
            rank = (-len(asks), _glued(variant), len(variant))
            forms.append(_Form(asks, rank, tuple(segments)))
        return tuple(forms)


def _glued(variant: tuple[Segment, ...]) -> bool:
    """Is a parameter that takes slashes stuck to a literal, or a slash left at the end?"""
    stuck = any(isinstance(part, Hole) and part.wide for one in variant if len(one) > 1 for part in one)
    return stuck or variant[-1] == ("",)


def _open_ended(node: _Node) -> frozenset[OperationId]:
    """Operations whose last parameter takes slashes: only where no template goes on behind it.

    Where one does (``/files/{path}/raw``), a slash is a step and the service wants it encoded.
    """
    found: set[OperationId] = set()
    pending = [node]
    while pending:
        current = pending.pop()
        inner = current.parameter
        if inner is not None and (inner.literals or inner.parameter or inner.patterns):
            current.wide_ends.clear()
        found.update(end.operation.id for end in current.wide_ends.values())
        pending += current.literals.values()
        pending += (below for _, _, below in current.patterns)
        pending += [below for below in (current.parameter, current.wide) if below is not None]
    return frozenset(found)


def _whole(segment: Segment) -> Hole | None:
    """The parameter that is the whole segment, if so."""
    part = segment[0] if len(segment) == 1 else None
    return part if isinstance(part, Hole) else None


def _child(node: _Node, segment: Segment) -> _Node:
    if len(segment) == 1 and isinstance(segment[0], str):
        return node.literals.setdefault(segment[0], _Node())
    hole = _whole(segment)
    if hole is not None:
        if hole.wide:
            node.wide = node.wide or _Node()
            return node.wide
        node.parameter = node.parameter or _Node()
        return node.parameter
    text = "".join("(.+?)" if isinstance(part, Hole) else re.escape(part) for part in segment)
    pattern = re.compile(text, re.DOTALL)
    for known, _, inner in node.patterns:
        if known.pattern == pattern.pattern:
            return inner
    inner = _Node()
    weight = sum(len(part) for part in segment if isinstance(part, str))
    node.patterns.append((pattern, weight, inner))
    node.patterns.sort(key=lambda entry: -entry[1])
    return inner


def _stride(node: _Node, segments: list[str], method: str, values: list[str]) -> _End | None:
    """The common case without looking back: every segment a literal or a plain parameter."""
    for segment in segments:
        inner = node.literals.get(segment)
        if inner is None:
            inner = node.parameter
            if inner is None or node.patterns or not segment or ("%" in segment and node.literals):
                return None
            values.append(segment)
        node = inner
    return node.ends.get(method)


def _walk(node: _Node, segments: list[str], at: int, method: str, values: list[str]) -> _End | None:
    """Depth first: literal, then pattern, then parameter; back where a choice leads nowhere."""
    if at == len(segments):
        end = node.ends.get(method)
        if end is None and "" in node.literals:
            end = node.literals[""].ends.get(method)
        return end
    segment = segments[at]
    inner = node.literals.get(segment)
    if inner is None and "%" in segment:
        decoded = unquote(segment)
        inner = node.literals.get(decoded) if "/" not in decoded else None
    if inner is not None:
        end = _walk(inner, segments, at + 1, method, values)
        if end is not None:
            return end
    if segment == "" and at == len(segments) - 1:
        return node.ends.get(method)  # a trailing slash that is not declared
    size = len(values)
    for pattern, _, inner in node.patterns:
        met = pattern.fullmatch(segment)
        if met is not None:
            values += met.groups()
            end = _walk(inner, segments, at + 1, method, values)
            if end is not None:
                return end
            del values[size:]
    if node.parameter is not None and segment:
        values.append(segment)
        end = _walk(node.parameter, segments, at + 1, method, values)
        if end is not None:
            return end
        values.pop()
    return None


def _walk_wide(
    node: _Node, segments: list[str], at: int, method: str, values: list[str], budget: list[int]
) -> _End | None:
    """The second attempt: parameters that take slashes may, the shortest value first."""
    budget[0] -= 1
    if budget[0] < 0:
        return None
    if at == len(segments):
        return node.ends.get(method)
    segment = segments[at]
    size = len(values)
    inner = node.literals.get(segment)
    if inner is not None:
        end = _walk_wide(inner, segments, at + 1, method, values, budget)
        if end is not None:
            return end
        del values[size:]
    for pattern, _, inner in node.patterns:
        met = pattern.fullmatch(segment)
        if met is not None:
            values += met.groups()
            end = _walk_wide(inner, segments, at + 1, method, values, budget)
            if end is not None:
                return end
            del values[size:]
    if node.parameter is not None and segment:
        values.append(segment)
        end = _walk_wide(node.parameter, segments, at + 1, method, values, budget)
        if end is not None:
            return end
        del values[size:]
    if node.wide is not None:
        for stop in range(at + 1, len(segments) + 1):
            values.append("/".join(segments[at:stop]))
            end = _walk_wide(node.wide, segments, stop, method, values, budget)
            if end is not None:
                return end
            del values[size:]
    end = node.wide_ends.get(method)
    if end is not None and any(segments[at:]):
        values.append("/".join(segments[at:]))
        return end
    return None
