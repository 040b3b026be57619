"""A command that prints what has run."""

from __future__ import annotations

import asyncio
import shlex
import sys

import pytest

from lobrest.errors import ProbeError
from lobrest.probes.command import CommandProbe, output_of


def asked(program: str) -> dict:
    return asyncio.run(CommandProbe(f"{shlex.quote(sys.executable)} -c '{program}'").lines())


def test_its_output_is_read():
    assert asked('print("a.x:1"); print("a.x:3")') == {"a.x": 0b1010}


@pytest.mark.parametrize(("program", "said"), [("exit(3)", "status 3"), ('raise SystemExit("no")', "no")])
def test_a_command_that_fails(program: str, said: str):
    with pytest.raises(ProbeError, match=said):
        asked(program)


def test_a_command_that_is_none():
    with pytest.raises(ProbeError, match="cannot be run"):
        asyncio.run(CommandProbe("/no/such/tool").lines())


def test_a_command_that_does_not_end_is_ended():
    words = [sys.executable, "-c", "import time; time.sleep(60)"]
    with pytest.raises(ProbeError, match="longer than"):
        asyncio.run(output_of(words, seconds=0.3))
