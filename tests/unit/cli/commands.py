"""Commands as real processes: real exit statuses and signals, but the program is imported only once.

Run as a program, this file imports lobrest and then forks a process for every order on its standard input.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import typer

LONGEST = 60.0


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command left."""

    status: int
    stdout: str
    stderr: str

    @property
    def said(self) -> str:
        """The last line on standard error."""
        lines = [line for line in self.stderr.splitlines() if line.strip()]
        return lines[-1] if lines else ""


class Command:
    """A command under way."""

    def __init__(self, source: Commands, pid: int, stdout: Path, stderr: Path) -> None:
        self.pid = pid
        self._source = source
        self.stdout = stdout
        self.stderr = stderr

    def interrupt(self) -> None:
        """Ctrl-C: the whole process group gets it."""
        os.killpg(self.pid, signal.SIGINT)

    def when(self, true: Callable[[], bool]) -> Command:
        """Wait for something to become true."""
        end = time.monotonic() + LONGEST
        while not true():
            if time.monotonic() > end:
                os.killpg(self.pid, signal.SIGKILL)
                raise AssertionError(f"it never came to that: {self.stderr.read_text()}")
            time.sleep(0.02)
        return self

    def children(self) -> list[int]:
        """Processes it has started."""
        listed = Path(f"/proc/{self.pid}/task/{self.pid}/children")
        return [int(one) for one in listed.read_text().split()] if listed.exists() else []

    def end(self) -> Ended:
        status = self._source.order(wait=self.pid)
        return Ended(
            status,
            self.stdout.read_text("utf-8", "replace"),
            self.stderr.read_text("utf-8", "replace"),
        )


class Commands:
    """Starts commands in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._count = 0
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "XDG_STATE_HOME": str(folder / "state"), "NO_COLOR": "1", "COLUMNS": "200"},
        )

    def close(self) -> None:
        self._process.communicate()

    def order(self, **what: object) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def start(self, *arguments: object, cwd: Path | None = None) -> Command:
        self._count += 1
        stdout, stderr = (self.folder / f"{self._count}.{name}" for name in ("out", "err"))
        stderr.touch()
        pid = self.order(
            arguments=[str(one) for one in arguments],
            cwd=str(cwd or self.folder),
            stdout=str(stdout),
            stderr=str(stderr),
        )
        command = Command(self, pid, stdout, stderr)
        return command.when(lambda: stdout.with_suffix(".ready").exists())

    def __call__(self, *arguments: object, cwd: Path | None = None) -> Ended:
        return self.start(*arguments, cwd=cwd).end()


def _become(order: dict, main: Callable[[], None]) -> None:
    os.setsid()
    os.chdir(order["cwd"])
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(order[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.alarm(int(LONGEST))
    sys.argv = ["lobrest", *order["arguments"]]
    status: object = 0
    try:
        Path(order["stdout"]).with_suffix(".ready").touch()
        main()
    except SystemExit as ended:
        status = ended.code
    except BaseException:  # noqa: BLE001 (what the interpreter would do)
        sys.excepthook(*sys.exc_info())
        status = 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status if isinstance(status, int) else 0 if status is None else 1)


def _serve() -> None:
    # Everything the commands need is imported before the first fork.
    from lobrest.cli import app, main

    assert all(typer.main.get_command(app).commands.values())  # type: ignore[attr-defined]
    for line in sys.stdin:
        order = json.loads(line)
        if "wait" in order:
            answer = os.waitstatus_to_exitcode(os.waitpid(order["wait"], 0)[1])
        else:
            answer = os.fork()
            if answer == 0:
                _become(order, main)
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _serve()
