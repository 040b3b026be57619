"""Running the steps of a bug or of a play again, apart from any campaign: as the script anybody could run."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from lobrest.app.target import origin
from lobrest.errors import CredentialsError
from lobrest.model.bug import Bug
from lobrest.model.exchange import Exchange
from lobrest.model.reproducer import Reproducer
from lobrest.report.reproduce import reproducer_of, steps_from_exchanges
from lobrest.report.scripts import auth_variables, python_script
from lobrest.transport import Credentials, HttpTransport

_STEP: Final = re.compile(r"^(\d+)/(\d+) (.*): (\d{3}|no answer)$", re.DOTALL)
_LONGEST_LINE: Final = 4000
_NAMES: Final = re.compile(r"(?:^|_)(?:name|path|login|slug|key|code)$", re.IGNORECASE)
_UNIQUE: Final = re.compile(r"(?=.*\d)[0-9A-Za-z][0-9A-Za-z._-]{4,80}")
"""Short names and plain words are shared on purpose; a name with a number in it seldom is."""
_MARKED: Final = re.compile(r"-x[0-9a-z]{4,}$")
_MOST_SECONDS: Final = 600.0


class Ending(StrEnum):
    """What came of it."""

    UNDER_WAY = "under way"
    STILL = "still"
    """The bug still happens, or the flow is answered as before."""
    CHANGED = "changed"
    """The bug does not happen, or the flow ends in another way."""
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class StepDone:
    """One step as it was answered now."""

    position: int
    what: str
    status: int
    expected: int


@dataclass(slots=True)
class Rerun:
    """A run of some steps, as far as it has got."""

    title: str
    target: str
    steps: int
    done: list[StepDone] = field(default_factory=list)
    ending: Ending = Ending.UNDER_WAY
    said: str = ""


def of_bug(bug: Bug) -> Reproducer:
    """The steps to a bug."""
    return reproducer_of(bug)


def of_play(exchanges: Sequence[Exchange]) -> Reproducer:
    """The steps of a play: values flow from answer to request as they did then."""
    steps, fresh = steps_from_exchanges(_renamed(exchanges))
    last = exchanges[-1]
    return Reproducer(0, last.request.operation, last.status, "", steps, fresh)


def _renamed(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """With a mark on names that were taken from a log: on the same service they are taken by now.

    The mark looks like those that the campaign itself puts on names, so that every run gets another one.
    """
    names: dict[str, str] = {}
    for exchange in exchanges:
        if exchange.request.method != "POST" or not exchange.ok:
            continue
        for name, value in _fields(exchange.request.body):
            if _NAMES.search(name) and _UNIQUE.fullmatch(value) and not _MARKED.search(value):
                names.setdefault(value, f"{value}-x{len(names):04x}")
    if not names:
        return list(exchanges)
    longest_first = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    found = re.compile(rf"(?<![0-9A-Za-z])(?:{longest_first})(?![0-9A-Za-z])")

    def changed(text: str) -> str:
        return found.sub(lambda match: names[match[0]], text)

    def body(content: bytes | None) -> bytes | None:
        # Bytes that are no text are no names either: latin-1 brings every one back as it was.
        return None if content is None else changed(content.decode("latin-1")).encode("latin-1")

    return [
        replace(
            exchange,
            request=replace(
                exchange.request, target=changed(exchange.request.target), body=body(exchange.request.body)
            ),
            response=exchange.response
            and replace(exchange.response, body=body(exchange.response.body) or b""),
        )
        for exchange in exchanges
    ]


def _fields(content: bytes | None) -> list[tuple[str, str]]:
    """The texts at the top of a JSON body."""
    try:
        document = json.loads(content or b"null")
    except (ValueError, RecursionError):
        return []
    if not isinstance(document, dict):
        return []
    return [(name, value) for name, value in document.items() if isinstance(value, str)]


def missing_users(reproducer: Reproducer, credentials: Credentials) -> tuple[str, ...]:
    """Users whose credentials would be needed and are not there."""
    return tuple(name for name in auth_variables(reproducer) if name not in credentials.names)


async def rerun(reproducer: Reproducer, progress: Rerun, credentials: Credentials) -> None:
    """Send the steps to the target and tell ``progress`` how it goes. Never raises for what a service does."""
    try:
        environment = await _environment(reproducer, progress.target, credentials)
    except CredentialsError as error:
        progress.ending, progress.said = Ending.NOT_TRIED, str(error)
        return
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        "-",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": os.environ.get("PATH", ""), **environment},
        limit=1 << 20,
    )
    assert process.stdin is not None
    process.stdin.write(python_script(reproducer).encode("utf-8", "replace"))
    process.stdin.close()
    try:
        async with asyncio.timeout(_MOST_SECONDS):
            async for line in _lines(process.stdout):
                _take(line, reproducer, progress)
            complaints = [line async for line in _lines(process.stderr)]
            status = await process.wait()
    except TimeoutError:
        progress.ending, progress.said = Ending.NOT_TRIED, "it took too long"
        return
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    progress.ending = {0: Ending.CHANGED, 1: Ending.STILL}.get(status, Ending.NOT_TRIED)
    if progress.ending is Ending.NOT_TRIED:
        progress.said = (
            complaints[-1].removeprefix("could not be tried: ")
            if complaints
            else f"the script ended with {status}"
        )[:400]


def _take(line: str, reproducer: Reproducer, progress: Rerun) -> None:
    match = _STEP.match(line)
    if match is None:
        progress.said = line[:400]
        return
    position = int(match[1])
    if 1 <= position <= len(reproducer.steps):
        status = 0 if match[4] == "no answer" else int(match[4])
        expected = reproducer.steps[position - 1].expected
        progress.done.append(StepDone(position, match[3], status, expected))


async def _lines(stream: asyncio.StreamReader | None) -> AsyncIterator[str]:
    assert stream is not None
    while line := await stream.readline():
        yield line[:_LONGEST_LINE].decode("utf-8", "replace").rstrip("\n")


async def _environment(reproducer: Reproducer, target: str, credentials: Credentials) -> Mapping[str, str]:
    """The variables that the script reads: in the memory of two processes, and nowhere else."""
    environment = {"LOBREST_TARGET": origin(target)}
    transport = HttpTransport(origin(target), credentials)
    try:
        for name, variable in auth_variables(reproducer).items():
            if name not in credentials.names:
                raise CredentialsError(f"there are no credentials for {name}", hint="give them with --auth")
            carried = await transport.carried(name)
            if not carried:
                raise CredentialsError(f"the login of {name} was refused")
            environment[variable] = "\n".join(f"{header}: {value}" for header, value in carried)
    finally:
        await transport.close()
    return environment
