"""Stages 1 and 2 in order."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lobrest.app.pipeline import Reading, prepare
from lobrest.errors import InputError, LobrestError, LogError
from lobrest.model.slice import Profile

DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "small", "version": "1"},
    "paths": {
        "/things": {"post": {"responses": {"201": {"description": "made"}}}, "get": {"responses": {}}},
        "/things/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
            "get": {"responses": {}},
            "delete": {"responses": {}},
        },
    },
}
LINE = (
    '10.0.0.1 - {user} [01/Jan/2026:00:{m:02}:{s:02} +0000] "{method} {path} HTTP/1.1" {status} 2 "-" "x"\n'
)


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    file = tmp_path / "api.json"
    file.write_text(json.dumps(DOCUMENT))
    return str(file)


def log(tmp_path: Path, *calls: tuple) -> str:
    """Calls are: seconds, method, path, and perhaps user and status."""
    lines = []
    for at, method, path, *more in calls:
        user, status = (*more, *("ann", 200)[len(more) :])
        lines.append(LINE.format(user=user, m=at // 60, s=at % 60, method=method, path=path, status=status))
    file = tmp_path / "access.log"
    file.write_text("".join(lines))
    return str(file)


def test_flows_of_two_users_and_two_things(spec: str, tmp_path: Path):
    source = log(
        tmp_path,
        (0, "GET", "/things/1"), (1, "GET", "/things/2", "bo"), (2, "DELETE", "/things/1"),
        (3, "GET", "/things/9"), (4, "GET", "/things/2", "bo"), (5, "GET", "/things/1", "ann", 404),
    )  # fmt: skip
    said: list[str] = []
    found = prepare(spec, [source], Reading(max_lead_seconds=10, window_seconds=10), said.append)
    flows = sorted([entry.operation for entry in piece.entries] for piece in found.slices)
    assert flows == [
        ["GET /things/{id}"],
        ["GET /things/{id}", "DELETE /things/{id}"],
        ["GET /things/{id}", "GET /things/{id}"],
    ]
    assert found.table is not None
    assert found.slice_count == 3
    assert (found.max_lead_seconds, found.window_seconds) == (10, 10)
    assert any("5 of 6 lines kept" in line for line in said)
    assert found.stages.read_s > 0
    assert "GET /things/{id}" in found.corpus.examples


def test_the_time_limits_cut(spec: str, tmp_path: Path):
    source = log(tmp_path, (0, "GET", "/things/1"), (8, "GET", "/things/1"), (40, "GET", "/things/1"))

    def sizes(lead: float, window: float) -> list[int]:
        reading = Reading(max_lead_seconds=lead, window_seconds=window)
        found = prepare(spec, [source], reading, lambda _: None, everything=True)
        return sorted(len(piece.entries) for piece in found.slices)

    assert sizes(10, 10) == [1, 2]
    assert sizes(60, 60) == [3]
    assert sizes(1, 1) == [1, 1, 1]


def test_alike_slices_are_set_aside_unless_everything_is_asked_for(spec: str, tmp_path: Path):
    source = log(tmp_path, *((number, "GET", f"/things/{number}") for number in range(30)))
    reading = Reading(max_lead_seconds=1, window_seconds=1)
    some = prepare(spec, [source], reading, lambda _: None)
    every = prepare(spec, [source], reading, lambda _: None, everything=True)
    assert some.slice_count == every.slice_count == len(every.slices) == 30
    assert len(some.slices) < 10


def test_without_logs_there_is_only_the_analysis(spec: str):
    found = prepare(spec, [], Reading(), lambda _: None)
    assert found.slices == ()
    assert found.table is None
    assert len(found.model.resources) == 1


def test_the_profile_is_handed_on(spec: str, tmp_path: Path):
    source = log(tmp_path, (0, "GET", "/things/1"))
    prepare(spec, [source], Reading(profile=Profile.PAPER), lambda _: None)


@pytest.mark.parametrize("text", ["", "\n\n", "hello\nworld\n", "\0\0\0", "[]", "{}\n{}\n"])
def test_a_log_without_a_usable_line_says_why(spec: str, tmp_path: Path, text: str):
    file = tmp_path / "odd.log"
    file.write_text(text)
    with pytest.raises(LogError) as error:
        prepare(spec, [str(file)], Reading(), lambda _: None)
    assert "odd.log" in str(error.value)


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"resources": 3}', '{"creates": [{"op": "GET /no", "resource": 1}]}']
)
def test_resources_that_cannot_be_used_are_a_named_error(spec: str, tmp_path: Path, text: str):
    file = tmp_path / "resources.json"
    file.write_text(text)
    with pytest.raises(LobrestError):
        prepare(spec, [], Reading(resources=file), lambda _: None)
    with pytest.raises(InputError, match="cannot be read"):
        prepare(spec, [], Reading(resources=tmp_path / "no.json"), lambda _: None)
