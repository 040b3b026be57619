"""Campaigns against the demo service, or one that breaks all the time, killed with SIGKILL at random moments.

    python -m benchmarks.kills [--service demo|buggy] [--kills 50] [--chain 5] [--seed 1] [--longest 5]

Each campaign is killed several times in a row and resumed each time; at last it may end. After each kill the
database is opened, and every bug that had been announced must be in it with its reproducer; nothing that was
there before may be missing. Half of the campaigns are in SQLite, half in PostgreSQL where it is installed.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from tests.conformance.buggy import buggy_service
from tests.conformance.forking import Forks
from tests.conformance.postgresql import binaries, postgresql_server
from tests.conformance.resuming import Chain, kill_and_resume

from lobrest.demo import DemoProcess


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--chain", type=int, default=5, help="kills of one campaign")
    parser.add_argument("--service", choices=["demo", "buggy"], default="demo")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=float, default=5.0, help="seconds a campaign lives at most")
    given = parser.parse_args()
    chance = random.Random(given.seed)
    done, chains, began = 0, 0, time.monotonic()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        forks = stack.enter_context(Forks())
        programs = binaries()
        server = stack.enter_context(postgresql_server(programs)) if programs else None
        print(
            f"{'store':<11} {'kill after':>10} {'announced':>10} {'bugs':>5} {'operations':>11} {'requests':>9}"
        )
        while done < given.kills:
            with_postgresql = server is not None and chains % 2 == 1
            url = server.url if server is not None and with_postgresql else ""
            chains += 1
            on_demo = given.service == "demo"
            with DemoProcess() if on_demo else buggy_service(folder) as service:
                chain = Chain(forks, service, folder / f"c{chains}", url)
                count = min(given.chain, given.kills - done)
                for left in kill_and_resume(
                    chain, kills=count, chance=chance, longest=given.longest, early=0.15
                ):
                    last = left.moment == -1
                    done += not last
                    moment = "the end" if last else f"{left.moment:.2f} s"
                    print(
                        f"{'postgresql' if with_postgresql else 'sqlite':<11} {moment:>10} {left.announced:>10}"
                        f" {len(left.bugs):>5} {len(left.operations):>11} {left.requests:>9}",
                        flush=True,
                    )
    print(
        f"{done} kills of {chains} campaigns in {time.monotonic() - began:.0f} s: nothing announced was lost"
    )


if __name__ == "__main__":
    main()
