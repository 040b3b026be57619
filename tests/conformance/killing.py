"""Kills campaigns at random moments and looks at what they leave behind.

    python -m tests.conformance.killing PLACE [--kills 50] [--seed 1]

is the long form of what the tests do a few times.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time

from lobrest.store import open_store


def killed(place: str, *, how: str, seconds: float) -> int:
    """Start a campaign, kill it so long after it is ready, give the last bug it announced."""
    paths = os.pathsep.join(path for path in sys.path if path)
    command = [sys.executable, "-m", "tests.conformance.killed_campaign", place, how]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": paths}
    ) as process:
        assert process.stdout is not None
        ready = process.stdout.readline().strip()
        time.sleep(seconds)
        process.kill()
        announced = [int(line) for line in process.stdout.read().splitlines() if line.strip().isdecimal()]
    if ready != "ready":
        raise AssertionError(f"the campaign did not start: {ready!r}")
    return max(announced, default=0)


def kill_and_look(place: str, *, kills: int, chance: random.Random, longest: float = 0.4) -> int:
    """Kill one campaign again and again, resumed each time; what it announced must be there."""
    known = 0
    for turn in range(kills):
        announced = killed(place, how="resume" if turn else "create", seconds=chance.random() * longest)
        known = max(known, announced)
        store = open_store(place, create=False)
        try:
            bugs = store.bugs()
            assert [found.number for found in bugs] == list(range(1, len(bugs) + 1))
            assert len(bugs) >= known, f"{known} bugs were announced, {len(bugs)} are there"
            assert all(len(found.exchanges) == 2 for found in bugs)
            totals = store.totals()
            assert totals.requests == totals.exchanges_kept >= 7 * len(bugs)
            assert totals.seeds == len(bugs)
            assert len(store.exchanges(limit=10**9)) == totals.requests
            assert int(store.state("random") or 0) in (len(bugs), len(bugs) + 1)
        finally:
            store.close()
        known = len(bugs)
    return known


def main() -> None:
    """Print how many bugs survived how many kills."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("place")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    survived = kill_and_look(given.place, kills=given.kills, chance=random.Random(given.seed))
    sys.stdout.write(f"{given.kills} kills, {survived} bugs announced, none lost\n")


if __name__ == "__main__":
    main()
