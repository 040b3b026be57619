"""``lobrest export``."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
import yaml
from tests.unit.cli.commands import Commands
from tests.unit.cli.test_run import clear
from tests.unit.export import shop


@pytest.fixture(scope="module")
def work(lobrest: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export")
    spec, log = shop.written(folder)
    with shop.running(first_id=41) as url:
        auth = [part for user in shop.USERS for part in ("--auth", user)]
        clear(
            lobrest("run", spec, log, "--target", url, *auth, "--max-requests", 80, "--out", folder / "work"),
            0,
        )
    return folder / "work"


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("arazzo", "flows.arazzo.yaml"), ("pytest", "test_flows.py"), ("har", "flows.har"), ("ocel", "flows.ocel.json"),
        ("postman", "flows.postman_collection.json"), ("links", "links.overlay.yaml"),
    ],
)  # fmt: skip
def test_each_form_of_a_campaign(lobrest: Commands, work: Path, tmp_path: Path, form: str, name: str):
    ended = lobrest("export", work, "--as", form, "-o", tmp_path)
    clear(ended, 0)
    text = (tmp_path / name).read_text()
    assert "secret-of" not in text
    if name.endswith(".py"):
        ast.parse(text)
    else:
        assert yaml.safe_load(text)


def test_from_a_specification_and_logs_alone(lobrest: Commands, tmp_path: Path):
    spec, log = shop.written(tmp_path)
    ended = lobrest("export", spec, log, "--as", "arazzo", "--json", "--limit", 1)
    clear(ended, 0)
    (workflow,) = json.loads(ended.stdout)["workflows"]
    assert len(workflow["steps"]) == 5
    clear(lobrest("export", spec, log, "--as", "har"), 2, "not played")
    clear(lobrest("export", spec, "--as", "pytest"), 2, "no flow")
    clear(lobrest("export", spec, "--as", "ocel"), 2, "logged requests")


def test_wrong_use(lobrest: Commands, work: Path, tmp_path: Path):
    clear(lobrest("export", work, "--as", "pdf"), 2, "no format of an export")
    clear(lobrest("export", tmp_path, "--as", "har"), 2, "no work folder")
    clear(lobrest("export", work, work, "--as", "har"), 2, "one work folder")
    clear(lobrest("export", work, "--as", "har", "-o", "/proc/x.har"), 2, "cannot be written")
