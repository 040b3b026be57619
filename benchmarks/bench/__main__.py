"""``python -m benchmarks.bench``: run, and show what was measured."""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from pathlib import Path

from .cache import Cache, default_folder, say
from .causes import described, unreached
from .comparison import comparisons, read_folder
from .measurement import Plan, Result, measure, read_result
from .page import page
from .peers import TOOLS, tools
from .problem import BenchError
from .proxy import read_log
from .recording import recorded
from .services import SERVICES, service
from .specification import base_path, operations
from .tables import report, with_results

UNITS = {"s": 1, "m": 60, "h": 3600}


def main(arguments: list[str] | None = None) -> int:
    """The command line; 0 when everything wanted was measured, 2 when something is missing."""
    chosen = parser().parse_args(arguments)
    try:
        return int(chosen.act(chosen))
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("bench: stopped; what was finished is kept", file=sys.stderr)
        return 130


def parser() -> argparse.ArgumentParser:
    """All commands and options."""
    top = argparse.ArgumentParser(prog="bench", description=__doc__)
    top.add_argument("--cache", type=Path, default=default_folder(), help="where services and tools are kept")
    commands = top.add_subparsers(required=True)
    run = commands.add_parser("run", help="measure tools on services; what is measured already is skipped")
    run.add_argument(
        "--service", default="demo", help=f"comma-separated: {', '.join(s.name for s in SERVICES)}"
    )
    run.add_argument(
        "--tools", default="lobrest,schemathesis", help=f"comma-separated: {', '.join(t.name for t in TOOLS)}"
    )
    run.add_argument("--peers", type=Path, help="a file with further tools as commands")
    run.add_argument("--time", default="10m", type=duration, help="for each run: 90s, 10m, 1h")
    run.add_argument("--runs", default=3, type=int, help="repetitions")
    run.add_argument("--results", type=Path, help="folder of results (default: in the cache)")
    run.add_argument("--no-coverage", action="store_true", help="do not measure the coverage of the service")
    run.add_argument("--keep-logs", action="store_true", help="keep the proxy's log and the tool's files")
    run.set_defaults(act=run_all)
    show = commands.add_parser("page", help="write the results as one HTML page, and print them as tables")
    show.add_argument("--results", type=Path, help="folder of results (default: in the cache)")
    show.add_argument("--out", type=Path, help="the page (default: index.html in the folder of results)")
    show.add_argument("--docs", type=Path, help="a Markdown file whose results are to be replaced")
    show.set_defaults(act=write_page)
    why = commands.add_parser("causes", help="why operations were not reached, from a kept proxy log")
    why.add_argument("folder", type=Path, help="a folder that --keep-logs left")
    why.set_defaults(act=show_causes)
    return top


def duration(text: str) -> int:
    """Seconds of ``90s``, ``10m`` or ``1h``."""
    found = re.fullmatch(r"(\d+)([smh])", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text} is not a duration like 90s, 10m or 1h")
    return int(found[1]) * UNITS[found[2]]


def run_all(chosen: argparse.Namespace) -> int:
    """Make every run that is not in the results folder yet, in an order that depends on chance."""
    cache = Cache(chosen.cache)
    results = chosen.results or cache.part("results")
    services = [service(name) for name in chosen.service.split(",")]
    wanted = tools(chosen.tools.split(","), chosen.peers)
    for one_service in services:
        one_service.install(cache)
        recorded(one_service, cache, "json")
    for one_tool in wanted:
        one_tool.install(cache)
    left_out = 0
    for one_service in services:
        for number in range(1, chosen.runs + 1):
            order = random.Random(number).sample(wanted, len(wanted))
            for one_tool in order:
                plan = Plan(one_service.name, one_tool.name, number, chosen.time)
                path = results / plan.file
                if path.is_file():
                    say(f"{path.name} is there already: {in_short(read_result(path))}")
                    continue
                say(f"{one_tool.name} on {one_service.name}, run {number}, {chosen.time} s")
                try:
                    result = measure(
                        one_service, one_tool, plan, cache, results,
                        coverage=not chosen.no_coverage, keep_log=chosen.keep_logs,
                    )  # fmt: skip
                except BenchError as error:
                    say(f"left out: {error}")
                    left_out += 1
                    continue
                say(in_short(result))
    return 2 if left_out else 0


def in_short(result: Result) -> str:
    """A run in one line."""
    counted = result.counted
    covered = "".join(f", {one.part} {one.percent:.1f} %" for one in result.coverage[:3])
    return (
        f"{len(counted.covered)} of {len(result.operations)} operations, {len(counted.faults)} distinct 5XX, "
        f"{counted.requests} requests in {counted.duration_s:.0f} s{covered} (exit {result.status})"
    )


def write_page(chosen: argparse.Namespace) -> int:
    """Write the page, print the tables."""
    results = chosen.results or Cache(chosen.cache).part("results")
    found = comparisons(read_folder(results))
    out = chosen.out or results / "index.html"
    out.write_text(page(found), encoding="utf-8")
    text = "\n\n".join(report(one) for one in found)
    print(text)
    if chosen.docs:
        chosen.docs.write_text(with_results(chosen.docs.read_text(), text))
    say(f"the page is {out}")
    return 0


def show_causes(chosen: argparse.Namespace) -> int:
    """Print the causes."""
    document = json.loads((chosen.folder / "openapi.json").read_bytes())
    log = chosen.folder / "proxy.log"
    print(described(unreached(read_log(log), operations(document), base_path(document))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
