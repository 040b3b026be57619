"""How well slices follow people's real tasks.

    python benchmarks/flows_truth.py [--shared FOLDER] [--demo FOLDER] [--changed]

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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from lobrest.demo.document import openapi_document
from lobrest.demo.service import BASE_PATH, MODULES
from lobrest.logs import LogReader, LogTable
from lobrest.model.resource import ResourceModel
from lobrest.model.slice import Profile
from lobrest.resources import analyse
from lobrest.slicing.columns import Flags, QueueColumns, SliceColumns, gather_queues
from lobrest.slicing.mine import mine_slices
from lobrest.spec import load_spec
from lobrest.spec.router import Router

Change = Callable[[LogTable], tuple[NDArray[np.float64], NDArray[np.bool_]]]
"""A table to other times, and which rows stay."""
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


def demo_truth(folder: Path) -> Scenarios:
    """Line by line beside the log of ``play_demo_traffic.py``, whose first line is a comment."""
    lines = (folder / "truth.jsonl").read_text().splitlines()
    kinds = [str(msgspec.json.decode(line)["scenario"]) for line in lines]
    return {number: PHASES.get(kind, kind) for number, kind in enumerate(kinds, 2)}


PHASES = {"found_project": "spike", "spike_end": "spike"}
"""Steps of one task that the demo's traffic names apart. It names kinds of tasks, not single ones."""


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


DEMO = Recording("demo", "", "api_json.log.gz", demo_truth)
"""Made by ``scripts/play_demo_traffic.py --out FOLDER --truth FOLDER/truth.jsonl``, any seed."""


def read(recording: Recording, shared: Path, profile: Profile) -> tuple[LogTable, ResourceModel]:
    """The log as the program reads it."""
    document = (
        (shared / recording.spec).read_bytes()
        if recording.spec
        else msgspec.json.encode(openapi_document(MODULES, BASE_PATH))
    )
    spec = load_spec(document, name=recording.spec)
    model = analyse(spec)
    reader = LogReader(spec, Router(spec), model, user_key=b"benchmark", profile=profile)
    reader.feed(recording.log, [gzip.decompress((shared / recording.log).read_bytes())])
    return reader.finish(), model


def acting(table: LogTable, model: ResourceModel) -> Flags:
    """For each instance: is it a user or the like?"""
    return np.array(
        [table.instances.resource_name(i) in model.acting_users for i in range(len(table.instances))]
    )


def _all(table: LogTable) -> NDArray[np.bool_]:
    return np.ones(len(table), dtype=bool)


def paced(factor: float) -> Change:
    """Everything slower or quicker."""
    return lambda table: (table.times * factor, _all(table))


def thinned(table: LogTable) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Every second user is gone."""
    return table.times, table.user_ids % 2 == 0


def rotated(table: LogTable) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The first third is gone."""
    return table.times, table.times >= np.quantile(table.times, 1 / 3)


def sampled(table: LogTable) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Every fifth request is gone, as where a collector drops lines."""
    return table.times, np.arange(len(table)) % 5 != 0


def folded(table: LogTable) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The second half happens during the first: everybody does twice as much at a time."""
    middle = np.median(table.times)
    return np.where(table.times >= middle, table.times - (middle - table.times.min()), table.times), _all(
        table
    )


def coarse(table: LogTable) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Times in whole seconds, as combined logs have them."""
    return np.floor(table.times), _all(table)


CHANGES: dict[str, Change] = {
    "as it is": paced(1.0),
    "pace × 0.2": paced(0.2),
    "pace × 5": paced(5.0),
    "half of the users": thinned,
    "last two thirds": rotated,
    "4 of 5 requests": sampled,
    "folded in half": folded,
    "whole seconds": coarse,
}


def changed(table: LogTable, change: Change) -> QueueColumns:
    """The queues of the changed table; ``rows`` are those of the table itself."""
    times, stays = change(table)
    rows = np.flatnonzero(stays)
    sizes = np.diff(table.instance_offsets)
    offsets = np.concatenate(([0], np.cumsum(sizes[rows])))
    ids = table.instance_ids[np.repeat(stays, sizes)]
    queues = gather_queues(times[rows], table.user_ids[rows], offsets, ids)
    return replace(queues, rows=rows[queues.rows])


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
    parser.add_argument("--demo", type=Path, help="a folder with traffic of the demo service and its truth")
    parser.add_argument("--changed", action="store_true", help="the same on logs of another pace and shape")
    given = parser.parse_args()
    print(
        f"{'recording':17}{'log':19}{'profile':9}{'Δ mlts':>8}{'Δ stws':>8}{'slices':>8}"
        f"{'precision':>11}{'recall':>8}{'strict':>16}"
    )
    changes = CHANGES if given.changed else {"as it is": CHANGES["as it is"]}
    missed = 0
    if given.shared.is_dir():
        missed += sum(judged(recording, given.shared, changes) for recording in RECORDINGS)
    else:
        print(f"the recorded traffic is not there: {given.shared}")
    if given.demo is not None:
        missed += judged(DEMO, given.demo, changes)
    return int(missed > 0)


def judged(recording: Recording, shared: Path, changes: Mapping[str, Change]) -> int:
    """Print what both profiles find; the number of targets missed."""
    truth, missed = recording.truth(shared), 0
    tables = {profile: read(recording, shared, profile) for profile in Profile}
    for name, change in changes.items():
        found = {}
        for profile, (table, model) in tables.items():
            queues = changed(table, change)
            mined = mine_slices(queues, profile=profile, acting=acting(table, model))
            named = [truth.get(int(table.lines[row]), "") for row in queues.rows]
            strict = agreement(queues, mined.slices, named)
            found[profile] = agreement(queues, mined.slices, [one.partition("!")[0] for one in named])
            print(
                f"{recording.name:17}{name:19}{profile:9}"
                f"{mined.limits.mlts_seconds:7g}s{mined.limits.stws_seconds:7g}s"
                f"{len(mined.slices):8}{found[profile].precision:11.3f}{found[profile].recall:8.3f}"
                f"{strict.precision:9.3f}{strict.recall:7.3f}"
            )
        default, paper = found[Profile.DEFAULT], found[Profile.PAPER]
        if default.precision < max(0.85, paper.precision) or default.recall < paper.recall:
            missed += 1
            print("  missed: precision 0.85, and both at least as good as the paper's")
    return missed


if __name__ == "__main__":
    sys.exit(main())
