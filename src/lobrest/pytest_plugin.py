"""Mined flows as test cases of pytest.

    pytest --lobrest-spec openapi.yaml --lobrest-log access.log --lobrest-target http://127.0.0.1:8080

or the same in the settings of pytest (``lobrest_spec``, ``lobrest_logs``, ``lobrest_target``, ``lobrest_auth``) and
``pytest --lobrest``. Every flow is a case; it passes when every request of the log is answered 2XX again.
Without these options the plugin does nothing and imports nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lobrest.errors import LobrestError

if TYPE_CHECKING:
    from lobrest.api import Campaign
    from lobrest.app.flow_results import FlowResult

_SUITE = "lobrest"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options on the command line, and the same as settings."""
    group = parser.getgroup("lobrest", "business flows mined from logs (lobrest)")
    group.addoption("--lobrest", action="store_true", help="play mined flows, as the settings say")
    group.addoption("--lobrest-spec", metavar="SPEC", help="OpenAPI document, a file or URL")
    group.addoption("--lobrest-log", metavar="LOG", action="append", help="a log, or an Arazzo document")
    group.addoption("--lobrest-target", metavar="URL", help="the service to test")
    group.addoption(
        "--lobrest-auth", metavar="A", action="append", help="a user, as lobrest run --auth takes it"
    )
    group.addoption("--lobrest-limit", metavar="N", type=int, help="at most so many flows")
    parser.addini("lobrest_spec", "OpenAPI document, a file or URL")
    parser.addini("lobrest_logs", "logs and Arazzo documents, one a line", type="linelist")
    parser.addini("lobrest_target", "the service to test")
    parser.addini("lobrest_auth", "users, one a line, as lobrest run --auth takes them", type="linelist")
    parser.addini("lobrest_limit", "at most so many flows")


def pytest_configure(config: pytest.Config) -> None:
    """Cases can be chosen with ``-m lobrest``."""
    config.addinivalue_line("markers", "lobrest: a business flow mined from logs")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Add the flows; first of all, so that ``-k`` and ``-m`` choose among them."""
    wanted = config.getoption("--lobrest") or config.getoption("--lobrest-spec")
    if wanted:
        items.extend(FlowSuite.from_parent(session, name=_SUITE, nodeid=_SUITE).collect())


class FlowSuite(pytest.Collector):
    """All flows of one log. They are played together when the first of them is asked for."""

    _campaign: Campaign | None = None
    _results: dict[str, FlowResult] | None = None
    _error: LobrestError | None = None

    def collect(self) -> Iterator[FlowItem]:
        """One case a flow, in their order."""
        api = importlib.import_module("lobrest.api")
        spec, target = self._setting("spec"), self._setting("target")
        if not spec or not target:
            missing = "--lobrest-spec" if not spec else "--lobrest-target"
            raise pytest.UsageError(f"lobrest: {missing} (or the setting of that name) is needed")
        root = self.config.rootpath
        try:
            mined = api.mine(
                _placed(spec, root), *(_placed(log, root) for log in self._settings("log", "logs"))
            )
        except LobrestError as error:
            raise pytest.UsageError(f"lobrest: {error}") from error
        auth = [_placed(one, root) for one in self._settings("auth", "auth")]
        self._campaign = api.Campaign(mined, target, auth, time="24h")
        for place, name in enumerate(mined.names[: self._limit()]):
            yield FlowItem.from_parent(self, name=name, place=place)

    def result_of(self, item: FlowItem) -> FlowResult:
        """How a flow went; with the first one all that were chosen are played."""
        if self._error is not None:
            raise self._error  # it will not be better for the next flow
        if self._results is None:
            assert self._campaign is not None
            chosen = [one for one in item.session.items if isinstance(one, FlowItem) and one.parent is self]
            try:
                played = self._campaign.replay([one.place for one in chosen])
            except LobrestError as error:
                self._error = error
                raise
            self._results = {one.name: result for one, result in zip(chosen, played, strict=True)}
        return self._results[item.name]

    def _limit(self) -> int | None:
        given = self.config.getoption("--lobrest-limit") or self.config.getini("lobrest_limit")
        return int(given) if given else None

    def _setting(self, name: str) -> str:
        return str(self.config.getoption(f"--lobrest-{name}") or self.config.getini(f"lobrest_{name}") or "")

    def _settings(self, name: str, plural: str) -> Sequence[str]:
        given = self.config.getoption(f"--lobrest-{name}") or self.config.getini(f"lobrest_{plural}")
        return [str(one) for one in given]


class FlowItem(pytest.Item):
    """One flow."""

    def __init__(self, *, place: int, name: str, parent: FlowSuite, **rest: object) -> None:
        super().__init__(name=name, parent=parent, **rest)  # type: ignore[arg-type]
        self.place = place
        self.suite = parent
        self.add_marker(pytest.mark.lobrest)

    def runtest(self) -> None:
        """Passes when every request of the log is answered 2XX or 3XX again."""
        result = self.suite.result_of(self)
        if not result.steps:
            pytest.skip("it has requests that are held back for safety")
        if not result.ok:
            raise FlowFailed(str(result))

    def repr_failure(  # type: ignore[override]
        self,
        excinfo: pytest.ExceptionInfo[BaseException],
        style: object = None,  # noqa: ARG002 (a text has only one)
    ) -> object:
        """The steps with their answers instead of a traceback."""
        if isinstance(excinfo.value, FlowFailed | LobrestError):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the log has it."""
        return self.config.rootpath, None, self.name


class FlowFailed(Exception):  # noqa: N818 (what pytest's summary calls it)
    """A request of a flow was not answered as the log has it."""


def _placed(source: str, root: Path) -> str:
    """A file as seen from the folder of the settings."""
    path = root / source
    return str(path) if not Path(source).exists() and path.exists() else source
