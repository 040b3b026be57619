"""Coverage reports of several languages, each reduced to covered and total by part of the service."""

from __future__ import annotations

import csv
import json
import re
import urllib.parse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .cache import Cache, run_command
from .service import Covered

JACOCO = "0.8.14"
GO_BLOCK = re.compile(r"^(?P<file>[^:]+):(?P<place>[\d.,]+) (?P<statements>\d+) (?P<hits>\d+)$")


def tally(counts: Mapping[str, tuple[int, int]], parts: Mapping[str, str]) -> tuple[Covered, ...]:
    """Sum (covered, total) by file into ``all`` and the parts, each the files whose names begin alike."""
    result = [Covered("all", sum(c for c, _ in counts.values()), sum(t for _, t in counts.values()))]
    for part, beginning in parts.items():
        inside = [pair for file, pair in counts.items() if file.startswith(beginning)]
        result.append(Covered(part, sum(c for c, _ in inside), sum(t for _, t in inside)))
    return tuple(result)


def go_statements(folder: Path, *, go: Path, module: str, parts: Mapping[str, str]) -> tuple[Covered, ...]:
    """Statement coverage of a Go program built with ``-cover`` that wrote into the folder when it ended."""
    if not any(folder.glob("covcounters.*")):
        return ()
    text = folder.parent / "coverage.txt"
    run_command(
        [go, "tool", "covdata", "textfmt", f"-i={folder}", f"-o={text}"], what="reading Go's coverage"
    )
    return tally(go_counts(text.read_text().splitlines(), module), parts)


def go_counts(lines: Sequence[str], module: str) -> dict[str, tuple[int, int]]:
    """File (without the module's name) → (covered, total) statements; a block listed twice counts once."""
    blocks: dict[tuple[str, str], tuple[int, bool]] = {}
    for line in lines:
        found = GO_BLOCK.match(line)
        if found is None:
            continue
        key = (found["file"].removeprefix(module).lstrip("/"), found["place"])
        _, hit = blocks.get(key, (0, False))
        blocks[key] = (int(found["statements"]), hit or found["hits"] != "0")
    result: dict[str, tuple[int, int]] = {}
    for (file, _), (statements, hit) in blocks.items():
        covered, total = result.get(file, (0, 0))
        result[file] = (covered + statements * hit, total + statements)
    return result


def python_lines(
    folder: Path, *, coverage: Path, package: str, parts: Mapping[str, str]
) -> tuple[Covered, ...]:
    """Line coverage from the data files that coverage.py left in the folder."""
    if not any(folder.glob(".coverage*")):
        return ()
    rcfile = f"--rcfile={folder / 'coveragerc'}"
    run_command(
        [coverage, "combine", rcfile, "--keep", "--quiet"], what="joining coverage data", folder=folder
    )
    report = folder / "coverage.json"
    run_command([coverage, "json", rcfile, "-i", "-q", "-o", report], what="reading coverage", folder=folder)
    counts: dict[str, tuple[int, int]] = {}
    for file, entry in json.loads(report.read_bytes())["files"].items():
        inside = file.replace("\\", "/").rpartition(f"site-packages/{package}/")[2]
        counts[inside] = (entry["summary"]["covered_lines"], entry["summary"]["num_statements"])
    return tally(counts, parts)


def coveragerc(folder: Path, package: str, *, concurrency: str = "thread") -> Path:
    """A settings file for coverage.py whose data stays in the folder."""
    path = folder / "coveragerc"
    path.write_text(
        "[run]\nparallel = true\nsigterm = true\n"
        f"concurrency = {concurrency}\nsource_pkgs = {package}\ndata_file = {folder}/.coverage\n"
    )
    return path


def jacoco_agent(cache: Cache, folder: Path, packages: str) -> str:
    """The option that makes Java write what ran into the folder when it ends."""
    agent = cache.maven(f"org.jacoco:org.jacoco.agent:{JACOCO}:runtime")
    return f"-javaagent:{agent}=destfile={folder / 'jacoco.exec'},includes={packages}"


def java_lines(
    cache: Cache, folder: Path, jars: Sequence[Path], parts: Mapping[str, str]
) -> tuple[Covered, ...]:
    """Line coverage of the classes in the jars, from what the agent wrote into the folder."""
    if not (folder / "jacoco.exec").is_file():
        return ()
    tool = cache.maven(f"org.jacoco:org.jacoco.cli:{JACOCO}:nodeps")
    report = folder / "jacoco.csv"
    classes = [part for jar in jars for part in ("--classfiles", jar)]
    java = cache.program("java", "openjdk-17-jre-headless")
    run_command(
        [java, "-jar", tool, "report", folder / "jacoco.exec", *classes, "--csv", report],
        what="reading JaCoCo's coverage",
    )
    return jacoco_lines(report, parts)


def jacoco_lines(report: Path, parts: Mapping[str, str]) -> tuple[Covered, ...]:
    """Line coverage from the CSV report of JaCoCo's command line."""
    counts: dict[str, tuple[int, int]] = {}
    with report.open(newline="") as lines:
        for row in csv.DictReader(lines):
            name = f"{row['PACKAGE']}/{row['CLASS']}"
            counts[name] = (int(row["LINE_COVERED"]), int(row["LINE_COVERED"]) + int(row["LINE_MISSED"]))
    return tally(counts, parts)


def v8_lines(folder: Path, *, package: str, parts: Mapping[str, str]) -> tuple[Covered, ...]:
    """Line coverage from the files that Node wrote for ``NODE_V8_COVERAGE`` when it ended.

    Only code that was loaded is in them, which for a server is nearly all of it.
    """
    lines: dict[str, dict[int, bool]] = {}
    for report in folder.glob("*.json"):
        for script in json.loads(report.read_bytes())["result"]:
            file = Path(urllib.parse.unquote(script["url"].removeprefix("file://")))
            inside = file.as_posix().rpartition(f"{package}/")[2]
            if inside == file.as_posix() or not file.is_file():
                continue
            ran = lines_run(file.read_text(errors="replace"), script["functions"])
            known = lines.setdefault(inside, {})
            for number, hit in ran.items():
                known[number] = known.get(number, False) or hit
    if not lines:
        return ()
    return tally({file: (sum(ran.values()), len(ran)) for file, ran in lines.items()}, parts)


def lines_run(source: str, functions: Sequence[Mapping[str, Any]]) -> dict[int, bool]:
    """Number of each line with code → whether its first character ran.

    V8 lists functions and ranges from the outside in, so that a later range overrules an earlier one.
    """
    ran = bytearray(len(source))
    for function in functions:
        for span in function["ranges"]:
            begin, end = span["startOffset"], min(span["endOffset"], len(source))
            ran[begin:end] = (b"\1" if span["count"] else b"\0") * max(end - begin, 0)
    result: dict[int, bool] = {}
    position = 0
    for number, line in enumerate(source.splitlines(keepends=True), 1):
        code = line.strip()
        if code.strip("{}()[];,") and not code.startswith(("//", "/*", "*")):
            result[number] = bool(ran[position + len(line) - len(line.lstrip())])
        position += len(line)
    return result
