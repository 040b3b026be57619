"""``lobrest bug``: shown, run again, exported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.cli.commands import Commands
from tests.unit.cli.conftest import Small
from tests.unit.cli.test_run import clear


@pytest.fixture(scope="module")
def work(lobrest: Commands, faulty: Small, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bug") / "work"
    ended = lobrest("run", faulty.spec, "--target", faulty.url, "--max-requests", 60, "--out", out)
    clear(ended, 1)
    return out


def test_a_bug_is_shown_with_its_steps(lobrest: Commands, work: Path):
    ended = lobrest("bug", work, 1)
    clear(ended, 0)
    assert "500 GET /things/{id}" in ended.stdout
    assert "boom" in ended.stdout
    assert "repro.sh" in ended.stdout


def test_json_is_json(lobrest: Commands, work: Path):
    ended = lobrest("bug", work, 1, "--json")
    clear(ended, 0)
    json.loads(ended.stdout)


@pytest.mark.parametrize("form", ["curl", "pytest", "har", "postman"])
def test_every_form_of_the_interface_is_written(lobrest: Commands, work: Path, form: str):
    ended = lobrest("bug", work, 1, "--as", form)
    clear(ended, 0)
    if form in ("har", "postman"):
        json.loads(ended.stdout)
    elif form == "pytest":
        compile(ended.stdout, "test_bug.py", "exec")
    else:
        assert ended.stdout.startswith("#!")


def test_running_it_again_tells_whether_it_happens(work: Path, faulty: Small, sound: Small):
    """1 it happens, 0 it does not: the same script on two services."""
    for service, status in ((faulty, 1), (sound, 0)):
        ran = subprocess.run(
            [sys.executable, work / "bugs" / "1" / "repro.py"],
            env={**os.environ, "LOBREST_TARGET": service.url},
            capture_output=True,
            check=False,
        )
        assert ran.returncode == status, ran.stderr.decode() + ran.stdout.decode()


def test_what_is_not_there_is_status_2(lobrest: Commands, work: Path, tmp_path: Path):
    clear(lobrest("bug", work, 99), 2, "99")
    clear(lobrest("bug", tmp_path, 1), 2, "no work folder")
    clear(lobrest("bug", work, 1, "--as", "nonsense"), 2, "nonsense", "curl")
    clear(lobrest("bug", work, "one"), 2)
