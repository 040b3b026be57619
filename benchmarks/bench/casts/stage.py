"""People who work with a service in turns, in virtual time, while somebody writes the log."""

from __future__ import annotations

import heapq
import json
import random
import urllib.error
import urllib.request
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

BEGIN = datetime(2026, 11, 12, 8, 0, tzinfo=UTC)
THINK_SECONDS = (1.0, 9.0)
BETWEEN_SECONDS = (120.0, 1800.0)
PATIENCE_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Step:
    """One request that somebody makes."""

    method: str
    path: str
    body: Any = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; ``value`` is the JSON, or None."""

    status: int
    value: Any = None


Scene = Generator[Step, Answer, None]
Script = Callable[[random.Random, int], Scene]


@dataclass(frozen=True, slots=True)
class Cast:
    """Who plays which scenes: name → scripts, each played several times a day under a new number."""

    people: dict[str, tuple[Script, ...]]
    rounds: int = 4


@dataclass(order=True, slots=True)
class Turn:
    """The next step of a scene in the queue of all."""

    at: float
    order: int
    person: str = field(compare=False)
    scene: Scene = field(compare=False)
    answer: Answer | None = field(compare=False, default=None)


@dataclass(frozen=True, slots=True)
class Line:
    """A request as a log has it."""

    at: datetime
    person: str
    step: Step
    status: int
    size: int
    took: float


def play(cast: Cast, base: str, *, seed: int = 1) -> list[Line]:
    """Play all scenes against the service, one request at a time, in the order of virtual time."""
    chance = random.Random(seed)
    turns: list[Turn] = []
    order = 0
    for person, scripts in cast.people.items():
        at = chance.uniform(0, 600)
        for number in range(cast.rounds):
            for script in scripts:
                heapq.heappush(turns, Turn(at, order, person, script(chance, 10 * order + number)))
                order += 1
                at += chance.uniform(*BETWEEN_SECONDS)
    lines: list[Line] = []
    while turns:
        turn = heapq.heappop(turns)
        try:
            step = next(turn.scene) if turn.answer is None else turn.scene.send(turn.answer)
        except StopIteration:
            continue
        answer, size = send(base, step)
        took = chance.uniform(0.004, 0.2)
        lines.append(Line(BEGIN + timedelta(seconds=turn.at), turn.person, step, answer.status, size, took))
        order += 1
        later = turn.at + took + chance.uniform(*THINK_SECONDS)
        heapq.heappush(turns, Turn(later, order, turn.person, turn.scene, answer))
    return lines


def send(base: str, step: Step) -> tuple[Answer, int]:
    """Make a request; the answer and its size."""
    data = None if step.body is None else json.dumps(step.body).encode()
    headers = {} if data is None else {"Content-Type": "application/json"}
    request = urllib.request.Request(base + step.path, data=data, headers=headers, method=step.method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:
            text, status = response.read(), int(response.status)
    except urllib.error.HTTPError as error:
        text, status = error.read(), error.code
    try:
        value = json.loads(text) if text.strip() else None
    except ValueError:
        value = text.decode(errors="replace")
    return Answer(status, value), len(text)


def write_logs(lines: Iterable[Line], base_path: str, folder: Path) -> None:
    """The same requests as JSON lines with bodies and as nginx's combined format."""
    kept = list(lines)
    addresses = {person: f"10.1.0.{10 + i}" for i, person in enumerate(sorted({one.person for one in kept}))}
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "cast.json.log").open("w") as sink:
        for line in kept:
            row = {
                "time": line.at.isoformat(timespec="milliseconds"),
                "remote_addr": addresses[line.person],
                "user": line.person,
                "method": line.step.method,
                "request_uri": base_path + line.step.path,
                "status": line.status,
                "request_body": "" if line.step.body is None else json.dumps(line.step.body),
                "content_type": "" if line.step.body is None else "application/json",
                "bytes_sent": line.size,
                "request_time": round(line.took, 3),
                "user_agent": f"{line.person}/1.0",
            }
            sink.write(json.dumps(row) + "\n")
    with (folder / "cast.combined.log").open("w") as sink:
        for line in kept:
            moment = line.at.strftime("%d/%b/%Y:%H:%M:%S +0000")
            asked = f"{line.step.method} {base_path}{line.step.path} HTTP/1.1"
            sink.write(
                f'{addresses[line.person]} - {line.person} [{moment}] "{asked}" {line.status} {line.size} '
                f'"-" "{line.person}/1.0"\n'
            )
