"""A real process behind nginx, killed from outside or by a request: one outage, and the culprit found."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.services.serving import operation

from lobrest.app.campaign import Budget
from lobrest.app.pipeline import Reading, prepare
from lobrest.app.session import Order, Outcome, run_session
from lobrest.model.bug import BugKind
from lobrest.model.event import Outage
from lobrest.transport import read_credentials

NGINX = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
MORTAL = Path(__file__).with_name("mortal.py")
THING = {"id": {"type": "integer"}}
POLISH = "POST /things/{id}/polish"
PATHS = {
    "/things": {"post": operation(answer=THING), "get": operation(answer=THING)},
    "/things/{id}": {"get": operation("id", answer=THING)},
    "/things/{id}/polish": {"post": operation("id", answer=THING)},
    "/reports": {"get": operation()},
}


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def reachable(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def awaited(port: int) -> None:
    for _ in range(200):
        if reachable(port):
            return
        time.sleep(0.05)
    raise AssertionError(f"nothing listens on {port}")


class Supervisor:
    """Starts the service again whenever it has died, as an operator's tools would."""

    def __init__(self) -> None:
        self.port = free_port()
        self.deaths = 0
        self.mourning = 0.7
        self._over = threading.Event()
        self._process = self._start()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        awaited(self.port)

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, str(MORTAL), str(self.port)], stderr=subprocess.DEVNULL)

    def _watch(self) -> None:
        while not self._over.wait(0.05):
            if self._process.poll() is not None:
                self.deaths += 1
                if self._over.wait(self.mourning):
                    return
                self._process = self._start()

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        self._process.kill()
        self._process.wait()


@contextmanager
def proxied(port: int, folder: Path) -> Iterator[int]:
    """An nginx in front of a port; where it listens."""
    if NGINX is None:
        pytest.skip("nginx is not installed")
    mine = free_port()
    places = "".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    conf = folder / "nginx.conf"
    conf.write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; events {{}}\n"
        f"http {{ access_log off; {places} server {{ listen 127.0.0.1:{mine};\n"
        f"location / {{ proxy_pass http://127.0.0.1:{port}; proxy_http_version 1.1; }} }} }}\n"
    )
    process = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(conf)], stderr=subprocess.DEVNULL)
    try:
        awaited(mine)
        yield mine
    finally:
        process.terminate()
        process.wait()


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    service = Supervisor()
    try:
        yield service
    finally:
        service.close()


def document(folder: Path) -> Path:
    file = folder / "api.json"
    file.write_text(json.dumps({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": PATHS}))
    return file


def campaign(
    port: int, folder: Path, *, requests: int, exclude: tuple[str, ...] = (), events: list | None = None
) -> Outcome:
    prepared = prepare(str(document(folder)), [], Reading(), lambda _: None)
    order = Order(
        target=f"http://127.0.0.1:{port}",
        credentials=read_credentials([], environment={}),
        budget=Budget(60.0, requests),
        random_seed=1,
        concurrency=4,
        exclude=exclude,
    )
    return run_session(prepared, order, None, sinks=[] if events is None else [events.extend])


def failures(outcome: Outcome) -> list:
    kinds = (BugKind.SERVER_ERROR, BugKind.OUTAGE)
    return [bug for bug in outcome.engine.state.triage.bugs if bug.kind in kinds]


@pytest.mark.parametrize("behind", ["nginx", "nothing"])
def test_a_request_that_takes_the_service_down(supervisor: Supervisor, tmp_path: Path, behind: str):
    if behind == "nginx":
        with proxied(supervisor.port, tmp_path) as port:
            outcome = campaign(port, tmp_path, requests=250)
    else:
        outcome = campaign(supervisor.port, tmp_path, requests=250)
    found = failures(outcome)
    (killer,) = [bug for bug in found if bug.kind is BugKind.OUTAGE]
    assert (killer.key.operation, killer.confirmed) == (POLISH, True)
    assert [one.request.operation for one in killer.exchanges] == ["POST /things", POLISH]
    assert {(bug.key.operation, bug.key.status) for bug in found if bug is not killer} == {
        ("GET /reports", 503)
    }
    assert outcome.result.outages[0].cause == POLISH
    assert outcome.result.quarantined == (POLISH,)
    assert supervisor.deaths <= 6
    assert outcome.result.reason == "the requests are spent"


def test_a_service_that_is_restarted_by_somebody(supervisor: Supervisor, tmp_path: Path):
    class Events(list):
        def extend(self, more: object) -> None:
            before = len(self)
            super().extend(more)
            if before < 200 <= len(self):
                supervisor.kill()

    events = Events()
    with proxied(supervisor.port, tmp_path) as port:
        outcome = campaign(port, tmp_path, requests=500, exclude=(POLISH,), events=events)
    assert supervisor.deaths == 1
    assert len(outcome.result.outages) == 1
    assert outcome.result.outages[0].cause == ""
    assert [event.down for event in events if isinstance(event, Outage)] == [True, False]
    assert {bug.key.operation for bug in failures(outcome)} == {"GET /reports"}


def test_a_service_that_stays_away_is_status_3_and_everything_is_kept(supervisor: Supervisor, tmp_path: Path):
    supervisor.mourning = 1000.0
    work = tmp_path / "work"
    command = [
        sys.executable,
        "-m",
        "lobrest",
        "run",
        str(document(tmp_path)),
        "--time",
        "6s",
        "--exclude",
        POLISH,
    ]
    process = subprocess.Popen(
        [*command, "--target", f"http://127.0.0.1:{supervisor.port}", "--out", str(work), "--rate", "100"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={"PATH": "", "XDG_STATE_HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)},
    )
    while not (work / "bugs").exists() and process.poll() is None:
        time.sleep(0.05)
    supervisor.kill()
    said = process.communicate()[0]
    assert process.returncode == 3, said
    assert "did not come back" in said
    summary = json.loads((work / "summary.json").read_text())
    assert summary["extra"]["dead"] is True
    assert [bug["op"] for bug in summary["bugs"] if bug["status"] == 503] == ["GET /reports"]
    assert (work / "bugs" / "1").is_dir()
    assert (work / "report.html").is_file()
