"""``lobrest ui``."""

from __future__ import annotations

import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

from tests.unit.cli.commands import Commands
from tests.unit.cli.test_run import clear
from tests.unit.web.recorded import recorded


def test_it_serves_until_it_is_stopped(tmp_path: Path):
    recorded(tmp_path / "w")
    command = [sys.executable, "-m", "lobrest", "ui", str(tmp_path / "w")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        jar = urllib.request.HTTPCookieProcessor()
        page = urllib.request.build_opener(jar).open(address, timeout=30).read().decode()
        assert "9 bugs found in Forge" in page
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0
    assert "Traceback" not in said


def test_what_is_not_there_is_status_2(lobrest: Commands, tmp_path: Path):
    clear(lobrest("ui", tmp_path), 2, "no campaign here")
    recorded(tmp_path / "w")
    clear(lobrest("ui", tmp_path / "w", "--auth", "nonsense"), 2, "--auth value 1")
