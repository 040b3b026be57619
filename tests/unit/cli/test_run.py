"""``lobrest run``: what they leave, and the exit statuses that scripts rely on."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest
from tests.unit.cli.commands import Commands, Ended
from tests.unit.cli.conftest import Small

from lobrest.demo import DemoProcess
from lobrest.store import open_store


def clear(ended: Ended, status: int, *words: str) -> None:
    """One clear line, no traceback, the right status."""
    assert "Traceback" not in ended.stderr, ended.stderr
    assert ended.status == status, (ended.status, ended.stderr)
    for word in words:
        assert word in ended.stderr, ended.stderr


def test_a_sound_service_is_status_0_and_leaves_a_work_folder(
    lobrest: Commands, sound: Small, tmp_path: Path
):
    out = tmp_path / "a work folder"
    ended = lobrest("run", sound.spec, "--target", sound.url, "--max-requests", 40, "--out", out)
    clear(ended, 0)
    assert {"summary.json", "report.html", "lobrest.db"} <= {one.name for one in out.iterdir()}
    assert ended.stdout.strip().endswith(f"work folder: {out}")
    summary = json.loads((out / "summary.json").read_text())
    assert summary["requests"] <= 40
    assert summary["operations"] == {**summary["operations"], "total": 3, "covered": 3}
    assert summary["bugs"] == []


def test_bugs_are_status_1_and_can_be_run_again(lobrest: Commands, faulty: Small, tmp_path: Path):
    out = tmp_path / "out"
    ended = lobrest("run", faulty.spec, "--target", faulty.url, "--max-requests", 60, "--out", out, "--json")
    clear(ended, 1)
    summary = json.loads(ended.stdout)
    assert summary == json.loads((out / "summary.json").read_text())
    (bug,) = summary["bugs"]
    assert (bug["n"], bug["op"], bug["status"], bug["message"]) == (1, "GET /things/{id}", 500, "boom")
    assert {one.name for one in (out / "bugs" / "1").iterdir()} == {"repro.py", "repro.sh", "exchange.har"}


def test_nobody_listens_is_status_3_and_leaves_nothing(lobrest: Commands, sound: Small, tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    ended = lobrest("run", sound.spec, "--target", f"http://127.0.0.1:{port}", cwd=tmp_path)
    clear(ended, 3, str(port))
    assert list(tmp_path.iterdir()) == []


def test_refused_credentials_are_status_3(lobrest: Commands, demo: DemoProcess, tmp_path: Path):
    ended = lobrest(
        "run", demo.spec, "--target", demo.url, "--auth", "Authorization: Bearer wrong", "--max-requests", 20,
        cwd=tmp_path,
    )  # fmt: skip
    clear(ended, 3, "credential")
    assert "wrong" not in ended.stderr + ended.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run",), ("no specification",)),
        (("run", "{spec}"), ("no target", "--target")),
        (("run", "missing.json", "--target", "{url}"), ("missing.json", "No such file")),
        (("run", "{log}", "--target", "{url}"), ("{log}",)),
        (("run", "{spec}", "missing.log", "--target", "{url}"), ("missing.log",)),
        (("run", "{spec}", "{empty}", "--target", "{url}"), ("{empty}",)),
        (("run", "{spec}", "{log}", "--target", "{url}"), ("{log}",)),
        (("run", "{spec}", "--target", "nowhere"), ("nowhere",)),
        (("run", "{spec}", "--target", "{url}", "--time", "soon"), ("soon", "30s")),
        (("run", "{spec}", "--target", "{url}", "--max-requests", "0"), ("max-requests",)),
        (("run", "{spec}", "--target", "{url}", "--auth", "env:LOBREST_NOT_SET"), ("LOBREST_NOT_SET",)),
        (("run", "{spec}", "--target", "{url}", "--out", "{full}"), ("not empty", "--out")),
        (("run", "{spec}", "--target", "{url}", "--out", "/proc/lobrest"), ("cannot be written",)),
        (("run", "{spec}", "--target", "{url}", "--include", "nothing*"), ("include",)),
        (("run", "{spec}", "--target", "{url}", "--nonsense"), ("--nonsense",)),
        (("run", "{spec}", "--target", "{url}", "--config", "missing.toml"), ("missing.toml",)),
        (("replay", "{spec}", "missing.log", "--target", "{url}"), ("missing.log",)),
        (("nonsense",), ("nonsense",)),
    ],
)  # fmt: skip
def test_wrong_use_is_status_2_with_what_where_and_what_to_do(
    lobrest: Commands, sound: Small, tmp_path: Path, arguments: tuple, words: tuple
):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious").touch()
    (tmp_path / "empty.log").touch()
    foreign = '127.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET /other/service HTTP/1.1" 200 2 "-" "x"\n'
    (tmp_path / "foreign.log").write_text(foreign * 20)
    places = {
        "spec": sound.spec, "url": sound.url, "log": "foreign.log", "empty": "empty.log", "full": "full",
    }  # fmt: skip
    before = {one.name for one in tmp_path.iterdir()}
    ended = lobrest(*(str(one).format(**places) for one in arguments), cwd=tmp_path)
    clear(ended, 2, *(word.format(**places) for word in words))
    assert ended.stdout == ""
    assert {one.name for one in tmp_path.iterdir()} == before
    assert [one.name for one in (tmp_path / "full").iterdir()] == ["precious"]


@pytest.mark.parametrize(
    "text", ['seed = "x"', 'profile = "ours"', 'rate = "fast"', 'concurrency = "many"', "concurrency = 0",
             'time = "soon"', "auth = 3", 'mlt = "long"', "rate = -1"],
)  # fmt: skip
def test_a_setting_that_makes_no_sense_is_status_2(
    lobrest: Commands, sound: Small, tmp_path: Path, text: str
):
    (tmp_path / "lobrest.toml").write_text(text)
    ended = lobrest("run", sound.spec, "--target", sound.url, "--max-requests", 5, cwd=tmp_path)
    clear(ended, 2)
    assert [one.name for one in tmp_path.iterdir()] == ["lobrest.toml"]


def test_settings_are_used_and_flags_win(lobrest: Commands, sound: Small, tmp_path: Path):
    (tmp_path / "lobrest.toml").write_text(
        f'spec = "{sound.spec}"\ntarget = "{sound.url}"\nseed = 9\ninclude = ["GET"]\n'
    )
    ended = lobrest("run", "--max-requests", 10, "--json", cwd=tmp_path)
    clear(ended, 0)
    summary = json.loads(ended.stdout)
    assert summary["seed"] == 9
    assert {one["op"]: bool(one["statuses"]) for one in summary["operations"]["list"]}[
        "POST /things"
    ] is False
    ended = lobrest("run", "--max-requests", 10, "--seed", 4, "--json", cwd=tmp_path)
    assert json.loads(ended.stdout)["seed"] == 4


def test_the_whole_way_on_the_demo(lobrest: Commands, demo: DemoProcess, log: Path, tmp_path: Path):
    out = tmp_path / "out"
    ended = lobrest(
        "run", demo.spec, log, "--target", demo.url, "--auth", demo.auth, "--max-requests", 300, "--seed", 3,
        "--out", out, "--json",
    )  # fmt: skip
    assert ended.status in (0, 1), ended.stderr
    summary = json.loads(ended.stdout)
    assert 200 < summary["requests"] <= 300
    assert summary["flows"]["total"] > 10
    assert summary["operations"]["covered"] > 20
    assert summary["stages"]["read_s"] > 0
    assert len(summary["modules"]) >= 10
    store = open_store(out, create=False, readonly=True)
    try:
        assert len(store.bugs()) == len(summary["bugs"])
    finally:
        store.close()
    secrets = [one.rpartition(" ")[2] for one in demo.auth.read_text().split('"') if "Bearer" in one]
    kept = b"".join(one.read_bytes() for one in out.rglob("*") if one.is_file())
    assert not [one for one in secrets if one and one.encode() in kept]


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def group_is_gone(pid: int) -> bool:
    try:
        os.killpg(pid, 0)
    except (ProcessLookupError, PermissionError):
        return True
    return False


def test_ctrl_c_keeps_everything_and_is_status_130(
    lobrest: Commands, demo: DemoProcess, log: Path, tmp_path: Path
):
    out = tmp_path / "out"
    running = lobrest.start(
        "run", demo.spec, log, "--target", demo.url, "--auth", demo.auth, "--time", "50s", "--out", out
    )
    running.when(lambda: "testing" in running.stderr.read_text() and (out / "lobrest.db").exists())
    running.when(lambda: (out / "bugs").exists() or "bug" in running.stderr.read_text())
    running.interrupt()
    ended = running.end()
    clear(ended, 130)
    summary = json.loads((out / "summary.json").read_text())
    assert summary["requests"] > 0
    assert (out / "report.html").exists()
    number = summary["bugs"][0]["n"]
    clear(lobrest("bug", out, number), 0)
    assert group_is_gone(running.pid)


@pytest.mark.parametrize("word", ["", "reading the spec", "log file"])
def test_ctrl_c_before_the_first_request_is_status_130_too(
    lobrest: Commands, demo: DemoProcess, log: Path, tmp_path: Path, word: str
):
    running = lobrest.start("run", demo.spec, log, "--target", demo.url, "--auth", demo.auth, cwd=tmp_path)
    running.when(lambda: word in running.stderr.read_text())
    running.interrupt()
    ended = running.end()
    clear(ended, 130)
    assert group_is_gone(running.pid)
