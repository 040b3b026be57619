"""Exports run by their own tools, on instances that number their things differently."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.export import shop

import lobrest
from lobrest.app.export import Exportable
from lobrest.export.arazzo import arazzo_document, document_text
from lobrest.export.postman_suite import postman_suite
from lobrest.export.python_suite import pytest_suite


def pytest_run(path: Path, url: str, told: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """The suite against a service; ``told`` are the users' variables where they are not those of the shop."""
    own = shop.variables(url) if told is None else {"LOBREST_TARGET": url, **told}
    environment = {"PATH": os.environ["PATH"], **own}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:lobrest.pytest_plugin",
    ]
    return subprocess.run(
        [*command, "--rootdir", str(path.parent), str(path)],
        env=environment, capture_output=True, text=True, timeout=120, check=False, cwd=path.parent,
    )  # fmt: skip


@pytest.mark.parametrize("kind", ["played", "unplayed"])
def test_the_pytest_suite_passes_twice_and_fails_where_a_flow_breaks(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
):
    known: Exportable = request.getfixturevalue(kind)
    path = tmp_path / "test_flows.py"
    path.write_text(pytest_suite(known.flows, service=known.service))
    with shop.running(first_id=900) as url:
        for _ in range(2):
            result = pytest_run(path, url)
            assert result.returncode == 0, result.stdout
    with shop.running(first_id=900, fault=True) as url:
        result = pytest_run(path, url)
    assert result.returncode == 1
    assert "500 instead of 2XX" in result.stdout


def test_without_its_variables_the_suite_says_which_it_needs(played: Exportable, tmp_path: Path):
    path = tmp_path / "test_flows.py"
    path.write_text(pytest_suite(played.flows, service=played.service))
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", str(path)],
        env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=120, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert "set LOBREST_TARGET" in result.stdout


@pytest.mark.skipif(
    not shutil.which("newman"), reason="newman is not installed (npm install --global newman)"
)
def test_newman_runs_the_collection(played: Exportable, tmp_path: Path):
    path = tmp_path / "flows.json"
    path.write_text(postman_suite(played.flows, service=played.service))
    for fault in (False, True):
        with shop.running(first_id=900, fault=fault) as url:
            settings = [part for one in shop.variables(url).items() for part in ("--env-var", "=".join(one))]
            result = subprocess.run(
                [shutil.which("newman") or "", "run", str(path), "--color", "off", *settings],
                capture_output=True, text=True, timeout=120, check=False,
            )  # fmt: skip
        assert result.returncode == (1 if fault else 0), result.stdout


def test_arazzo_is_read_back_and_every_workflow_is_played_again(
    played: Exportable, inputs: tuple[Path, Path], tmp_path: Path
):
    document = arazzo_document(played.flows, service=played.service, source=str(inputs[0]), spec=played.spec)
    path = tmp_path / "flows.arazzo.yaml"
    path.write_text(document_text(document, as_json=False))
    with shop.running(first_id=900) as url:
        results = lobrest.replay(inputs[0], path, target=url, auth=shop.USERS)
    assert len(results) == len(played.flows)
    assert [str(one) for one in results if not one.ok] == []
    wanted = sorted(len(flow.steps) for flow in played.flows)
    assert sorted(sum(not step.added for step in one.steps) for one in results) == wanted
