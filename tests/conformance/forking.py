"""Commands in processes of their own that need not import anything: forked from one that has.

Run as a program it imports lobrest and then forks a process for every order on its standard input.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType

import typer


class Forks:
    """Starts commands; a context manager."""

    def __enter__(self) -> Forks:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.conformance.forking"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def start(self, arguments: list[str], stderr: Path) -> int:
        """The number of a new process, which may write already."""
        stderr.write_bytes(b"")
        return self._asked({"arguments": arguments, "stderr": str(stderr)})

    def wait(self, pid: int) -> int:
        """Its exit status; that of a signal is negative."""
        return self._asked({"wait": pid})

    def kill(self, pid: int) -> None:
        """At once, and nothing of it is left when this returns."""
        os.kill(pid, signal.SIGKILL)
        self.wait(pid)

    def is_over(self, pid: int) -> bool:
        """Has it ended by itself?"""
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"

    def _asked(self, order: dict[str, object]) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


def _become(order: dict[str, object]) -> None:
    from lobrest.cli import main

    os.setsid()
    os.dup2(os.open(str(order["stderr"]), os.O_WRONLY), 2)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    arguments = order["arguments"]
    assert isinstance(arguments, list)
    sys.argv = ["lobrest", *arguments]
    status: object = 0
    try:
        main()
    except SystemExit as ended:
        status = ended.code
    except BaseException:  # noqa: BLE001 (what the interpreter would do)
        sys.excepthook(*sys.exc_info())
        status = 99
    finally:
        sys.stderr.flush()
        os._exit(status if isinstance(status, int) else 0 if status is None else 1)


def _serve() -> None:
    from lobrest.cli import app

    assert all(typer.main.get_command(app).commands.values())  # type: ignore[attr-defined]
    for line in sys.stdin:
        order = json.loads(line)
        if "wait" in order:
            answer = os.waitstatus_to_exitcode(os.waitpid(order["wait"], 0)[1])
        else:
            answer = os.fork()
            if answer == 0:
                _become(order)
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _serve()
