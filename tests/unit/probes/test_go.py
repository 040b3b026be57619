"""A Go program that writes its counters while it runs, read with Go's own tool."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from lobrest.errors import ProbeError
from lobrest.probes.go import GoProbe

PROGRAM = """package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime/coverage"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if lines.Text() == "deep" {
			fmt.Println("deep down")
		} else {
			fmt.Println("flat")
		}
		coverage.WriteMetaDir(os.Getenv("GOCOVERDIR"))
		coverage.WriteCountersDir(os.Getenv("GOCOVERDIR"))
		fmt.Println("written")
	}
}
"""
GO = shutil.which("go") or shutil.which("/usr/local/go/bin/go")


def lines(probe: GoProbe) -> set[int]:
    found = asyncio.run(probe.lines())
    mask = next((mask for file, mask in found.items() if file.endswith("main.go")), 0)
    return {number for number in range(mask.bit_length()) if mask >> number & 1}


@pytest.mark.skipif(GO is None, reason="Go is not installed")
def test_new_lines_show_while_the_program_runs(tmp_path: Path):
    assert GO is not None
    (tmp_path / "main.go").write_text(PROGRAM)
    (tmp_path / "go.mod").write_text("module example.org/small\n\ngo 1.20\n")
    counters = tmp_path / "counters"
    counters.mkdir()
    settings = {**os.environ, "GOCOVERDIR": str(counters), "GOFLAGS": "-mod=mod", "GOPROXY": "off"}
    built = subprocess.run(
        [GO, "build", "-cover", "-covermode=atomic", "-o", "small", "."],
        cwd=tmp_path,
        env=settings,
        capture_output=True,
        check=False,
    )
    if built.returncode:
        pytest.skip(f"Go cannot build here: {built.stderr[-200:].decode()}")
    probe = GoProbe(counters, go=GO)
    assert lines(probe) == set()
    with subprocess.Popen(
        [tmp_path / "small"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=settings
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def say(word: str) -> None:
            process.stdin.write(f"{word}\n")
            process.stdin.flush()
            while process.stdout.readline() != "written\n":
                pass

        say("flat")
        flat = lines(probe)
        assert 16 in flat
        assert 14 not in flat
        say("deep")
        assert 14 in lines(probe)
        process.stdin.close()
        process.wait()


def test_a_folder_that_is_not_there(tmp_path: Path):
    with pytest.raises(ProbeError, match="cannot be read"):
        asyncio.run(GoProbe(tmp_path / "none").lines())


def test_counters_without_the_tool(tmp_path: Path):
    (tmp_path / "covcounters.x").write_bytes(b"?")
    with pytest.raises(ProbeError, match="cannot be run"):
        asyncio.run(GoProbe(tmp_path, go="/no/such/go").lines())
