"""How well slices follow people's real tasks: `python benchmarks/flows_truth.py [--shared FOLDER]`.

Two recorded logs come with the scenario that each request belonged to. Slices know nothing of it.
- pair precision: of the pairs of entries that share a slice, the share that is from one scenario;
- neighbour recall: of the neighbouring entries of one scenario and user, the share that shares a slice.
Both profiles are printed with their own suggested time limits, so that nobody chose them. Entries of no
scenario (probes, scanners) are left out. A page that a person loads again belongs to the task in which it was
loaded; `strict` counts it as a scenario of its own, as the recording names it.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from lobrest.logs import LogReader, LogTable
from lobrest.model.resource import ResourceModel
from lobrest.model.slice import Profile
from lobrest.resources import analyse
from lobrest.slicing.columns import Flags, QueueColumns, SliceColumns, gather_queues
from lobrest.slicing.mine import mine_slices
from lobrest.spec import load_spec
from lobrest.spec.router import Router

Scenarios = dict[int, str]
"""By line number of the log."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A log of which the truth is known."""

    name: str
    spec: str
    log: str
    truth: Callable[[Path], Scenarios]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How slices and scenarios agree."""

    precision: float
    recall: float


def gitea_truth(shared: Path) -> Scenarios:
    """Line by line beside the log."""
    lines = json_lines(shared / "traffic/gitea/participants.truth.log.gz")
    return {number: str(line["scenario"]) for number, line in enumerate(lines, 1)}


def gitlab_truth(shared: Path) -> Scenarios:
    """By the id that a request carried; several lines may have one."""
    scenario_of = {
        line["rid"]: str(line["scn"]) for line in json_lines(shared / "traffic/gitlab/truth.A.jsonl.gz")
    }
    with gzip.open(shared / "traffic/gitlab/api_json.A.log.gz") as lines:
        return {
            number: scenario_of.get(msgspec.json.decode(line).get("correlation_id"), "")
            for number, line in enumerate(lines, 1)
            if line.startswith(b"{")
        }


def json_lines(path: Path) -> Iterator[dict[str, object]]:
    """The objects of a compressed file."""
    with gzip.open(path) as lines:
        for line in lines:
            yield msgspec.json.decode(line)


RECORDINGS = (
    Recording("gitea", "specs/gitea.json", "traffic/gitea/participants.json.log.gz", gitea_truth),
    Recording(
        "gitea, combined", "specs/gitea.json", "traffic/gitea/participants.combined.log.gz", gitea_truth
    ),
    Recording("gitlab", "specs/gitlab-16.1.8.json", "traffic/gitlab/api_json.A.log.gz", gitlab_truth),
)


def read(recording: Recording, shared: Path, profile: Profile) -> tuple[LogTable, ResourceModel]:
    """The log as the program reads it."""
    spec = load_spec((shared / recording.spec).read_bytes(), name=recording.spec)
    model = analyse(spec)
    reader = LogReader(spec, Router(spec), model, user_key=b"benchmark", profile=profile)
    reader.feed(recording.log, [gzip.decompress((shared / recording.log).read_bytes())])
    return reader.finish(), model


def acting(table: LogTable, model: ResourceModel) -> Flags:
    """For each instance: is it a user or the like?"""
    return np.array(
        [table.instances.resource_name(i) in model.acting_users for i in range(len(table.instances))]
    )


def agreement(queues: QueueColumns, slices: SliceColumns, scenarios: Sequence[str]) -> Agreement:
    """Both measures; ``scenarios`` by position in the queues, empty for none."""
    pairs = {
        (int(members[earlier]), int(members[later]))
        for members in slices
        for later in range(len(members))
        for earlier in range(later)
    }
    judged = [(scenarios[a], scenarios[b]) for a, b in pairs if scenarios[a] and scenarios[b]]
    users = queues.queues_of(np.arange(len(queues))).tolist()
    before: dict[tuple[int, str], int] = {}
    neighbours = []
    for entry, (user, scenario) in enumerate(zip(users, scenarios, strict=True)):
        if scenario:
            if (user, scenario) in before:
                neighbours.append((before[user, scenario], entry))
            before[user, scenario] = entry
    return Agreement(
        precision=sum(a == b for a, b in judged) / max(1, len(judged)),
        recall=sum(pair in pairs for pair in neighbours) / max(1, len(neighbours)),
    )


def main() -> int:
    """Print a table; status 1 when a target is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shared", type=Path, default=Path(__file__).parents[2] / "shared")
    shared = parser.parse_args().shared
    if not shared.is_dir():
        print(f"the recorded traffic is not there: {shared}")
        return 0
    print(
        f"{'recording':17}{'profile':9}{'Δ mlts':>8}{'Δ stws':>8}{'slices':>8}"
        f"{'precision':>11}{'recall':>8}{'strict':>16}"
    )
    missed = False
    for recording in RECORDINGS:
        truth, found = recording.truth(shared), {}
        for profile in Profile:
            table, model = read(recording, shared, profile)
            queues = gather_queues(table.times, table.user_ids, table.instance_offsets, table.instance_ids)
            mined = mine_slices(queues, profile=profile, acting=acting(table, model))
            named = [truth.get(int(table.lines[row]), "") for row in queues.rows]
            strict = agreement(queues, mined.slices, named)
            found[profile] = agreement(queues, mined.slices, [name.partition("!")[0] for name in named])
            print(
                f"{recording.name:17}{profile:9}{mined.limits.mlts_seconds:7g}s{mined.limits.stws_seconds:7g}s"
                f"{len(mined.slices):8}{found[profile].precision:11.3f}{found[profile].recall:8.3f}"
                f"{strict.precision:9.3f}{strict.recall:7.3f}"
            )
        default, paper = found[Profile.DEFAULT], found[Profile.PAPER]
        if default.precision < max(0.85, paper.precision) or default.recall < paper.recall:
            missed = True
            print(f"  missed: precision 0.85, and both at least as good as the paper's ({recording.name})")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
