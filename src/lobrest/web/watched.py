"""One campaign that is looked at: its store, what was known at its start, and how it stands."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lobrest.app.control import Wish, wish_for, wished
from lobrest.app.outline import OUTLINE
from lobrest.app.storage import remembered_store
from lobrest.app.work import STORE
from lobrest.errors import StoreError
from lobrest.model.bug import Severity
from lobrest.model.summary import FlowTotals, OperationResult, OperationTotals, StageTimes, Summary
from lobrest.report.data import ReportData
from lobrest.store import DATABASE_NAME
from lobrest.store.browse import Browser, RequestFilter, open_browser
from lobrest.store.codec import unpack
from lobrest.web.picture import Moment, State, pictured

_FRESH_SECONDS: Final = 0.8


@dataclass(frozen=True, slots=True)
class Pulse:
    """How far a campaign is, in what can be asked every second."""

    state: State
    requests: int
    covered: int
    operations: int
    bugs: int
    seconds: float
    budget: float
    newest: int
    current: str

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds if self.seconds else 0.0


class Watched:
    """See above. Made for one person: what was worked out a moment ago is shown again."""

    def __init__(self, number: int, browser: Browser, *, label: str, folder: Path | None) -> None:
        self.number = number
        self.browser = browser
        self.label = label
        self.folder = folder
        """The work folder, where there is one on this machine."""
        self._outline: tuple[bytes, ReportData] | None = None
        self._picture: tuple[float, ReportData] | None = None
        self._bugs = (0, 0)

    def close(self) -> None:
        """Let go."""
        self.browser.close()

    def state(self) -> State:
        """How it stands."""
        if not self.browser.running():
            endings = self.browser.endings()
            return State.ENDED if endings else State.BROKEN_OFF
        wish = wished(self.folder) if self.folder is not None else Wish.RUN
        if wish is Wish.STOP:
            return State.STOPPING
        return State.PAUSED if wish is Wish.PAUSE else State.RUNNING

    @property
    def can_be_steered(self) -> bool:
        """May it be paused and stopped from here?"""
        return self.folder is not None

    def steer(self, wish: Wish) -> None:
        """Pause, go on or stop. Raises ``StoreError`` where it cannot be told."""
        if self.folder is None or not self.browser.running():
            raise StoreError("the campaign is not running", source=self.label)
        wish_for(self.folder, wish)

    def stored(self) -> ReportData:
        """What was known at the start; at the end, what the report shows."""
        content = self.browser.state(OUTLINE)
        if content is None:
            return self._bare()
        if self._outline is None or self._outline[0] != content:
            self._outline = (content, unpack(ReportData, content))
        return self._outline[1]

    def picture(self) -> ReportData:
        """The report of this moment."""
        now = time.monotonic()
        if self._picture is not None and now - self._picture[0] < _FRESH_SECONDS:
            return self._picture[1]
        data = pictured(self.stored(), self._moment(), self.state())
        self._picture = (time.monotonic(), data)
        return data

    def forget(self) -> None:
        """Work everything out anew when it is asked for next."""
        self._picture = None

    def pulse(self) -> Pulse:
        """How far it is."""
        data = self.stored()
        sums = self.browser.statuses()
        newest = self.browser.requests(RequestFilter(), limit=1).lines
        return Pulse(
            state=self.state(),
            requests=sum(one.total for one in sums),
            covered=len(self.browser.covered()),
            operations=data.summary.operations.total,
            bugs=self._serious(),
            seconds=self.browser.last_second(),
            budget=float(data.summary.extra.get("budget_s") or 0.0),
            newest=newest[0].id if newest else 0,
            current=newest[0].operation if newest else "",
        )

    def _serious(self) -> int:
        """Bugs without what is only worth knowing; they are looked through when their number changes."""
        count = self.browser.bug_count()
        if self._bugs[0] != count:
            self._bugs = (count, sum(bug.severity is not Severity.INFO for bug in self.browser.bugs()))
        return self._bugs[1]

    def _moment(self) -> Moment:
        browser = self.browser
        return Moment(
            statuses=browser.statuses(),
            covered={str(op): at for op, at in browser.covered().items()},
            timeline=browser.timeline(),
            bugs=browser.bugs(),
            replayed=len(set(browser.replayed_flows().values())),
            seconds=browser.last_second(),
        )

    def _bare(self) -> ReportData:
        """Of a campaign that kept nothing but what happened: its operations are those that were sent."""
        names = sorted({one.operation for one in self.browser.statuses()})
        rows = tuple(OperationResult(name, "", {}) for name in names)
        summary = Summary(
            service=self.label, profile="", seed=0, started="", duration_s=0.0, requests=0, requests_per_s=0.0,
            operations=OperationTotals(len(rows), 0, 0, rows), modules=(), flows=FlowTotals(0, 0), bugs=(),
            timeline=(), stages=StageTimes(),
        )  # fmt: skip
        return ReportData(summary)


def watch(places: list[str]) -> list[Watched]:
    """The campaigns of some places: work folders, folders of work folders, databases.

    Raises ``StoreError`` for a place without any.
    """
    found: list[Watched] = []
    try:
        for place in places:
            for one in _expanded(place):
                found.append(_watched(len(found) + 1, one))
    except StoreError:
        for watched in found:
            watched.close()
        raise
    return found


def _expanded(place: str) -> list[str]:
    path = Path(place)
    if "://" in place or path.suffix == ".db" or not path.is_dir() or _is_work_folder(path):
        return [place]
    return sorted(str(inside) for inside in path.iterdir() if _is_work_folder(inside)) or [place]


def _is_work_folder(path: Path) -> bool:
    return (path / DATABASE_NAME).is_file() or (path / STORE).is_file()


def _watched(number: int, place: str) -> Watched:
    if "://" in place:
        browser = open_browser(place)
        content = browser.state(OUTLINE)
        folder = Path(unpack(ReportData, content).folder) if content is not None else None
        on_this_machine = folder if folder is not None and folder.is_dir() else None
        return Watched(number, browser, label=browser.name, folder=on_this_machine)
    path = Path(place)
    folder = path.parent if path.suffix == ".db" else path
    browser = open_browser(remembered_store(folder) or place)
    return Watched(number, browser, label=folder.absolute().name, folder=folder)
