"""The library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.export import shop

import lobrest


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return shop.written(tmp_path_factory.mktemp("shop"))


def test_step_by_step(inputs: tuple[Path, Path]):
    spec, log = inputs
    loaded = lobrest.load_spec(spec)
    assert loaded.title == "Shop"
    table = lobrest.read_logs(loaded, log)
    assert table.statistics.kept == len(log.read_text().splitlines())
    mined = lobrest.mine(spec, log)
    assert mined.spec == loaded
    assert "/projects/{id}/issues" in mined.resources.resources
    assert {entry.operation for flow in mined.flows for entry in flow.entries} >= {"POST /projects"}
    assert mined.corpus.values
    seeds = lobrest.complete(mined, seed=3)
    assert len(seeds) >= len(mined.flows)
    assert seeds == lobrest.complete(mined, seed=3)


def test_a_campaign_gives_its_bugs_as_values(inputs: tuple[Path, Path], tmp_path: Path):
    with shop.running(fault=True) as url:
        result = lobrest.run(
            *inputs, target=url, auth=shop.USERS, time=30, max_requests=120, out=tmp_path / "work"
        )
    assert not result.ok
    assert {(bug.key.operation, bug.key.status) for bug in result.bugs} == {
        ("POST /projects/{id}/issues/{issue_iid}/close", 500)
    }
    assert result.summary.requests <= 120
    assert result.folder is not None
    assert (result.folder / "report.html").is_file()


def test_without_a_folder_nothing_is_left(
    inputs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    with shop.running() as url:
        result = lobrest.Campaign(lobrest.mine(*inputs), url, shop.USERS, max_requests=40, time="30s").run()
    assert result.ok
    assert result.folder is None
    assert not list(tmp_path.iterdir())


def test_errors_are_of_one_tree(inputs: tuple[Path, Path]):
    with pytest.raises(lobrest.LobrestError):
        lobrest.load_spec("missing.json")
    with pytest.raises(lobrest.LobrestError, match="no answer"):
        lobrest.run(inputs[0], target="http://127.0.0.1:9", time=1)
    with pytest.raises(AttributeError):
        lobrest.nothing_of_that_name  # noqa: B018


def test_every_name_is_there_and_importing_costs_nothing():
    assert sorted(lobrest.__all__) == lobrest.__all__
    assert all(getattr(lobrest, name) is not None for name in lobrest.__all__)
    assert set(lobrest.__all__) <= set(dir(lobrest))
    heavy = "{'numpy', 'numba', 'aiohttp', 'typer', 'rich', 'jinja2', 'yaml', 'asyncio'}"
    code = f"import sys, lobrest; print(sorted({heavy} & set(sys.modules)))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
