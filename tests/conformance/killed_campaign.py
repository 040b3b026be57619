"""A campaign to be killed: records without end and says each bug whose flush has returned.

    python -m tests.conformance.killed_campaign PLACE create|resume

Each line on standard output is the number of a bug that must be found afterwards.
"""

from __future__ import annotations

import itertools
import sys

from tests.conformance.samples import bug, done, seed

from lobrest.model.event import BugFound, SeedAdded
from lobrest.store import open_store


def say(line: str) -> None:
    """On standard output, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(place: str, how: str) -> None:
    """Never returns by itself."""
    store = open_store(place, create=how == "create")
    known = len(store.bugs())
    say("ready")
    for number in itertools.count(known + 1):
        for part in range(7):
            store.record([done(number + part / 7, body=b"x" * (part * 900))])
        store.put_state("random", str(number).encode())
        store.record([SeedAdded(float(number), seed(f"s{number}"), "new"), BugFound(number, bug(number))])
        store.flush()
        say(str(number))


if __name__ == "__main__":
    main(*sys.argv[1:])
