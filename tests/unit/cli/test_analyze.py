"""``lobrest analyze`` as a person runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lobrest.cli import app
from lobrest.errors import ConfigError, SpecError
from lobrest.resources.document import from_json
from lobrest.spec import load_spec

DOCUMENT = {
    "openapi": "3.0.0",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/orders": {
            "get": {"summary": "List orders", "responses": {"200": {"description": ""}}},
            "post": {"summary": "Create an order", "responses": {"201": {"description": ""}}},
        },
        "/orders/{orderId}": {"get": {"responses": {"200": {"description": ""}}}},
    },
}


@pytest.fixture
def document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "shop.json"
    path.write_text(json.dumps(DOCUMENT))
    return path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["analyze", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_tree(document: Path) -> None:
    shown = run(str(document), "--no-color")
    assert "Shop" in shown and "/orders  1 create, 1 list" in shown


def test_json_on_standard_output_and_in_a_file(document: Path, tmp_path: Path) -> None:
    spec = load_spec(document.read_bytes())
    printed = json.loads(run(str(document), "--json"))
    out = tmp_path / "resources.json"
    run(str(document), "--out", str(out), "--quiet")
    assert json.loads(out.read_text()) == printed
    assert from_json(printed, spec).creations["POST /orders"].resource == "/orders"  # type: ignore[index]


def test_why(document: Path) -> None:
    shown = run(str(document), "--why", "orderId")
    assert "GET /orders/{orderId} path orderId refers to /orders" in shown
    assert "rules, 0.95" in shown
    assert "creates /orders" in run(str(document), "--why", "/orders")
    assert "nothing was decided about unicorns" in run(str(document), "--why", "unicorns")


def test_overrides_of_the_settings_file(document: Path, tmp_path: Path) -> None:
    (tmp_path / "lobrest.toml").write_text('[resources]\nnot_creates = ["POST /orders"]\n')
    assert json.loads(run(str(document), "--json"))["creates"] == []


def test_what_is_wrong_is_a_named_error(document: Path, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="cannot be read"):
        run(str(tmp_path / "nowhere.json"))
    with pytest.raises(ConfigError, match="no language model is named"):
        run(str(document), "--analyzer", "llm")
