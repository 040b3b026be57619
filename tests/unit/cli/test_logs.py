"""``lobrest logs``."""

from __future__ import annotations

import json

from tests.unit.logs.forge import PATHS, line
from typer.testing import CliRunner

from lobrest.cli import app


def run(tmp_path, *arguments, data=b""):
    document = {
        "openapi": "3.1.0",
        "info": {"title": "f", "version": "1"},
        "servers": [{"url": "/api"}],
        "paths": PATHS,
    }
    (tmp_path / "spec.json").write_text(json.dumps(document))
    (tmp_path / "a.log").write_bytes(data)
    return CliRunner().invoke(app, ["logs", str(tmp_path / "spec.json"), str(tmp_path / "a.log"), *arguments])


LINES = b"\n".join(
    [
        line("GET", "/api/projects/1", at=1),
        line("GET", "/api/projects/1", 404, at=2),
        line("GET", "/x", at=3),
        line("GET", "/api/projects/2", at=9),
    ]
)


def test_json_has_everything(tmp_path):
    result = run(tmp_path, "--json", data=LINES)
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert (told["lines"], told["kept"], told["users"]) == (4, 2, 1)
    assert {drop["reason"]: drop["count"] for drop in told["dropped"]} == {
        "answered 4XX": 1,
        "not in the specification": 1,
    }
    assert told["files"][0]["format"] == "json"
    assert told["files"][0]["confidence"] == 1.0
    assert told["unknown"] == [{"request": "GET /x", "count": 1}]
    assert told["suggested_mlt_seconds"] > 0
    assert told["first"].startswith("2023-11-14T22:13:21")
    assert "POST /projects" in told["operations_unused"]


def test_a_table_for_people(tmp_path):
    result = run(tmp_path, "--no-color", data=LINES)
    assert result.exit_code == 0
    for text in ("2 of 4 lines kept", "answered 4XX", "a.log:2", "GET /x", "suggested: --mlt"):
        assert text in result.stdout


def test_a_log_of_another_service_is_shown_not_refused(tmp_path):
    result = run(tmp_path, data=b"nothing of interest\n")
    assert result.exit_code == 0
    assert "not recognised" in result.stdout


def test_hosts_are_shown(tmp_path):
    data = line("GET", "/api/projects/1", host="shop.example:8080")
    assert json.loads(run(tmp_path, "--json", data=data).stdout)["hosts"] == ["shop.example"]
    assert "sent to shop.example" in run(tmp_path, "--no-color", data=data).stdout
