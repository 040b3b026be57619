"""Taking away what a campaign made: in time, so that it does not drown the service, and at its end."""

from __future__ import annotations

import asyncio
import weakref
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path
from typing import Final, TextIO

import msgspec

from lobrest.fuzz.cleanup import Counts, Ledger, Thing, says_deleted
from lobrest.fuzz.judge import parsed
from lobrest.model.exchange import Failure, Request, Response
from lobrest.ports import Clock, Transport

THINGS: Final = "things.jsonl"
_CHANGES: Final = ("POST", "PUT", "PATCH")
_SETTLE_SECONDS: Final = 5.0
_OLD_SECONDS: Final = 10.0
"""What was made so long ago by a play that is over is finished."""
_TRIM_TO: Final = 0.8
_TRIM_AT_ONCE: Final = 2
_PASSES: Final = 3
_LOOKS: Final = 2
_MOST_STAND_INS: Final = 2
_ASYNCHRONOUS_SECONDS: Final = (0.3, 1.0)


@dataclass(frozen=True, slots=True)
class Tidiness:
    """How much is left lying about."""

    seconds: float = 120.0
    """For cleaning up at the end."""
    beyond: int = 2000
    """Things that may be there at once while the campaign runs."""


class Journal:
    """What a campaign has made, on disk: one that is killed can clean up when it goes on."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lines: TextIO | None = None

    def things(self) -> list[Thing]:
        """What was there when the file was last written; lines that cannot be read are left out."""
        found: dict[str, Thing] = {}
        try:
            text = self._file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return []
        for line in text.splitlines():
            try:
                told = msgspec.json.decode(line, type=_Line)
            except msgspec.MsgspecError:
                continue  # the last line of a campaign that was killed
            if told.made is not None:
                found[told.made.path] = told.made
            found.pop(told.gone, None)
        return list(found.values())

    def changed(self, thing: Thing, there: bool) -> None:
        """Write down that a thing has come or gone."""
        # A key may be a secret, and then it stays in memory.
        marks = tuple(one for one in thing.marks if one[0] not in ("key", "sha"))
        line = _Line(made=replace(thing, marks=marks)) if there else _Line(gone=thing.path)
        try:
            if self._lines is None:
                self._lines = self._file.open("a", encoding="utf-8", buffering=1)
            self._lines.write(msgspec.json.encode(line).decode() + "\n")
        except OSError:
            return  # cleaning up still works, only not after a kill

    def close(self, *, done: bool) -> None:
        """Let go; with nothing left to do the file goes too."""
        if self._lines is not None:
            self._lines.close()
            self._lines = None
        if done:
            self._file.unlink(missing_ok=True)


class _Line(msgspec.Struct, omit_defaults=True):
    made: Thing | None = None
    gone: str = ""


class _End(Enum):
    DELETED = auto()
    GONE = auto()
    SOFT = auto()
    UNCERTAIN = auto()
    REFUSED = auto()


class _Way(Enum):
    """How an operation deletes."""

    AT_ONCE = auto()
    TWICE = auto()
    """The first time it only marks."""
    MARKS = auto()


class Cleaner:
    """Sends for a campaign, remembers what that made, and removes it; see ``ports.Transport``."""

    def __init__(
        self,
        transport: Transport,
        ledger: Ledger,
        clock: Clock,
        *,
        everybody: Sequence[str],
        beyond: int,
        at_once: int = 8,
        progress: Callable[[int, int], None] = lambda _done, _left: None,
        journal: Journal | None = None,
    ) -> None:
        """With more than ``beyond`` things alive the oldest finished ones are removed while the campaign runs."""
        self._transport = transport
        self._ledger = ledger
        self._clock = clock
        self._everybody = everybody
        self._beyond = beyond
        self._at_once = at_once
        self._progress = progress
        self._journal = journal
        self._made: deque[tuple[Thing, weakref.ref[asyncio.Task[object]] | None, float]] = deque()
        self._open: set[asyncio.Task[Response | Failure]] = set()
        self._trimming: asyncio.Task[None] | None = None
        self._skip = asyncio.Event()
        self._ways: dict[str, _Way] = {}
        self._looked: Counter[str] = Counter()
        self.counts = Counts()

    async def send(self, request: Request) -> Response | Failure:
        """See ``ports.Transport``. A creation goes on to its end even where nobody waits for it any more."""
        if request.method not in _CHANGES:
            outcome = await self._transport.send(request)
            if isinstance(outcome, Response):
                self._ledger.told(request, outcome)
            return outcome
        task = asyncio.create_task(self._change(request, asyncio.current_task()))
        self._open.add(task)
        task.add_done_callback(self._open.discard)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Let connections go."""
        await self._transport.close()

    def skip(self) -> None:
        """Leave the rest as it is."""
        self._skip.set()

    async def _change(self, request: Request, play: asyncio.Task[object] | None) -> Response | Failure:
        outcome = await self._transport.send(request)
        if isinstance(outcome, Response):
            thing = self._ledger.told(request, outcome)
            if thing is not None and thing.remover is not None:
                self._made.append((thing, weakref.ref(play) if play is not None else None, self._clock.now()))
                if len(self._made) > self._beyond and (self._trimming is None or self._trimming.done()):
                    self._trimming = asyncio.create_task(self._trim())
        return outcome

    # In time ----------------------------------------------------------------------------------------

    async def _trim(self) -> None:
        """Remove the oldest things that no play uses any more."""
        too_many = len(self._made) - int(_TRIM_TO * self._beyond)
        now = self._clock.now()
        alive = {thing.path: thing for thing in self._ledger.things}
        busy: set[str] = set()
        old: list[Thing] = []
        kept: deque[tuple[Thing, weakref.ref[asyncio.Task[object]] | None, float]] = deque()
        for thing, made_by, at in self._made:
            current = alive.get(thing.path)
            if current is None:
                continue  # gone, or under another name: then it waits for the end
            play = made_by() if made_by is not None else None
            finished = (play is None or play.done()) and now - at >= _OLD_SECONDS
            if finished and len(old) < too_many:
                old.append(current)
            else:
                kept.append((thing, made_by, at))
                if not finished:
                    busy.add(thing.path)
        self._made = kept
        doomed = [thing for thing in old if not any(path.startswith(f"{thing.path}/") for path in busy)]
        await self._rounds(self._ledger.family(doomed), at_once=_TRIM_AT_ONCE)
        # What could not be removed now is tried again, and counted, at the end.
        self.counts.uncertain = self.counts.soft = 0
        self.counts.refused.clear()

    # At the end -------------------------------------------------------------------------------------

    async def sweep(self, seconds: float) -> Counts:
        """Remove everything that is left, within a time."""
        if self._trimming is not None and not self._trimming.done():
            self._trimming.cancel()
            await asyncio.gather(self._trimming, return_exceptions=True)
        if self._open:
            await asyncio.wait(set(self._open), timeout=_SETTLE_SECONDS)
        work = asyncio.create_task(self._rounds(list(self._ledger.things), at_once=self._at_once))
        skipped = asyncio.create_task(self._skip.wait())
        await asyncio.wait({work, skipped}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for task in (work, skipped):
            task.cancel()
        ends = await asyncio.gather(work, skipped, return_exceptions=True)
        if isinstance(ends[0], Exception):
            raise ends[0]
        self.counts.made = self._ledger.made
        self.counts.by_plays = self._ledger.ended_by_play
        self.counts.no_operation = dict(self._ledger.lasting)
        settled = self.counts.uncertain + sum(self.counts.refused.values()) + self.counts.soft
        self.counts.left = max(0, len(self._ledger) - settled)
        if self._journal is not None:
            self._journal.close(done=not self.counts.left)
        return self.counts

    async def _rounds(self, things: list[Thing], *, at_once: int) -> None:
        """Innermost first; what is refused is tried again once other things are gone."""
        removed: set[str] = set()
        refused: dict[str, tuple[Thing, str]] = {}
        waiting = things
        for _ in range(_PASSES):
            before = len(removed)
            refused.clear()
            await self._pass(waiting, removed, refused, at_once=at_once)
            waiting = []
            for thing, _why in refused.values():
                if self._ledger.is_inside(thing, removed):
                    self.counts.with_parent += 1 + self._ledger.removed(thing)
                else:
                    waiting.append(thing)
            if not waiting or len(removed) == before:
                break
        for thing in waiting:
            why = refused[thing.path][1]
            self.counts.refused[why] = self.counts.refused.get(why, 0) + 1

    async def _pass(
        self,
        things: Sequence[Thing],
        removed: set[str],
        refused: dict[str, tuple[Thing, str]],
        *,
        at_once: int,
    ) -> None:
        levels: dict[tuple[int, int], list[Thing]] = {}
        for thing in things:
            levels.setdefault((self._ledger.depth(thing), thing.path.count("/")), []).append(thing)
        left = len(things)
        for level in sorted(levels, reverse=True):
            queue = deque(sorted(levels[level], key=lambda one: -one.number))

            async def work(queue: deque[Thing] = queue) -> None:
                nonlocal left
                while queue:
                    thing = queue.popleft()
                    end, why = await self._remove(thing)
                    left -= 1
                    self._count(thing, end, why, removed, refused)
                    self._progress(self.counts.deleted, left)

            await asyncio.gather(*(work() for _ in range(min(at_once, len(queue)))))

    def _count(
        self, thing: Thing, end: _End, why: str, removed: set[str], refused: dict[str, tuple[Thing, str]]
    ) -> None:
        match end:
            case _End.REFUSED:
                refused[thing.path] = (thing, why)
            case _End.UNCERTAIN:
                self.counts.uncertain += 1
            case _End.SOFT:
                self.counts.soft += 1
            case _End.DELETED | _End.GONE:
                removed.add(thing.path)
                self.counts.with_parent += self._ledger.removed(thing)
                if end is _End.DELETED:
                    self.counts.deleted += 1
                else:
                    self.counts.gone += 1

    # One thing --------------------------------------------------------------------------------------

    async def _remove(self, thing: Thing) -> tuple[_End, str]:
        assert thing.remover is not None
        if not self._ledger.is_certain(thing):
            found = await self._found(thing)
            if isinstance(found, _End):
                return found, ""
            thing = found
        outcome = await self._deleted(thing)
        elsewhere = self._ledger.redirected(thing, outcome) if isinstance(outcome, Response) else None
        if elsewhere is not None:
            # It must be looked at: the new name may be that of something else.
            there = await self._found(replace(self._ledger.at(thing, elsewhere), others=()))
            if isinstance(there, _End):
                return there, ""
            thing = self._ledger.moved(thing, elsewhere)
            outcome = await self._deleted(thing)
        status = outcome.status if isinstance(outcome, Response) else 0
        if status in (404, 410):
            return _End.GONE, ""
        if not 200 <= status < 300:
            return _End.REFUSED, f"{thing.remover}: {status or outcome}"
        return await self._is_gone(thing, asynchronous=status == 202), f"{thing.remover}: is still there"

    async def _deleted(self, thing: Thing, *, finally_: bool = False) -> Response | Failure:
        """Sent by whoever made it; where that is refused, by somebody else."""
        request = self._ledger.deleting(thing, finally_=finally_)
        stand_ins = [name for name in self._everybody if name != thing.actor][:_MOST_STAND_INS]
        outcome: Response | Failure = Failure.CONNECT
        for actor in (thing.actor, *stand_ins):
            outcome = await self._sent(
                Request(request.operation, request.method, request.target, (), None, actor)
            )
            if not isinstance(outcome, Response) or outcome.status not in (401, 403):
                break
        return outcome

    async def _found(self, thing: Thing) -> Thing | _End:
        """The thing where it really is; what else is there is left alone."""
        strange = False
        for path in (thing.path, *thing.others):
            there = self._ledger.at(thing, path)
            look = self._ledger.looking(there)
            if look is None:
                return there if thing.plain else _End.UNCERTAIN
            outcome = await self._sent(look)
            if not isinstance(outcome, Response) or outcome.status not in (404, 410):
                document = parsed(outcome) if isinstance(outcome, Response) and outcome.status < 300 else None
                if there.is_shown_by(document):
                    self._ledger.proved(there)
                    return there if path == thing.path else self._ledger.moved(thing, path)
                strange = True
        return _End.UNCERTAIN if strange else _End.GONE

    async def _is_gone(self, thing: Thing, *, asynchronous: bool) -> _End:
        """After a deletion that was accepted: is it, or is it only marked as deleted?"""
        remover = str(thing.remover)
        way = self._ways.get(remover)
        if way is _Way.AT_ONCE:
            return _End.DELETED
        if way is _Way.MARKS:
            return _End.SOFT
        if way is None:
            waits = _ASYNCHRONOUS_SECONDS if asynchronous else ()
            shown = await self._shown(thing)
            for seconds in waits:
                if shown is None:
                    break
                await asyncio.sleep(seconds)
                shown = await self._shown(thing)
            if shown is None:
                self._looked[remover] += 1
                if self._looked[remover] >= _LOOKS:
                    self._ways[remover] = _Way.AT_ONCE
                return _End.DELETED
        await self._deleted(thing, finally_=True)
        if way is _Way.TWICE:
            return _End.DELETED
        shown = await self._shown(thing)
        if shown is None:
            self._ways[remover] = _Way.TWICE
            return _End.DELETED
        if says_deleted(parsed(shown)):
            self._ways[remover] = _Way.MARKS
            return _End.SOFT
        return _End.REFUSED

    async def _shown(self, thing: Thing) -> Response | None:
        look = self._ledger.looking(thing)
        outcome = await self._sent(look) if look is not None else None
        return outcome if isinstance(outcome, Response) and outcome.status < 300 else None

    async def _sent(self, request: Request) -> Response | Failure:
        self.counts.requests += 1
        return await self._transport.send(request)
