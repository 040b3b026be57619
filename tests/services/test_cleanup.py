"""After a campaign that cleans up, the demo has what it had before."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from lobrest.app.campaign import Budget
from lobrest.app.cleanup import Tidiness
from lobrest.app.pipeline import Reading, prepare
from lobrest.app.session import Order, run_session
from lobrest.demo import DemoProcess
from lobrest.transport import read_credentials

LISTS = ("/projects", "/groups", "/tokens")
NO_PEOPLE = "POST /users"
"""Nothing deletes them."""


def census(service: DemoProcess) -> dict[str, list[list]]:
    """What every user sees of everything that is listed."""
    users = json.loads(Path(service.auth).read_text())["auth"]
    found: dict[str, list[list]] = {}
    for path in LISTS:
        for user in users:
            headers = {one["name"]: one["value"] for one in user["fixedHeaders"]}
            request = urllib.request.Request(f"{service.url}{path}?per_page=100", headers=headers)
            with urllib.request.urlopen(request) as answer:
                found.setdefault(path, []).append(sorted(str(one["id"]) for one in json.load(answer)))
    return found


def test_the_demo_is_as_it_was():
    with DemoProcess(port=0, faults="on") as service:
        before = census(service)
        logs = [str(log) for log in service.logs if "json" in str(log)]
        prepared = prepare(service.spec, logs, Reading(), lambda _: None)
        order = Order(
            target=service.url,
            credentials=read_credentials([str(service.auth)], environment=os.environ),
            budget=Budget(60.0, 800),
            random_seed=3,
            exclude=(NO_PEOPLE,),
            tidiness=Tidiness(60.0, beyond=30),
        )
        outcome = run_session(prepared, order, None)
        assert census(service) == before
    counts = outcome.cleaned
    assert counts is not None
    assert counts.made > 100
    assert counts.deleted > 50
    assert counts.left == 0
    assert counts.refused == {}
    assert outcome.summary.extra["cleanup"]["deleted"] == counts.deleted


def test_also_after_ctrl_c(tmp_path: Path):
    with DemoProcess(port=0, faults="on") as service:
        before = census(service)
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "lobrest", "run", service.spec, "--target", service.url, "--cleanup"),
                *("--auth", str(service.auth), "--exclude", NO_PEOPLE, "--out", str(tmp_path / "work")),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "XDG_STATE_HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path)},
        )
        deadline = time.monotonic() + 90
        while len(census(service)["/projects"][0]) < 30 and time.monotonic() < deadline:
            time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=100)[0]
        assert process.returncode == 130, said
        assert "cleanup of" in said
        assert census(service) == before, said
