"""What reading logs costs, against GoAccess and a bare msgspec loop on the same files.

    python benchmarks/reading.py [--spec F --api-json LOG… --combined LOG…] [--lines N] [--repeats N]
    python benchmarks/reading.py --memory N

Without files the demo service's own document and logs are used, repeated until there are N lines; in one of
four rounds the numbers in paths are new. Costs are CPU time a line, the least of several runs; ratios come from
one run of this script.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from lobrest.app.inputs import find_logs, read_into
from lobrest.app.parallel import ProcessSpread
from lobrest.demo.document import openapi_document
from lobrest.demo.service import BASE_PATH, MODULES
from lobrest.logs import LogReader, LogTable
from lobrest.resources import analyse
from lobrest.slicing.columns import gather_queues
from lobrest.slicing.mine import mine_slices
from lobrest.spec import Router, load_spec


class _Pair(msgspec.Struct, gc=False):
    key: str
    value: Any = None


class _Line(msgspec.Struct, gc=False):
    """What any reader of api_json.log needs, and nothing else."""

    time: str
    status: int
    method: str
    path: str
    params: list[_Pair] = []
    user_id: int | None = None
    username: str | None = None
    duration_s: float | None = None
    remote_ip: str | None = None
    ua: str | None = None


def bare_loop(path: Path) -> float:
    """CPU seconds of decoding every line."""
    decode = msgspec.json.Decoder(_Line).decode
    began = time.process_time()
    with path.open("rb") as lines:
        for line in lines:
            decode(line)
    return time.process_time() - began


def read(spec_file: Path, log: Path, *, workers: int) -> tuple[LogTable, float, float]:
    """The table, CPU seconds of all processes and wall seconds."""
    spec = load_spec(spec_file.read_bytes(), name=spec_file.name)
    model = analyse(spec)
    cpu, wall = _cpu(), time.perf_counter()
    reader = LogReader(
        spec, Router(spec), model, user_key=b"benchmark", spread=ProcessSpread(workers or None)
    )
    read_into(reader, find_logs([str(log)]))
    table = reader.finish()
    return table, _cpu() - cpu, time.perf_counter() - wall


def _cpu() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def goaccess(log: Path) -> float | None:
    """CPU seconds that GoAccess takes; None where it is not installed."""
    if shutil.which("goaccess") is None:
        return None
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        command = ["goaccess", str(log), "--log-format=COMBINED", "--no-progress", "-o", f"{folder}/out.json"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def repeated(logs: Sequence[Path], lines: int) -> Iterator[bytes]:
    """The lines of some logs again and again, numbers in paths different each time round."""
    held = []
    for log in logs:
        data = gzip.decompress(log.read_bytes()) if log.suffix == ".gz" else log.read_bytes()
        held += [line + b"\n" for line in data.split(b"\n") if line and not line.startswith(b"#")]
    number = re.compile(rb"(?<=/)(\d{1,6})(?=[/ ?\"])")

    def shifted(line: bytes, turn: int) -> bytes:
        return number.sub(lambda found: b"%d" % (int(found.group(1)) + 1000 * turn), line)

    done = turn = 0
    while done < lines:
        for line in held[: lines - done]:
            yield shifted(line, turn) if turn % 4 == 3 else line
        done += len(held)
        turn += 1


def least(measure: Callable[[], float | None], repeats: int) -> float | None:
    """The least of several runs: what the work costs when nobody is in the way."""
    found = [seconds for seconds in (measure() for _ in range(repeats)) if seconds is not None]
    return min(found, default=None)


def in_child(arguments: Sequence[str]) -> dict[str, float]:
    """Run this script's measuring part in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--child", *arguments], check=True, capture_output=True, text=True
    )
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def child(arguments: Sequence[str]) -> None:
    """Read or slice one log and print what it cost."""
    kind, spec, log, workers = arguments
    if kind == "bare":
        print(json.dumps({"cpu": bare_loop(Path(log))}))
        return
    table, cpu, wall = read(Path(spec), Path(log), workers=int(workers))
    result = {"cpu": cpu, "wall": wall, "lines": table.statistics.lines, "kept": len(table)}
    if kind == "slice":
        queues = gather_queues(table.times, table.user_ids, table.instance_offsets, table.instance_ids)
        result["slices"] = len(mine_slices(queues).slices)
    result["peak_mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(result))


def main() -> None:
    """Measure and print."""
    demo = Path(__file__).parent.parent / "src" / "lobrest" / "demo"
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--spec", type=Path)
    parser.add_argument("--api-json", type=Path, nargs="*", default=[demo / "logs" / "api_json.log.gz"])
    parser.add_argument("--combined", type=Path, nargs="*", default=[demo / "logs" / "access.log.gz"])
    parser.add_argument("--combined-spec", type=Path)
    parser.add_argument("--lines", type=int, default=400_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--memory", type=int, metavar="LINES", help="read and slice so many combined lines")
    parser.add_argument("--child", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given.child)
        return
    with tempfile.TemporaryDirectory() as folder:
        spec = given.spec or demo_spec(Path(folder))
        combined_spec = given.combined_spec or spec
        if given.memory:
            large = written(Path(folder) / "large.log", given.combined, given.memory)
            told = in_child(["slice", str(combined_spec), str(large), "0"])
            print(
                f"{told['lines']:.0f} lines read and sliced in {told['wall']:.0f} s ({told['slices']:.0f} slices): "
                f"peak {told['peak_mib']:.0f} MiB"
            )
            return
        compare(given, Path(folder), spec, combined_spec)


def compare(given: argparse.Namespace, folder: Path, spec: Path, combined_spec: Path) -> None:
    """Both targets; one without logs is left out."""
    if given.combined:
        compare_combined(given, folder, combined_spec)
    if given.api_json:
        compare_api_json(given, folder, spec)


def compare_combined(given: argparse.Namespace, folder: Path, spec: Path) -> None:
    """Against GoAccess."""
    log = written(folder / "access.log", given.combined, given.lines)
    theirs = least(lambda: goaccess(log), given.repeats)
    ours = least(lambda: in_child(["read", str(spec), str(log), "1"])["cpu"], given.repeats) or 0.0
    print(f"combined, {given.lines} lines: lobrest {1e6 * ours / given.lines:.2f} µs a line")
    if theirs is not None:
        print(
            f"  GoAccess {1e6 * theirs / given.lines:.2f} µs a line; ratio {ours / theirs:.3f} (at most 0.25)"
        )


def compare_api_json(given: argparse.Namespace, folder: Path, spec: Path) -> None:
    """Against a bare loop, and with all cores."""
    log = written(folder / "api_json.log", given.api_json, given.lines)
    bare = least(lambda: in_child(["bare", "-", str(log), "1"])["cpu"], given.repeats) or 1.0
    ours = least(lambda: in_child(["read", str(spec), str(log), "1"])["cpu"], given.repeats) or 0.0
    size = log.stat().st_size / given.lines
    print(
        f"api_json, {given.lines} lines of {size:.0f} bytes: lobrest {1e6 * ours / given.lines:.2f} µs a line"
    )
    print(
        f"  bare msgspec loop {1e6 * bare / given.lines:.2f} µs a line; ratio {ours / bare:.2f} (at most 2)"
    )
    one, all_cores = (in_child(["read", str(spec), str(log), workers]) for workers in ("1", "0"))
    print(
        f"api_json, wall seconds: {one['wall']:.1f} with one process, {all_cores['wall']:.1f} with one a core; "
        f"peak {one['peak_mib']:.0f} MiB"
    )


def written(path: Path, logs: Sequence[Path], lines: int) -> Path:
    """A large log made of small ones."""
    with path.open("wb") as target:
        target.writelines(repeated(logs, lines))
    return path


def demo_spec(folder: Path) -> Path:
    """The demo service's own document."""
    path = folder / "openapi.json"
    path.write_text(json.dumps(openapi_document(MODULES, BASE_PATH)))
    return path


if __name__ == "__main__":
    main()
