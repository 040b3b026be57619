"""``lobrest replay``: what was logged, once, and where two services differ."""

from __future__ import annotations

import json
from pathlib import Path

from tests.unit.cli.commands import Commands
from tests.unit.cli.conftest import Small


def test_replay_plays_what_the_log_has_and_no_more(lobrest: Commands, sound: Small, tmp_path: Path):
    line = '127.0.0.1 - ann [01/Jan/2026:00:00:0{} +0000] "GET /things HTTP/1.1" 200 2 "-" "x"\n'
    (tmp_path / "a.log").write_text("".join(line.format(number) for number in range(3)))
    ended = lobrest("replay", sound.spec, "a.log", "--target", sound.url, "--json", cwd=tmp_path)
    assert ended.status == 0, ended.stderr
    summary = json.loads(ended.stdout)
    assert summary["flows"]["replayed"] == summary["flows"]["total"] == 1
    assert summary["requests"] < 20
