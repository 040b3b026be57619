"""``lobrest record``."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.request import Request, urlopen

from tests.unit.cli.commands import Commands
from tests.unit.cli.conftest import Small
from tests.unit.cli.test_run import clear


def test_it_records_until_it_is_stopped_and_logs_reads_it(lobrest: Commands, sound: Small, tmp_path: Path):
    out = tmp_path / "recorded.log"
    command = lobrest.start("record", "--upstream", sound.url, "--listen", 0, "--out", out, "--json")
    command.when(lambda: command.stdout.read_text().endswith("\n"))
    url = json.loads(command.stdout.read_text())["listen"]
    for _ in range(3):
        with urlopen(
            Request(f"{url}/things", b"{}", {"Content-Type": "application/json"}), timeout=20
        ) as answer:
            assert answer.status == 201
    command.interrupt()
    ended = command.end()
    assert ended.status == 0
    assert "3 requests recorded" in ended.stderr
    assert len(out.read_text().splitlines()) == 3
    told = lobrest("logs", sound.spec, out, "--json")
    clear(told, 0)
    assert json.loads(told.stdout)["kept"] == 3


def test_wrong_use(lobrest: Commands, tmp_path: Path):
    clear(
        lobrest("record", "--upstream", "nowhere", "--listen", 0, "--out", tmp_path / "x"),
        2,
        "no URL of a service",
    )
    clear(
        lobrest("record", "--upstream", "http://x", "--listen", "x:y", "--out", tmp_path / "x"),
        2,
        "no address",
    )
