"""``lobrest demo``: everything on a service that comes along, and nothing left running."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from tests.unit.cli.commands import Commands
from tests.unit.cli.test_run import clear, group_is_gone, is_gone


def test_the_whole_demo_tells_what_logs_are_worth(lobrest: Commands, tmp_path: Path):
    running = lobrest.start("demo", "--time", "2s", "--seed", 2, "--out", "demo", cwd=tmp_path)
    running.when(lambda: bool(running.children()))
    services = running.children()
    ended = running.end()
    folder = tmp_path / "demo"
    assert {"summary.json", "baseline.json", "report.html", "lobrest.db"} <= {
        one.name for one in folder.iterdir()
    }
    summary, baseline = (
        json.loads((folder / name).read_text()) for name in ("summary.json", "baseline.json")
    )
    assert summary["flows"]["total"] > baseline["flows"]["total"] == 0
    clear(ended, 1 if summary["bugs"] else 0)
    assert ended.stdout.rstrip().splitlines()[-1].endswith("demo")
    assert "without logs" in ended.stdout
    assert "lobrest run" in ended.stdout
    assert all(is_gone(one) for one in services)
    assert group_is_gone(running.pid)


@pytest.mark.parametrize("label", ["without logs", "with logs"])
def test_ctrl_c_in_either_run_leaves_a_folder_and_no_process(lobrest: Commands, tmp_path: Path, label: str):
    seconds = "50s" if label == "without logs" else "2s"
    running = lobrest.start("demo", "--time", seconds, "--out", "demo", cwd=tmp_path)
    running.when(lambda: re.search(f"^{label} http", running.stderr.read_text(), re.MULTILINE) is not None)
    services = running.children()
    assert services
    running.interrupt()
    clear(running.end(), 130)
    # Before the first request there may be nothing to keep; half a folder there must never be.
    if label == "with logs" or (tmp_path / "demo").exists():
        summary = json.loads((tmp_path / "demo" / "summary.json").read_text())
        assert summary["operations"]["total"] >= 60
    assert all(is_gone(one) for one in services)
    assert group_is_gone(running.pid)


def test_a_busy_port_is_status_3_and_leaves_nothing(lobrest: Commands, tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        ended = lobrest("demo", "--port", port, "--out", "demo", cwd=tmp_path)
        clear(ended, 3, str(port), "--port")
        served = lobrest("demo", "--serve", "--port", port, cwd=tmp_path)
    assert "Traceback" not in served.stderr
    assert served.status in (2, 3)
    assert served.stdout == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [("--time", "soon"), ("--port", "70000"), ("--out", "/proc/lobrest"), ("--faults", "nonsense")],
)
def test_wrong_use_is_said_at_once(lobrest: Commands, tmp_path: Path, arguments: tuple):
    ended = lobrest("demo", *arguments, cwd=tmp_path)
    clear(ended, 3 if "--faults" in arguments else 2)
    assert list(tmp_path.iterdir()) == []


def test_serving_tells_where_everything_is_and_ends_on_a_signal():
    """As a program of its own, from the command line to its last breath."""
    process = subprocess.Popen(
        [sys.executable, "-m", "lobrest", "demo", "--serve", "--faults", "off"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        told = json.loads(process.stdout.readline())
        assert set(told) == {"url", "spec", "logs", "auth"}
        with urllib.request.urlopen(told["spec"], timeout=10) as answer:
            assert json.load(answer)["openapi"].startswith("3.1")
        assert all(Path(one).is_file() for one in [*told["logs"], told["auth"]])
    finally:
        os.kill(process.pid, signal.SIGINT)
        process.communicate(timeout=20)
    assert is_gone(process.pid)
    assert not Path(told["auth"]).exists()
