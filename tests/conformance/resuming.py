"""Kills real campaigns against the demo service at random moments, resumes them, and looks at what is left."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tests.conformance.forking import Forks

from lobrest.app.storage import open_campaign_store
from lobrest.errors import StoreError
from lobrest.report.summary import summary_from_json

_BUG = re.compile(r"^  (?:bug|note) (\d+):", re.MULTILINE)
_UNDER_WAY = re.compile(r"^(testing|going on with) ", re.MULTILINE)
_PATIENCE_SECONDS = 180.0
_FILES = ("repro.py", "repro.sh", "exchange.har")


class Service(Protocol):
    """What a campaign is run against."""

    @property
    def url(self) -> str: ...
    @property
    def spec(self) -> str: ...
    @property
    def auth(self) -> Path: ...
    @property
    def logs(self) -> list[Path]: ...


@dataclass(frozen=True, slots=True)
class Left:
    """What was there after a kill, or at the end."""

    moment: float
    """Seconds after the first request was possible; -1: before."""
    announced: int
    bugs: frozenset[int]
    operations: frozenset[str]
    requests: int


class Chain:
    """One campaign, killed and resumed."""

    def __init__(
        self, forks: Forks, service: Service, folder: Path, store: str = "", keep: str = "all"
    ) -> None:
        self._forks = forks
        self._service = service
        self._folder = folder
        self._store = store
        self._keep = keep
        self._said = folder.with_name(f"{folder.name}.said")
        self._begun = False

    def killed(self, moment: float, *, seconds: int = 600) -> Left | None:
        """Start or resume it, kill it so long after it is under way; None where that was before anything."""
        process = self._process(seconds)
        if moment >= 0:
            self._wait_until_under_way(process)
        time.sleep(abs(moment))
        self._forks.kill(process)
        announced = {int(number) for number in _BUG.findall(self._words())}
        if not self._begun and not self._has_begun():
            assert not announced
            self._folder = self._folder.with_name(f"{self._folder.name}x")
            return None
        self._begun = True
        return self._left(moment, announced)

    def _has_begun(self) -> bool:
        """Is there anything to go on from? From the first request on there must be."""
        if not any((self._folder / name).exists() for name in ("lobrest.db", "store.json")):
            return False
        try:
            store = open_campaign_store(self._folder, readonly=True)
        except StoreError:  # killed while the tables were made
            return False
        try:
            begun = bool(store.pieces("beginning"))
            assert begun or store.totals().requests == 0
            return begun
        finally:
            store.close()

    def finished(self, *, seconds: int = 3) -> Left:
        """Resume it and let it end."""
        status = self._forks.wait(self._process(seconds))
        if status not in (0, 1):
            raise AssertionError(f"resume ended with {status}: {self._words()}")
        announced = {int(number) for number in _BUG.findall(self._words())}
        left = self._left(-1, announced)
        place = self._folder / "summary.json"
        summary = summary_from_json(place.read_bytes(), source=str(place))
        assert {bug.n for bug in summary.bugs} == left.bugs
        assert summary.operations.covered == len(left.operations), "the summary and the store disagree"
        assert summary.requests == left.requests
        assert (self._folder / "report.html").is_file()
        return left

    def _left(self, moment: float, announced: set[int]) -> Left:
        store = open_campaign_store(self._folder, readonly=True)
        try:
            found = {bug.number: bug for bug in store.bugs()}
            missing = announced - set(found)
            assert not missing, f"bugs {missing} were announced and are not there"
            for number in announced:
                assert found[number].exchanges
                for name in _FILES:
                    assert (self._folder / "bugs" / str(number) / name).stat().st_size > 0
            totals = store.totals()
            return Left(moment, len(announced), frozenset(found), frozenset(store.covered()), totals.requests)
        finally:
            store.close()

    def _process(self, seconds: int) -> int:
        service = self._service
        auth = ["--auth", str(service.auth), "--time", f"{seconds}s"]
        if self._begun:
            command = ["resume", str(self._folder), *auth]
        else:
            logs = [str(log) for log in service.logs if "json" in log.name]
            command = ["run", service.spec, *logs, "--target", service.url, *auth, "--out", str(self._folder)]
            command += ["--keep", self._keep, *(["--store", self._store] if self._store else [])]
        return self._forks.start(command, self._said)

    def _words(self) -> str:
        return self._said.read_text(errors="replace")

    def _wait_until_under_way(self, process: int) -> None:
        end = time.monotonic() + _PATIENCE_SECONDS
        while not _UNDER_WAY.search(self._words()):
            if self._forks.is_over(process) or time.monotonic() > end:
                raise AssertionError(f"the campaign did not begin: {self._words()}")
            time.sleep(0.02)


def kill_and_resume(
    chain: Chain, *, kills: int, chance: random.Random, longest: float, early: float = 0.0
) -> Iterator[Left]:
    """Kill one campaign again and again, then let it end: what was there stays there.

    ``early`` is the share of kills while a process is still preparing.
    """
    before: Left | None = None
    for _ in range(kills):
        moment = -1.5 * chance.random() if chance.random() < early else longest * chance.random()
        left = chain.killed(moment)
        if left is None:
            continue
        _compare(before, left)
        before = left
        yield left
    left = chain.finished()
    _compare(before, left)
    yield left


def _compare(before: Left | None, left: Left) -> None:
    if before is not None:
        assert before.bugs <= left.bugs, f"bugs {before.bugs - left.bugs} are gone"
        assert before.operations <= left.operations, f"{before.operations - left.operations} are gone"
        assert before.requests <= left.requests
