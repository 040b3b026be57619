"""Doubtful decisions for a person."""

from __future__ import annotations

import tomllib

from tests.unit.resources.documents import forge

from lobrest.resources import analyse
from lobrest.resources.doubts import doubtful_lines
from lobrest.resources.overrides import read_overrides


def uncommented(lines: list[str]) -> str:
    """The table a person gets by taking the marks away."""
    body = lines[lines.index("# [resources]") :]
    return "\n".join(line.removeprefix("# ") for line in body if not line.startswith("# …"))


def test_the_lines_are_toml_once_uncommented_and_confirm_the_decisions() -> None:
    spec = forge()
    model = analyse(spec)
    lines = list(doubtful_lines(model, below=0.8))
    assert all(line.startswith("#") for line in lines)
    table = tomllib.loads(uncommented(lines))["resources"]
    confirmed = read_overrides(table, spec)
    assert confirmed.dependencies
    assert {ref: one.resource for ref, one in confirmed.dependencies.items()}.items() <= {
        ref: one.resource for ref, one in model.dependencies.items()
    }.items()
    assert not [line for line in doubtful_lines(analyse(spec, overrides=table), below=0.8) if "op =" in line]


def test_nothing_is_said_without_doubt_and_little_with_much() -> None:
    model = analyse(forge())
    assert list(doubtful_lines(model, below=0.0)) == []
    short = list(doubtful_lines(model, below=1.1, most=1))
    assert len(short) < 12 and "more: lobrest analyze" in short[-1]
