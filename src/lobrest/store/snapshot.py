"""The state of an engine in pieces, of which only those that changed are written, and back.

What never changes once it is made (seeds, flows, exchanges of a bug, probes that wait) is a piece of its own,
written once and referred to by name; the rest of the state is one piece a field. Flows of the log are referred
to by their place: they are kept with the material. Nothing in a piece is code.
"""

from __future__ import annotations

import binascii
import dataclasses
import functools
import json
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from lobrest.errors import StoreError
from lobrest.fuzz.feedback import Feedback
from lobrest.fuzz.knowledge import Knowledge
from lobrest.fuzz.pool import PoolItem
from lobrest.fuzz.probes import Probe
from lobrest.fuzz.state import EngineState
from lobrest.fuzz.variant import Variant
from lobrest.model.entry import Arguments, Place
from lobrest.model.exchange import Exchange
from lobrest.model.operation import OperationId
from lobrest.model.seed import Origin, Seed
from lobrest.model.slice import Slice
from lobrest.store.codec import Codec, Codecs, to_json

PREFIX: Final = "engine/"
_VERSION: Final = 1
_VERSION_NAME: Final = f"{PREFIX}version"
_FIELDS: Final = f"{PREFIX}state/"
_PARTS: Final = f"{PREFIX}part/"
_DIVIDED: Final[Mapping[str, type]] = {"knowledge": Knowledge, "feedback": Feedback}
"""Fields of the state that are divided further."""
TRIAGE: Final = frozenset({"triage"})

_DAMAGE: Final = (
    TypeError,
    ValueError,
    KeyError,
    IndexError,
    AttributeError,
    OverflowError,
    RecursionError,
    binascii.Error,
)
"""What goes wrong when a piece is not what it was."""


@dataclass(frozen=True, slots=True)
class Change:
    """What a store has to do so that it has the state."""

    pieces: Mapping[str, bytes]
    gone: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Part:
    """A value written once. Held, so that its address stays its own."""

    value: object
    name: str
    needs: tuple[_Part, ...] = ()


@dataclass(slots=True)
class _Written:
    """What the store has by now."""

    parts: dict[int, _Part] = field(default_factory=dict)
    """By address."""
    fields: dict[str, bytes] = field(default_factory=dict)
    texts: dict[int, tuple[Arguments, msgspec.Raw]] = field(default_factory=dict)
    """Arguments as JSON, by address."""
    number: int = 0


