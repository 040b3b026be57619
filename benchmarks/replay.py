"""How much of recorded traffic works again on a fresh service, without mutation.

    python -m benchmarks.replay [--service gitea] [--kinds json,combined] [--profiles default,paper]

Starts the service anew for every row, runs ``lobrest replay``, and prints, of the logged requests that were
answered 2XX, the share that is 2XX again, the flows replayed whole, and the operations covered; then what failed,
grouped by what the service said, largest first.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.bench.cache import Cache, default_folder
from benchmarks.bench.process import free_port
from benchmarks.bench.service import Place, Service, lobrest_program
from benchmarks.bench.services import SERVICES

_SHOWN = 12


def main() -> None:
    """Print one row a combination."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--service", default="gitea")
    parser.add_argument("--kinds", default="json,combined")
    parser.add_argument("--profiles", default="default,paper")
    arguments = parser.parse_args()
    service = next(one for one in SERVICES if one.name == arguments.service)
    cache = Cache(default_folder())
    service.install(cache)
    print(f"{'log':<10}{'profile':<9}{'2XX again':>22}{'flows':>12}{'operations':>12}{'requests':>10}")
    for kind in arguments.kinds.split(","):
        for profile in arguments.profiles.split(","):
            summary = replayed(service, cache, kind, profile)
            entries, flows = summary["extra"]["entries"], summary["flows"]
            share = 100 * entries["repeated"] / max(entries["played"], 1)
            print(
                f"{kind:<10}{profile:<9}{entries['repeated']:>7} of {entries['played']:>5} {share:5.1f} %"
                f"{flows['replayed']:>5} of {flows['total']:>4}{summary['operations']['covered']:>8} of "
                f"{summary['operations']['total']}{summary['requests']:>9}"
            )
            for text, count in refusals(summary).most_common(_SHOWN):
                print(f"    {count:>5} × {text}")


def replayed(service: Service, cache: Cache, kind: str, profile: str) -> dict[str, Any]:
    """The summary of one replay on fresh state."""
    with tempfile.TemporaryDirectory(prefix="lobrest-replay-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        port = free_port()
        place = Place(cache, folder, port, port, measure=False)
        started = service.start(place)
        try:
            spec = folder / "spec.json"
            spec.write_text(json.dumps(started.document))
            logs = service.logs(kind) or started.logs
            command = [
                *(str(lobrest_program()), "replay", str(spec), *map(str, logs)),
                *("--target", place.origin, "--profile", profile, "--json", "--quiet"),
                *("--out", str(folder / "work")),
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
