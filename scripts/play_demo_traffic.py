"""Plays some working days of a company on the demo service and writes the logs that the package ships.

    python scripts/play_demo_traffic.py [--seed N] [--days N] [--out FOLDER] [--truth FILE]

The same seed gives the same bytes: time is virtual, and the service counts instead of reading a clock.
"""

from __future__ import annotations

import argparse
import gzip
import json
import uuid
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from demo_traffic.forge import Forge, target
from demo_traffic.lines import Visit, access_line, api_line
from demo_traffic.noise import noise
from demo_traffic.people import DAY, address, agent, company, start_work
from demo_traffic.schedule import Answer, Schedule, Send
from demo_traffic.world import USER_IDS, World
from lobrest.demo import DemoProcess

FIRST_MIDNIGHT = 1772409600.0  # Monday, 2 March 2026, UTC
SHIPPED = Path(__file__).resolve().parents[1] / "src/lobrest/demo/logs"


class Recorder:
    """Sends for the schedule, and keeps what a log would know of it."""

    def __init__(self, forge: Forge, random: Random) -> None:
        self.visits: list[Visit] = []
        self._forge = forge
        self._random = random
        self._paths: dict[str, str] = {}

    def send(self, request: Send, now: float) -> tuple[Answer, float]:
        answer = self._forge.send(request)
        duration = min(3.0, self._random.lognormvariate(-2.6, 0.7))
        known = answer.status != 401 and request.user in USER_IDS
        self._learn(answer.body)
        self.visits.append(
            Visit(
                start=now,
                duration=duration,
                method=request.method,
                target=self._forge.base_path + target(request),
                status=answer.status,
                size=answer.size,
                address=address(request.user),
                agent=agent(request.user),
                route=self._forge.route(request),
                path=self._forge.base_path + request.path,
                params=(*request.query.items(), *(request.body or {}).items()),
                user_id=USER_IDS[request.user] if known else None,
                username=request.user if known else None,
                project=self._project(request),
                correlation=str(uuid.UUID(int=self._random.getrandbits(128), version=4)),
                scenario=request.scenario,
            )
        )
        return answer, duration

    def _learn(self, body: Any) -> None:
        if isinstance(body, dict) and "path_with_namespace" in body:
            self._paths[str(body["id"])] = body["path_with_namespace"]

    def _project(self, request: Send) -> str | None:
        parts = request.path.split("/")
        if len(parts) < 3 or parts[1] != "projects":
            return None
        return self._paths.get(parts[2]) or (parts[2].replace("%2F", "/") if "%2F" in parts[2] else None)


def play(seed: int, days: int) -> list[Visit]:
    """All visits in the order in which servers would log them: by the end of the answer."""
    with DemoProcess() as process:
        forge = Forge(process.url, process.auth)
        recorder = Recorder(forge, Random(f"{seed} recorder"))
        schedule = Schedule(FIRST_MIDNIGHT, recorder.send)
        start_work(company(seed, World()), schedule, FIRST_MIDNIGHT, days)
        schedule.run(until=FIRST_MIDNIGHT + days * DAY)
        forge.close()
    visits = recorder.visits
    visits += noise(Random(f"{seed} noise"), visits[0].start, visits[-1].end)
    return sorted(visits, key=lambda visit: visit.end)


def write(folder: Path, visits: Iterable[Visit]) -> None:
    """Both formats of the same traffic; nothing in the files but the lines."""
    visits = list(visits)
    folder.mkdir(parents=True, exist_ok=True)
    api = [api_line(visit) for visit in visits if visit.route is not None]
    opening = "# Logfile created on 2026-03-03 00:00:00 +0000 by logger.rb/v1.5.0"
    _compress(folder / "api_json.log.gz", [opening, *api])
    _compress(folder / "access.log.gz", [access_line(visit) for visit in visits])


def _compress(path: Path, lines: list[str]) -> None:
    text = "".join(line + "\n" for line in lines)
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as archive:
        archive.write(text.encode())


def write_truth(path: Path, visits: Iterable[Visit]) -> None:
    """What the logs do not tell: the scenario that each API line belongs to."""
    lines = [
        json.dumps({"user": visit.username, "path": visit.path, "scenario": visit.scenario})
        for visit in visits
        if visit.route is not None
    ]
    path.write_text("".join(line + "\n" for line in lines))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--days", type=int, default=3)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    parser.add_argument("--truth", type=Path)
    options = parser.parse_args()
    visits = play(options.seed, options.days)
    kept = visits[len(visits) // 3 :]  # the oldest third has been rotated away
    write(options.out, kept)
    if options.truth is not None:
        write_truth(options.truth, kept)
    statuses = Counter(visit.status // 100 for visit in kept if visit.route is not None)
    covered = {
        (visit.method, visit.route) for visit in kept if visit.route is not None and visit.status < 300
    }
    print(f"{len(kept)} visits kept of {len(visits)}, {sum(statuses.values())} of them to the API")
    print(f"operations with 2XX: {len(covered)}")
    print("statuses:", ", ".join(f"{status}XX {count}" for status, count in sorted(statuses.items())))


if __name__ == "__main__":
    main()
