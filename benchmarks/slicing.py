"""What slicing costs: `python benchmarks/slicing.py [--largest 10000000] [--out FILE]`.

Per kind of log and size, in CPU time of one run on one core: entries per second for each strategy and for the
whole stage (time limits, hubs, MLTS, STWS, merging), how the time per entry grows from the smallest to the
largest log, and how many times quicker than the literal reference on a log that the reference can manage.
The kernel's share, which is the first touch of fresh memory, depends on what else the machine is doing.
- sparse: many users on many things; hardly anything is shared;
- dense: fifty users at work on the same projects and issues;
- bot: one user, 100 requests a second, all on one project;
- two: one user who goes to and fro between two projects, where the literal output is quadratic;
- pairs: one user who reads a thing and adds it to a project, on and on, where any exact output is quadratic.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from lobrest.model.slice import Profile, Strategy
from lobrest.slicing.columns import QueueColumns, gather_queues
from lobrest.slicing.locality import slice_queues
from lobrest.slicing.mine import mine_slices

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.reference import default, paper

DELTA_SECONDS = 60.0
SMALLEST = 100_000
REFERENCE_SIZE = 1_500
TARGET_PER_SECOND = 3e6
TARGET_GROWTH = 1.5

Chance = np.random.Generator
Maker = Callable[[int, Chance], QueueColumns]


def sparse(size: int, chance: Chance) -> QueueColumns:
    """A thousand entries a user, up to two instances of very many."""
    offsets = np.concatenate(([0], np.cumsum(chance.integers(0, 3, size))))
    ids = chance.integers(0, max(10, size // 20), offsets[-1])
    return gather_queues(
        np.sort(chance.uniform(0, 86_400, size)), chance.integers(0, max(1, size // 1000), size), offsets, ids
    )


def dense(size: int, chance: Chance) -> QueueColumns:
    """A project and one of its issues in every entry."""
    projects = chance.integers(0, 200, size)
    issues = 200 + projects * 5 + chance.integers(0, 5, size)
    return gather_queues(
        np.sort(chance.uniform(0, size / 100, size)),
        chance.integers(0, 50, size),
        np.arange(size + 1) * 2,
        np.column_stack((projects, issues)).ravel(),
    )


def bot(size: int, chance: Chance) -> QueueColumns:
    """One project and one of a hundred thousand issues."""
    ids = np.column_stack((np.zeros(size, np.int64), 1 + chance.integers(0, 100_000, size))).ravel()
    return gather_queues(np.arange(size) / 100, np.zeros(size, np.int32), np.arange(size + 1) * 2, ids)


def two(size: int, _: Chance) -> QueueColumns:
    """One of two projects in turn."""
    return gather_queues(
        np.arange(size) / 100, np.zeros(size, np.int32), np.arange(size + 1), np.arange(size) % 2
    )


def pairs(size: int, _: Chance) -> QueueColumns:
    """A thing, then the thing and the project."""
    entries = np.arange(size)
    offsets = np.concatenate(([0], np.cumsum(1 + entries % 2)))
    ids = np.zeros(offsets[-1], np.int64)
    ids[offsets[:-1]] = 1 + entries // 2
    return gather_queues(entries / 100, np.zeros(size, np.int32), offsets, ids)


KINDS: dict[str, Maker] = {"sparse": sparse, "dense": dense, "bot": bot, "two": two, "pairs": pairs}


def cpu_seconds(work: Callable[[], object]) -> tuple[float, float]:
    """CPU time of one call, program and kernel together, and the program's alone; the best of five."""
    best = alone = float("inf")
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_SELF)
        work()
        after = resource.getrusage(resource.RUSAGE_SELF)
        user = after.ru_utime - before.ru_utime
        best = min(best, user + after.ru_stime - before.ru_stime)
        alone = min(alone, user)
        if best > 5:
            break
    return best, alone


