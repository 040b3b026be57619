"""How much of recorded traffic works again on a fresh service, without mutation.

    python -m benchmarks.replay [--service gitea] [--kinds json,combined] [--profiles default,paper] [--peer 10m]

For every row the service is started anew and ``lobrest replay`` runs to its end. Of the logged requests that were
answered 2XX it prints the share that is 2XX again, then the flows replayed whole, the operations covered, and what
failed, grouped by the step that caused it, largest first. After the first profile, what Schemathesis covers in its
time on the same kind of service, counted from the proxy's log. The last lines are the table for ``docs/benchmark.md``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.bench.__main__ import duration
from benchmarks.bench.cache import Cache, default_folder
from benchmarks.bench.measurement import Plan, measure
from benchmarks.bench.peers import tool
from benchmarks.bench.process import free_port
from benchmarks.bench.recording import recorded
from benchmarks.bench.service import Place, Service, lobrest_program
from benchmarks.bench.services import service as service_of

_SHOWN = 15


def main() -> None:
    """Print one row a combination, then the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--service", default="gitea")
    parser.add_argument("--kinds", default="json,combined")
    parser.add_argument("--profiles", default="default,paper")
    parser.add_argument(
        "--peer", default="10m", type=duration, help="time for Schemathesis; 0s leaves it out"
    )
    parser.add_argument("--concurrency", default=4, type=int, help="flows at once")
    parser.add_argument("--keep", type=Path, help="folder for the summaries")
    arguments = parser.parse_args()
    service = service_of(arguments.service)
    cache = Cache(default_folder())
    service.install(cache)
    rows: list[str] = []
    for number, profile in enumerate(arguments.profiles.split(",")):
        for kind in arguments.kinds.split(","):
            summary = replayed(service, cache, kind, profile, arguments.concurrency)
            if arguments.keep:
                arguments.keep.mkdir(parents=True, exist_ok=True)
                (arguments.keep / f"{service.name}-{kind}-{profile}.json").write_text(json.dumps(summary))
            rows.append(row(kind, profile, summary))
            print(rows[-1])
            for text, count in refusals(summary).most_common(_SHOWN):
                print(f"    {count:>5} × {text}")
            print(f"    load of the machine at the end: {os.getloadavg()[0]:.0f}", flush=True)
        if arguments.peer and number == 0:
            rows.append(peer_row(service, cache, arguments.peer))
            print(rows[-1], flush=True)
    print("\n| log | profile | requests 2XX again | flows whole | operations 2XX | requests | time | ended |")
    print("|---|---|---|---|---|---|---|---|")
    print("\n".join(rows))


def peer_row(service: Service, cache: Cache, seconds: int) -> str:
    """What Schemathesis covers in its time."""
    with tempfile.TemporaryDirectory(prefix="lobrest-replay-") as name:
        plan = Plan(service=service.name, tool="schemathesis", seconds=seconds, number=1)
        peer = tool("schemathesis")
        peer.install(cache)
        result = measure(service, peer, plan, cache, Path(name), coverage=False, keep_log=False)
    covered = f"{len(result.counted.covered)} of {len(result.operations)}"
    requests = result.counted.requests
    return f"| – | Schemathesis | – | – | {covered} | {requests} | {seconds} s | load {result.load:.0f} |"


def row(kind: str, profile: str, summary: dict[str, Any]) -> str:
    """One line of the table."""
    entries, flows, operations = summary["extra"]["entries"], summary["flows"], summary["operations"]
    share = 100 * entries["repeated"] / max(entries["played"], 1)
    return (
        f"| {kind} | {profile} | {entries['repeated']} of {entries['played']}, {share:.1f} % "
        f"| {flows['replayed']} of {flows['total']} | {operations['covered']} of {operations['total']} "
        f"| {summary['requests']} | {summary['duration_s']:.0f} s | {summary['extra']['reason']} |"
    )


def replayed(service: Service, cache: Cache, kind: str, profile: str, concurrency: int) -> dict[str, Any]:
    """The summary of one replay on fresh state, to its end."""
    with tempfile.TemporaryDirectory(prefix="lobrest-replay-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        port = free_port()
        place = Place(cache, folder, port, port, measure=False)
        started = service.start(place)
        try:
            spec = folder / "spec.json"
            spec.write_text(json.dumps(started.document))
            shipped = [log for log in started.logs if ("json" in log.name) == (kind == "json")]
            logs = recorded(service, cache, kind) or shipped
            command = [
                *(str(lobrest_program()), "replay", str(spec), *map(str, logs)),
                *("--target", place.origin, "--profile", profile, "--json", "--quiet"),
                *("--concurrency", str(concurrency), "--out", str(folder / "work")),
            ]
            for user in started.credentials:
                command += ["--auth", f"{user.header}: {user.value}"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        finally:
            started.stop()
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr.strip() or f"lobrest replay ended with status {done.returncode}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def refusals(summary: dict[str, Any]) -> Counter[str]:
    """What the service said to logged requests that did not work again, with how often."""
    return Counter(summary["extra"].get("refusals", {}))


if __name__ == "__main__":
    main()
