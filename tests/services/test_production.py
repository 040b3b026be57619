"""The host that a log comes from is not tested by mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.services.serving import operation
from typer.testing import CliRunner

from lobrest.cli import app
from lobrest.errors import TargetError

PATHS = {"/things": {"get": operation()}, "/things/{id}": {"get": operation("id")}}


def har(host: str) -> str:
    entries = [
        {
            "startedDateTime": f"2026-01-05T09:00:0{number}.000Z",
            "time": 5,
            "request": {"method": "GET", "url": f"https://{host}/things/{number}", "headers": []},
            "response": {"status": 200, "headers": [], "content": {"text": "{}"}},
        }
        for number in range(3)
    ]
    return json.dumps(
        {"log": {"version": "1.2", "creator": {"name": "t", "version": "1"}, "entries": entries}}
    )


def access(host: str) -> str:
    lines = [
        {
            "time": f"2026-01-05T09:00:0{n}Z",
            "host": host,
            "method": "GET",
            "uri": f"/things/{n}",
            "status": 200,
        }
        for n in range(3)
    ]
    return "\n".join(map(json.dumps, lines))


@pytest.mark.parametrize("form", [har, access])
@pytest.mark.parametrize("command", ["run", "replay"])
def test_it_is_refused_before_anything_is_sent(tmp_path: Path, form, command: str):
    spec, log = tmp_path / "api.json", tmp_path / ("log.har" if form is har else "log.json")
    spec.write_text(json.dumps({"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": PATHS}))
    log.write_text(form("shop.example.org"))
    words = [
        command,
        str(spec),
        str(log),
        "--out",
        str(tmp_path / "work"),
        "--target",
        "http://shop.example.org",
    ]
    with pytest.raises(TargetError, match="a host that the logs name") as error:
        CliRunner().invoke(app, words, catch_exceptions=False)
    assert error.value.exit_status == 3
    assert not (tmp_path / "work").exists()
