"""How commands speak: talk on standard error, results on standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn


@dataclass(frozen=True, slots=True)
class Talk:
    """What the common flags say about speaking."""

    json: bool = False
    quiet: bool = False
    color: bool = True

    @property
    def results(self) -> Console:
        """For what was asked for."""
        return self._console(sys.stdout)

    @property
    def side(self) -> Console:
        """For everything said on the way; with ``--json`` standard output stays machine-readable."""
        return self._console(sys.stderr)

    def say(self, text: str) -> None:
        """A line on the way. Shown as it is: nothing in it is markup."""
        if not self.quiet:
            self.side.print(text, markup=False, highlight=False, soft_wrap=True)

    def warn(self, text: str) -> None:
        """A line that is shown even with ``--quiet``."""
        self.side.print(text, markup=False, highlight=False, soft_wrap=True, style="yellow")

    def write(self, text: str) -> None:
        """A machine-readable result."""
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()

    @contextmanager
    def progress(self, label: str, total: float | None) -> Iterator[Progress]:
        """A bar with an estimate on a terminal, nothing where nobody watches."""
        console = self.side
        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=self.quiet or not console.is_terminal,
            transient=True,
        )
        with bar:
            bar.add_task(label, total=total)
            yield bar

    def _console(self, stream: object) -> Console:
        plain = not self.color or "NO_COLOR" in os.environ
        return Console(file=stream, no_color=plain, highlight=False)  # type: ignore[arg-type]
