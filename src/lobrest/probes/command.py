"""Anything else: a command that prints what has run."""

from __future__ import annotations

import asyncio
import shlex
from typing import Final

from lobrest.errors import ProbeError, UsageError
from lobrest.probes.lines import Lines, parse_lines

_SECONDS: Final = 30.0


class CommandProbe:
    """Runs a command, without a shell, and reads its output."""

    def __init__(self, command: str) -> None:
        """Raises ``UsageError`` for what is no command."""
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"{command!r} is no command: {error}") from error
        if not self._words:
            raise UsageError("command: names none", hint="write command:'tool --that prints'")

    async def lines(self) -> Lines:
        """See ``ports.CoverageProbe``."""
        return parse_lines(await output_of(self._words), source=self._words[0])

    async def close(self) -> None:
        """Nothing is held."""


async def output_of(words: list[str], *, seconds: float = _SECONDS) -> bytes:
    """What a command prints. Raises ``ProbeError`` where it fails or takes too long."""
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
    except (OSError, ValueError) as error:
        raise ProbeError(f"cannot be run: {error}", source=words[0]) from error
    try:
        out, complaint = await asyncio.wait_for(process.communicate(), seconds)
    except BaseException as error:
        if process.returncode is None:
            process.kill()
            await process.wait()
        if isinstance(error, TimeoutError):
            raise ProbeError(f"took longer than {seconds:g} s", source=words[0]) from error
        raise
    if process.returncode:
        said = complaint.decode("utf-8", "replace").strip()[-200:]
        raise ProbeError(f"ended with status {process.returncode}: {said}", source=words[0])
    return out