class Snapshots:
    """Takes snapshots of one engine's state, one after the other."""

    def __init__(self, slices: Sequence[Slice]) -> None:
        """``slices`` are the flows of the material."""
        self._slices = slices
        self._places = {id(piece): index for index, piece in enumerate(slices)}
        self._written = _Written()
        self._used: dict[int, _Part] = {}
        self._new: dict[str, bytes] = {}
        self._texts: dict[int, tuple[Arguments, msgspec.Raw]] = {}
        plain = Codecs()
        self._kinds: dict[str, Codec] = {
            "slice": plain.of(Slice),
            "exchanges": plain.of(tuple[Exchange, ...]),
            "probes": plain.of(tuple[Probe, ...]),
        }
        self._arguments = plain.of(Arguments)
        flow = Codec(self._flow_name, _unreadable)
        self._kinds["seed"] = Codecs({Slice: flow}).of(Seed)
        self._codecs = Codecs(
            {
                Slice: flow,
                Seed: Codec(lambda seed: self._part("seed", seed).name, _unreadable),
                tuple[Exchange, ...]: Codec(lambda done: self._part("exchanges", done).name, _unreadable),
                tuple[Probe, ...]: Codec(lambda probes: self._part("probes", probes).name, _unreadable),
                Arguments: Codec(self._text, _unreadable),
                PoolItem: Codec(self._item, _unreadable),
                **_COMPACT,
            }
        )

    def taken(self, state: EngineState, only: Collection[str] = ()) -> Change:
        """What changed since the last time: in the whole state, or in some of its fields."""
        self._used, self._new = {}, {}
        changed: dict[str, bytes] = {_VERSION_NAME: to_json(_VERSION)} if not self._written.fields else {}
        self._texts, self._written.texts = self._written.texts, dict(self._written.texts) if only else {}
        for name, kind, value in _fields_of(state):
            if only and name.partition("/")[0] not in only:
                continue
            content = to_json(self._codecs.of(kind).encode(value))
            if self._written.fields.get(name) != content:
                self._written.fields[name] = content
                changed[_FIELDS + name] = content
        changed.update(self._new)
        if only:
            self._written.parts.update(self._used)
            return Change(changed)
        gone = {part.name for key, part in self._written.parts.items() if key not in self._used}
        self._written.parts = self._used
        return Change(changed, frozenset(gone))

    def _part(self, kind: str, value: object) -> _Part:
        known = self._used.get(id(value))
        if known is not None:
            return known
        known = self._written.parts.get(id(value))
        if known is None:
            self._written.number += 1
            name = f"{_PARTS}{kind}/{self._written.number}"
            needs: tuple[_Part, ...] = ()
            if isinstance(value, Seed) and id(value.source) not in self._places:
                needs = (self._part("slice", value.source),)
            self._new[name] = to_json(self._kinds[kind].encode(value))
            known = _Part(value, name, needs)
        self._used[id(value)] = known
        for part in known.needs:
            self._used[id(part.value)] = part
        return known

    def _flow_name(self, piece: Slice) -> int | str:
        place = self._places.get(id(piece))
        return place if place is not None else self._part("slice", piece).name

    def _item(self, item: PoolItem) -> list[object]:
        seed = self._part("seed", item.seed).name if item.seed is not None else None
        flow = self._flow_name(item.piece)
        figures = [item.plays, item.gain, item.good_share, item.replayed, item.joined]
        return [flow, item.origin.value, seed, *figures]

    def _text(self, arguments: Arguments) -> msgspec.Raw:
        known = self._texts.get(id(arguments))
        if known is None:
            known = (arguments, msgspec.Raw(to_json(self._arguments.encode(arguments))))
        self._written.texts[id(arguments)] = known
        return known[1]

    def read(self, pieces: Mapping[str, bytes], *, source: str) -> EngineState:
        """The state that pieces hold; the next snapshot writes what changes from there.

        Raises ``StoreError`` for pieces that are damaged, or of a newer version.
        """
        reading = _Reading(pieces, self._slices)
        try:
            version = json.loads(pieces[_VERSION_NAME])
            if version != _VERSION:
                raise StoreError(
                    f"its state has version {version}, the newest known here is {_VERSION}",
                    source=source,
                    hint="update lobrest",
                )
            state = reading.state()
        except _DAMAGE as error:
            raise StoreError(
                f"the state of the campaign is damaged: {error!r:.200}",
                source=source,
                hint="its bugs and requests can still be looked at; start a new campaign with --learnt",
            ) from error
        self._written = _Written()
        parts = self._written.parts
        parts.update({id(value): _Part(value, name) for name, value in reading.parts.items()})
        for part in list(parts.values()):
            if isinstance(part.value, Seed) and id(part.value.source) in parts:
                parts[id(part.value)] = _Part(part.value, part.name, (parts[id(part.value.source)],))
        names = [name for name in pieces if name.startswith(_PARTS)]
        self._written.number = max((int(name.rpartition("/")[2]) for name in names), default=0)
        self._written.fields = {
            name.removeprefix(_FIELDS): content
            for name, content in pieces.items()
            if name.startswith(_FIELDS)
        }
        return state