def measure(queues: QueueColumns) -> dict[str, float]:
    """Nanoseconds an entry."""
    work: dict[str, Callable[[], object]] = {
        "mlts": lambda: slice_queues(queues, Strategy.MLTS, delta_seconds=DELTA_SECONDS, use_compiler=True),
        "stws": lambda: slice_queues(queues, Strategy.STWS, delta_seconds=DELTA_SECONDS, use_compiler=True),
        "stage": lambda: mine_slices(queues, mlts_seconds=DELTA_SECONDS, stws_seconds=DELTA_SECONDS),
    }
    # A short call is made often enough to be measured.
    times = max(1, 2_000_000 // len(queues))
    found: dict[str, float] = {}
    for name, task in work.items():
        both, alone = cpu_seconds(lambda task=task: [task() for _ in range(times)])
        found[name], found[f"{name} alone"] = (
            seconds / len(queues) / times * 1e9 for seconds in (both, alone)
        )
    return found


def against_reference(make: Maker, profile: Profile, chance: Chance) -> float:
    """How many times quicker than the literal reference on the same small log, which must agree."""
    queues = make(REFERENCE_SIZE, chance)
    requests = [
        paper.Request(
            float(queues.times[entry]),
            frozenset(
                queues.instance_ids[
                    queues.instance_offsets[entry] : queues.instance_offsets[entry + 1]
                ].tolist()
            ),
        )
        for entry in range(len(queues))
    ]
    reference = paper.mlts if profile is Profile.PAPER else default.mlts
    bounds = list(zip(queues.queue_offsets[:-1].tolist(), queues.queue_offsets[1:].tolist(), strict=True))
    slices = [
        [begin + index for index in members]
        for begin, end in bounds
        for members in reference(requests[begin:end], DELTA_SECONDS)
    ]

    def ours() -> list[list[int]]:
        found = slice_queues(
            queues, Strategy.MLTS, delta_seconds=DELTA_SECONDS, profile=profile, use_compiler=True
        )
        return [members.tolist() for members in found]

    if ours() != slices:
        raise SystemExit("not equal to the reference")
    slow = cpu_seconds(lambda: [reference(requests[begin:end], DELTA_SECONDS) for begin, end in bounds])
    fast = cpu_seconds(
        lambda: slice_queues(
            queues, Strategy.MLTS, delta_seconds=DELTA_SECONDS, profile=profile, use_compiler=True
        )
    )
    return slow[0] / max(fast[0], 1e-6)


def main() -> int:
    """Print the table; status 1 when a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--largest", type=int, default=10_000_000)
    parser.add_argument("--out", type=Path, help="write the figures as JSON too")
    arguments = parser.parse_args()
    sizes = [SMALLEST * 10**power for power in range(8) if SMALLEST * 10**power <= arguments.largest]
    mine_slices(dense(SMALLEST, np.random.default_rng(0)))  # Compile once, outside of what is measured.
    figures: dict[str, dict[str, object]] = {}
    missed = []
    print(f"{'log':8}{'entries':>12}{'MLTS M/s':>10}{'STWS M/s':>10}{'stage M/s':>11}")
    for kind, make in KINDS.items():
        costs = {}
        for size in sizes:
            costs[size] = measure(make(size, np.random.default_rng(size)))
            rates = {name: 1e3 / cost for name, cost in costs[size].items()}
            print(
                f"{kind:8}{size:12,}{rates['mlts']:10.1f}{rates['stws']:10.1f}{rates['stage']:11.1f}",
                flush=True,
            )
            if min(rates["mlts"], rates["stws"]) * 1e6 < TARGET_PER_SECOND:
                missed.append(f"{kind} {size:,}: under 3 million entries a second")
        growth = {name: costs[sizes[-1]][name] / costs[sizes[0]][name] for name in costs[sizes[0]]}
        ratios = {
            profile.value: against_reference(make, profile, np.random.default_rng(7)) for profile in Profile
        }
        print(
            f"{'':8}time an entry grows × {growth['mlts']:.2f} (MLTS), × {growth['stws']:.2f} (STWS), "
            f"× {growth['stage']:.2f} (stage), without the kernel's share × {growth['mlts alone']:.2f}, "
            f"× {growth['stws alone']:.2f}, × {growth['stage alone']:.2f}; "
            f"quicker than the reference at {REFERENCE_SIZE:,} entries: "
            f"× {ratios['default']:,.0f} default, × {ratios['paper']:,.0f} paper"
        )
        missed += [
            f"{kind}: {name} grows × {value:.2f}"
            for name, value in growth.items()
            if value > TARGET_GROWTH and "alone" not in name
        ]
        figures[kind] = {"nanoseconds": costs, "growth": growth, "times_quicker": ratios}
    for line in missed:
        print("missed:", line)
    if arguments.out:
        arguments.out.write_text(json.dumps(figures, indent=1))
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
