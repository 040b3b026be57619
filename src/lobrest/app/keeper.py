"""What happens goes to the store, and with it, now and then, all that a campaign needs to go on from there."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Final

from lobrest.app.campaign import Campaign, Result
from lobrest.app.control import Gate
from lobrest.app.work import WorkFolder
from lobrest.errors import StoreError
from lobrest.fuzz.engine import Engine
from lobrest.fuzz.state import NUMBERS_A_RUN
from lobrest.model.bug import Bug
from lobrest.model.event import BugConfirmed, BugFound, Event
from lobrest.ports import Clock
from lobrest.store import CampaignStore
from lobrest.store.codec import pack
from lobrest.store.snapshot import TRIAGE, Change, Snapshots

PROGRESS: Final = "progress"
"""Name of the piece with the figures of the campaign so far."""
_EVERY_SECONDS: Final = 5.0
_SHARE: Final = 100.0
"""A snapshot may take a hundredth of the time; where it takes more there are fewer of them …"""
_LEAST_OFTEN_SECONDS: Final = 60.0
"""… but never fewer than this."""
_OVERDUE: Final = 3.0
_RETRY_SECONDS: Final = 2.0
_PATIENCE_SECONDS: Final = 120.0
_LAST_TRIES: Final = 4
_LAST_SECONDS: Final = 0.3
_HOLDER: Final = "store"

Say = Callable[[str], None]


class Keeper:
    """Records everything; a bug is safe, and its folder written, before anybody is told of it.

    A store that cannot be written holds the campaign: nothing is sent until it can be written again, and where
    it cannot for long the campaign ends in order. ``error`` says why, and nothing recorded is lost until then.

    ``processor`` counts the seconds of work that snapshots cost: on a busy machine a clock would count others' too.
    """

    def __init__(
        self,
        folder: WorkFolder,
        store: CampaignStore,
        engine: Engine,
        snapshots: Snapshots,
        clock: Clock,
        *,
        origin: str,
        started: datetime,
        say: Say = lambda _: None,
        processor: Callable[[], float] = time.thread_time,
        patience_seconds: float | None = None,
    ) -> None:
        self._folder = folder
        self._store = store
        self._engine = engine
        self._snapshots = snapshots
        self._clock = clock
        self._origin = origin
        self._started = started
        self._say = say
        self._processor = processor
        self._patience = _PATIENCE_SECONDS if patience_seconds is None else patience_seconds
        self._campaign: Campaign | None = None
        self._gate: Gate | None = None
        self._unwritten: deque[Change] = deque()
        self._waiting: deque[Sequence[Event]] = deque()
        self._owed: dict[int, Bug] = {}
        """Bugs whose folder is not written, or shows a longer form: that can wait for the next snapshot."""
        self._urgent: set[int] = set()
        """Those of them that have no folder."""
        self._holding: asyncio.Task[None] | None = None
        self._last = clock.now()
        self._cost = 0.0
        self._planned = engine.state.planned
        self.snapshots_taken = 0
        self.snapshot_seconds = 0.0
        self.error: StoreError | None = None

    def watch(self, campaign: Campaign, gate: Gate) -> None:
        """The campaign to hold, and its gate."""
        self._campaign, self._gate = campaign, gate

    def __call__(self, events: Sequence[Event]) -> None:
        """Take in what happened."""
        self._waiting.append(events)
        if self._holding is not None or self.error is not None:
            return
        try:
            self._work()
            if self._due():
                self.snapshot()
        except StoreError as error:
            self._hold(error)

    def _work(self) -> None:
        """Do what is to be done, in order; what is done is not to be done any more, whatever comes next."""
        while self._unwritten:
            self._store.put_pieces(self._unwritten[0].pieces, self._unwritten[0].gone)
            self._unwritten.popleft()
        while self._waiting:
            events = self._waiting[0]
            bugs = [event for event in events if isinstance(event, BugFound | BugConfirmed)]
            if bugs:
                # First what is to be done about a bug, then the bug: one that is known is never forgotten.
                self._put(self._snapshots.taken(self._engine.state, only=TRIAGE))
            self._store.record(events)
            self._waiting.popleft()
            for event in bugs:
                self._owed[event.bug.number] = event.bug
                if isinstance(event, BugFound):
                    self._urgent.add(event.bug.number)
        if self._urgent:
            self._store.flush()
            self._write_bugs(sorted(self._urgent))

    def _write_bugs(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._folder.write_bug(self._owed[number], origin=self._origin, started=self._started)
            del self._owed[number]
            self._urgent.discard(number)

    def _put(self, change: Change) -> None:
        self._unwritten.append(change)
        self._store.put_pieces(change.pieces, change.gone)
        self._unwritten.pop()

    def _due(self) -> bool:
        passed = self._clock.now() - self._last
        every = min(max(_EVERY_SECONDS, _SHARE * self._cost), _LEAST_OFTEN_SECONDS)
        # Between two lessons the engine uses what it knew at the first: a state then says a little less.
        if passed >= (every if self._engine.at_rest else _OVERDUE * every):
            return True
        return self._engine.state.planned - self._planned >= NUMBERS_A_RUN // 2

    def snapshot(self) -> None:
        """Write what changed of all that is needed to go on."""
        self._write_bugs(list(self._owed))
        began = self._processor()
        change = self._snapshots.taken(self._engine.state)
        if self._campaign is not None:
            progress = pack(Result, self._campaign.result)
            change = replace(change, pieces={**change.pieces, PROGRESS: progress})
        self._put(change)
        self._last = self._clock.now()
        self._planned = self._engine.state.planned
        self._cost = self._processor() - began
        self.snapshots_taken += 1
        self.snapshot_seconds += self._cost

    # A store that cannot be written --------------------------------------------------------------

    def _hold(self, error: StoreError) -> None:
        if self._campaign is None or self._gate is None:
            raise error
        self._gate.close(_HOLDER)
        self._say(f"{error}; waiting for it")
        self._holding = asyncio.get_running_loop().create_task(self._held(error))

    async def _held(self, error: StoreError) -> None:
        """Try again and again, out of the way of what is under way."""
        assert self._campaign is not None
        assert self._gate is not None
        tries = max(1, round(self._patience / _RETRY_SECONDS))
        for _ in range(tries):
            await asyncio.sleep(min(_RETRY_SECONDS, self._patience))
            try:
                await asyncio.to_thread(self._store.flush)
            except StoreError as again:
                error = again
                continue
            self._holding = None
            try:
                self._work()
            except StoreError as again:
                self._hold(again)
                return
            self._say("the store can be written again")
            self._gate.open(_HOLDER)
            return
        self.error = error
        self._holding = None
        self._campaign.stop("the store cannot be written")
        self._gate.open(_HOLDER)

    def end(self) -> None:
        """The last snapshot, and everything on the disk. Raises what keeps it from there."""
        if self._holding is not None:
            self._holding.cancel()
        if self.error is not None:
            raise self.error
        for attempt in range(_LAST_TRIES):
            try:
                self._work()
                self.snapshot()
                self._store.flush()
            except StoreError:
                if attempt == _LAST_TRIES - 1:
                    raise
                time.sleep(_LAST_SECONDS)
                with suppress(StoreError):
                    self._store.flush()  # a writer that has failed takes nothing until it has succeeded
            else:
                return