class _Reading:
    """Values out of pieces."""

    def __init__(self, pieces: Mapping[str, bytes], slices: Sequence[Slice]) -> None:
        self._pieces = pieces
        self._slices = slices
        self.parts: dict[str, Any] = {}
        plain = Codecs()
        flow = Codec(_unwritable, self._flow)
        self._kinds: dict[str, Codec] = {
            "slice": plain.of(Slice),
            "seed": Codecs({Slice: flow}).of(Seed),
            "exchanges": plain.of(tuple[Exchange, ...]),
            "probes": plain.of(tuple[Probe, ...]),
        }
        self._codecs = Codecs(
            {
                Slice: flow,
                Seed: Codec(_unwritable, lambda name: self._part("seed", name)),
                tuple[Exchange, ...]: Codec(_unwritable, lambda name: self._part("exchanges", name)),
                tuple[Probe, ...]: Codec(_unwritable, lambda name: self._part("probes", name)),
                PoolItem: Codec(_unwritable, self._item),
                **_COMPACT,
            }
        )

    def state(self) -> EngineState:
        """All of it; a field that was added since keeps its default."""
        values: dict[str, Any] = {}
        divided: dict[str, dict[str, Any]] = {name: {} for name in _DIVIDED}
        for name, kind in _kinds_of_fields():
            content = self._pieces.get(_FIELDS + name)
            if content is None:
                continue
            value = self._codecs.of(kind).decode(json.loads(content))
            whole, _, part = name.partition("/")
            if part:
                divided[whole][part] = value
            else:
                values[name] = value
        for name, parts in divided.items():
            values[name] = _DIVIDED[name](**parts)
        return EngineState(**values)

    def _part(self, kind: str, name: Any) -> Any:
        if not isinstance(name, str) or not name.startswith(f"{_PARTS}{kind}/"):
            raise TypeError(f"{name!r:.80} names no {kind}")
        if name not in self.parts:
            self.parts[name] = self._kinds[kind].decode(json.loads(self._pieces[name]))
        return self.parts[name]

    def _flow(self, name: Any) -> Slice:
        if isinstance(name, int):
            if not 0 <= name < len(self._slices):
                raise IndexError(f"there is no flow {name}")
            return self._slices[name]
        piece: Slice = self._part("slice", name)
        return piece

    def _item(self, content: Any) -> PoolItem:
        flow, origin, seed, plays, gain, good_share, replayed, joined = content
        return PoolItem(
            self._flow(flow),
            Origin(origin),
            None if seed is None else self._part("seed", seed),
            int(plays),
            float(gain),
            float(good_share),
            bool(replayed),
            bool(joined),
        )


def _fields_of(state: EngineState) -> Iterable[tuple[str, Any, object]]:
    for name, kind in _kinds_of_fields():
        whole, _, part = name.partition("/")
        value = getattr(state, whole)
        yield name, kind, getattr(value, part) if part else value


@functools.cache
def _kinds_of_fields() -> tuple[tuple[str, Any], ...]:
    hints = typing.get_type_hints(EngineState)
    found: list[tuple[str, Any]] = []
    for one in dataclasses.fields(EngineState):
        divided = _DIVIDED.get(one.name)
        if divided is None:
            found.append((one.name, hints[one.name]))
            continue
        inner = typing.get_type_hints(divided)
        found.extend((f"{one.name}/{part.name}", inner[part.name]) for part in dataclasses.fields(divided))
    return tuple(found)


def _unreadable(_: Any) -> Any:
    raise TypeError("this codec only writes")


def _unwritable(_: Any) -> Any:
    raise TypeError("this codec only reads")


def _places_to(places: Iterable[Place]) -> dict[str, list[int]]:
    by_file: dict[str, list[int]] = {}
    for place in places:
        by_file.setdefault(place.file, []).append(place.line)
    return {file: sorted(lines) for file, lines in by_file.items()}


def _places_of(content: Any) -> set[Place]:
    return {Place(file, int(line)) for file, lines in content.items() for line in lines}


def _texts_to(texts: Mapping[Place, str]) -> dict[str, list[list[object]]]:
    by_file: dict[str, list[list[object]]] = {}
    for place, text in texts.items():
        by_file.setdefault(place.file, []).append([place.line, text])
    return by_file


def _texts_of(content: Any) -> dict[Place, str]:
    return {Place(file, int(line)): str(text) for file, rows in content.items() for line, text in rows}


def _pairs_to(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    by_first: dict[str, list[str]] = {}
    for first, second in pairs:
        by_first.setdefault(first, []).append(second)
    return {first: sorted(seconds) for first, seconds in sorted(by_first.items())}


def _pairs_of(kind: Callable[[str], str]) -> Callable[[Any], set[tuple[str, str]]]:
    def decode(content: Any) -> set[tuple[str, str]]:
        return {
            (kind(first), OperationId(second)) for first, seconds in content.items() for second in seconds
        }

    return decode


_COMPACT: Final[Mapping[Any, Codec]] = {
    set[Place]: Codec(_places_to, _places_of),
    dict[Place, str]: Codec(_texts_to, _texts_of),
    set[tuple[Variant, OperationId]]: Codec(_pairs_to, _pairs_of(Variant)),
    set[tuple[OperationId, OperationId]]: Codec(_pairs_to, _pairs_of(OperationId)),
}
"""The large ones, in fewer words than their annotations would give."""
