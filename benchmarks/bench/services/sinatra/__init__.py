"""A small Sinatra service on Debian's Ruby: it is here to try the coverage probe for Ruby."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...cache import Cache
from ...client import call
from ...measure import tally
from ...process import start, wait_for
from ...service import Covered, Place, Started

HERE = Path(__file__).parent
PACKAGE = "ruby-sinatra"


@dataclass(frozen=True, slots=True)
class Sinatra:
    """Open to everybody, in memory."""

    name: str = "sinatra"
    held_back: tuple[str, ...] = ()

    def install(self, cache: Cache) -> None:
        cache.debian(PACKAGE)

    def start(self, place: Place) -> Started:
        root = place.cache.debian(PACKAGE)
        probe: list[str | Path] = ["-r", HERE / "coverage.rb"] if place.measure else []
        # Ruby does not count the lines of the script it was started with, only of what that requires.
        child = start(
            "Sinatra",
            [root / "usr/bin/ruby3.1", "--disable-gems", *probe, "-e", "require ARGV[0]", HERE / "app.rb"],
            output=place.folder / "sinatra.txt",
            environment={
                "PORT": str(place.port),
                "APP_ENV": "production",
                "LD_LIBRARY_PATH": place.cache.libraries(PACKAGE),
                "RUBYLIB": os.pathsep.join(library_folders(root)),
                "BENCH_RUBY_ROOT": str(HERE),
                "BENCH_RUBY_COVERAGE": str(place.folder / "ruby-coverage.json"),
            },
        )
        wait_for(child, f"{place.origin}/shelves")
        return Started(call("GET", f"{place.origin}/openapi.json"), "", (), [child])

    def logs(self, kind: str) -> tuple[Path, ...]:  # noqa: ARG002 - the cast records them
        return ()

    def coverage(self, place: Place) -> tuple[Covered, ...]:
        report = place.folder / "ruby-coverage.json"
        return ruby_lines(json.loads(report.read_bytes())) if report.is_file() else ()


def library_folders(root: Path) -> list[str]:
    """Where Ruby finds its own library and the gems in a folder that Debian's packages were unpacked into."""
    version = next((root / "usr/lib/ruby").glob("3.*")).name
    system = next((root / "usr/lib").glob(f"*/ruby/{version}"))
    gems = sorted((root / "usr/share/rubygems-integration/all/gems").glob("*/lib"))
    vendor = root / "usr/lib/ruby/vendor_ruby"
    return [str(path) for path in (root / "usr/lib/ruby" / version, system, vendor, *gems)]


def ruby_lines(counted: Mapping[str, list[int | None]]) -> tuple[Covered, ...]:
    """Line coverage out of what the probe wrote: file → how often each line ran, None where there is no code."""
    if not counted:
        return ()
    lines = {file: [count for count in counts if count is not None] for file, counts in counted.items()}
    return tally({file: (sum(map(bool, code)), len(code)) for file, code in lines.items()}, {})
