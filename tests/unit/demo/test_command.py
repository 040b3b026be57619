from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from lobrest.demo.command import main, shipped_logs

SECONDS = 30


def start(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "lobrest.demo", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_announces_itself_serves_and_stops_quietly(how):
    with start("--faults", "off") as process:
        line = json.loads(process.stdout.readline())
        assert set(line) == {"url", "spec", "logs", "auth"}
        auth = Path(line["auth"])
        users = json.loads(auth.read_text())["auth"]
        assert {"root", "alice", "bob"} <= {user["name"] for user in users}
        assert auth.stat().st_mode & 0o077 == 0
        with urlopen(line["spec"]) as answer:
            assert json.loads(answer.read())["servers"] == [{"url": line["url"]}]
        os.kill(process.pid, how)
        output, errors = process.communicate(timeout=SECONDS)
        assert (process.returncode, output, errors) == (0, b"", b"")
        assert not auth.exists()


def test_it_ends_with_its_parent_when_asked_to():
    with start("--exit-with-parent") as process:
        process.stdout.readline()
        process.stdin.close()
        process.wait(timeout=SECONDS)
        assert process.returncode == 0


def test_a_busy_port_is_one_clear_line(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["--port", str(port)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert f"cannot listen on 127.0.0.1:{port}" in captured.err


@pytest.mark.parametrize(
    "arguments", [["--port", "70000"], ["--host", "256.0.0.1"], ["--faults", "nonsense"]]
)
def test_what_cannot_be_is_one_clear_line(arguments, capsys):
    assert main(arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_logs_are_shipped():
    assert [path.name for path in shipped_logs()] == ["access.log.gz", "api_json.log.gz"]
