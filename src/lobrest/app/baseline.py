"""Bugs that are known already, in a file that a team keeps beside its code: only new ones fail a build."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from lobrest.errors import ConfigError, StoreError
from lobrest.model.operation import Json
from lobrest.model.summary import BugResult, Summary
from lobrest.report.wording import count, one_line

KEY = "baseline"
"""Where a summary's further facts have the comparison: numbers of new and known bugs, and what is gone."""
_VERSION = 1
_LONGEST_MESSAGE = 200


@dataclass(frozen=True, slots=True)
class KnownBug:
    """A bug as a person reads it in a diff."""

    kind: str
    operation: str
    status: int
    message: str = ""

    @classmethod
    def of(cls, bug: BugResult) -> KnownBug:
        """The bug without what changes from run to run."""
        return cls(bug.kind, bug.op, bug.status, one_line(bug.message, _LONGEST_MESSAGE))


@dataclass(frozen=True, slots=True)
class Baseline:
    """Known bugs by their stable identity."""

    known: Mapping[str, KnownBug] = field(default_factory=dict)

    def with_bugs(self, summary: Summary) -> Baseline:
        """Also those of a run. What the run did not meet stays: a short run meets less than a long one."""
        found = {bug.identity: KnownBug.of(bug) for bug in summary.bugs if bug.identity}
        return Baseline({**self.known, **found})


def read_baseline(path: Path) -> Baseline:
    """The file; where there is none yet, nothing is known."""
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return Baseline()
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", source=str(path)) from error
    except ValueError as error:
        raise ConfigError(
            "is no baseline: not JSON", source=str(path), hint="was it merged badly?"
        ) from error
    if not isinstance(content, dict) or not isinstance(content.get("bugs"), list):
        raise ConfigError(
            "is no baseline", source=str(path), hint="lobrest report --update-baseline makes one"
        )
    if content.get("version") != _VERSION:
        raise ConfigError("was written by another version of lobrest", source=str(path), hint="make it anew")
    known = {}
    for bug in content["bugs"]:
        if not isinstance(bug, dict) or not isinstance(bug.get("identity"), str):
            raise ConfigError("has a bug without an identity", source=str(path), hint="make it anew")
        status = bug.get("status")
        known[bug["identity"]] = KnownBug(
            str(bug.get("kind", "")),
            str(bug.get("operation", "")),
            status if isinstance(status, int) else 0,
            str(bug.get("message", "")),
        )
    return Baseline(known)


def write_baseline(path: Path, baseline: Baseline) -> None:
    """The file, one bug a line in a stable order, so that a diff shows what came and went."""
    rows = sorted(
        baseline.known.items(), key=lambda one: (one[1].operation, one[1].kind, one[1].status, one[0])
    )
    lines = [
        json.dumps(
            {
                "identity": identity,
                "kind": bug.kind,
                "operation": bug.operation,
                "status": bug.status,
                "message": bug.message,
            }
        )
        for identity, bug in rows
    ]
    inside = "".join(f"\n  {line}," for line in lines).rstrip(",")
    text = f'{{\n "version": {_VERSION},\n "bugs": [{inside}\n ]\n}}\n'
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(path.name + ".new")
        beside.write_text(text, encoding="utf-8")
        os.replace(beside, path)  # noqa: PTH105 (one atomic move)
    except OSError as error:
        raise StoreError(f"cannot be written: {error.strerror}", source=str(path)) from error


def compared(summary: Summary, baseline: Baseline) -> Summary:
    """The summary, with what is new, known and gone among its further facts."""
    met = {bug.identity for bug in summary.bugs}
    gone: list[Json] = [
        {
            "identity": identity,
            "kind": bug.kind,
            "op": bug.operation,
            "status": bug.status,
            "message": bug.message,
        }
        for identity, bug in baseline.known.items()
        if identity not in met
    ]
    comparison: dict[str, Json] = {
        "new": [bug.n for bug in summary.bugs if bug.identity not in baseline.known],
        "known": [bug.n for bug in summary.bugs if bug.identity in baseline.known],
        "gone": gone,
    }
    return replace(summary, extra={**summary.extra, KEY: comparison})


def known_numbers(summary: Summary) -> frozenset[int]:
    """Numbers of the bugs that were known before, where the run was compared."""
    comparison = summary.extra.get(KEY)
    numbers = comparison.get("known", []) if isinstance(comparison, dict) else []
    return frozenset(number for number in numbers if isinstance(number, int))


def words(summary: Summary) -> str:
    """``2 new bugs, 14 known, 1 gone`` since the baseline; empty where there is none."""
    comparison = summary.extra.get(KEY)
    if not isinstance(comparison, dict):
        return ""
    sizes = {name: len(comparison.get(name, ())) for name in ("new", "known", "gone")}
    return f"{count(sizes['new'], 'new bug')}, {sizes['known']} known, {sizes['gone']} not met again"
