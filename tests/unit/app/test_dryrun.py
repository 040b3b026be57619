"""What would be sent, shown without a single packet."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.services.serving import access_line, operation
from typer.testing import CliRunner

from lobrest.app.campaign import Budget
from lobrest.app.dryrun import Rehearsal, rehearse
from lobrest.app.pipeline import Reading, prepare
from lobrest.app.session import Order
from lobrest.cli import app
from lobrest.fuzz.state import Depth
from lobrest.transport import read_credentials

THING = {"id": {"type": "integer"}, "name": {"type": "string"}}
PATHS = {
    "/things": {"post": operation(answer=THING), "get": operation(answer=THING)},
    "/things/{id}": {"get": operation("id", answer=THING), "delete": operation("id")},
    "/things/{id}/parts": {"post": operation("id", answer=THING)},
    "/logout": {"post": operation()},
}
LINES = [
    access_line(0, "ann", "POST", "/things/7/parts"),
    access_line(1, "ann", "GET", "/things/7"),
    access_line(2, "ann", "DELETE", "/things/7"),
]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    spec, log = tmp_path / "api.json", tmp_path / "access.log"
    spec.write_text(json.dumps({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": PATHS}))
    log.write_text("".join(LINES))
    return str(spec), str(log)


@contextmanager
def untouched() -> Iterator[str]:
    """A server that must not be contacted."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(8)
        server.settimeout(0.2)
        yield f"http://127.0.0.1:{server.getsockname()[1]}/api"
        with pytest.raises(TimeoutError):
            server.accept()


def rehearsal(files: tuple[str, str], target: str, **more: object) -> Rehearsal:
    prepared = prepare(files[0], [files[1]], Reading(), lambda _: None)
    credentials = read_credentials(["ann:one", "bo:two"], environment={})
    return rehearse(prepared, Order(target=target, credentials=credentials, budget=Budget(1.0), **more))


def test_flows_with_places_for_what_is_only_known_at_run_time(files: tuple[str, str]):
    with untouched() as url:
        found = rehearsal(files, url)
    assert found.flow_count >= 3
    (flow,) = [one for one in found.flows if len(one.requests) == 4]
    assert [f"{one.method} {one.target}" for one in flow.requests] == [
        "POST /api/things",
        "POST /api/things/<id from 1>/parts",
        "GET /api/things/<id from 1>",
        "DELETE /api/things/<id from 1>",
    ]
    assert [one.actor for one in flow.requests] == ["ann"] * 4
    assert "makes" in flow.requests[0].reason
    assert found.held_back == {"POST /logout": "could end the session"}
    assert found.requests == sum(found.operations.values())
    assert found.operations["DELETE /things/{id}"] >= 1
    assert "POST /logout" not in found.operations


def test_what_is_excluded_is_not_in_any_flow(files: tuple[str, str]):
    found = rehearsal(files, "http://h", exclude=("DELETE",), depth=Depth.ENHANCED)
    assert all(one.method != "DELETE" for flow in found.flows for one in flow.requests)
    assert found.held_back["DELETE /things/{id}"] == "excluded"
    assert not any("mutations" in line for line in found.lines())


def test_for_people(files: tuple[str, str]):
    text = "\n".join(rehearsal(files, "http://h").lines())
    assert "nothing is sent to http://h" in text
    assert "POST /logout: could end the session" in text
    assert "2. ann: POST /things/<id from 1>/parts" in text


@pytest.mark.parametrize("command", ["run", "replay"])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_the_command_contacts_nobody_and_leaves_nothing(
    files: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, form: list[str]
):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    with untouched() as url:
        result = CliRunner().invoke(
            app,
            [command, *files, "--target", url, "--auth", "ann:one", "--dry-run", *form],
            catch_exceptions=False,
        )
    assert result.exit_code == 0, result.output
    if form:
        told = json.loads(result.stdout)
        assert told["held_back"] == {"POST /logout": "could end the session"}
        assert told["first_flows"]
    else:
        assert "dry run: nothing is sent" in result.stdout
    assert [one for one in sorted(tmp_path.iterdir()) if one not in before and one.name != "state"] == []
