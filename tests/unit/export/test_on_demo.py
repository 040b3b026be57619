"""Flows of the demo's log, exported from one instance and run on a fresh one."""

from __future__ import annotations

import gzip
import itertools
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.export.test_on_fresh_instances import pytest_run

import lobrest
from lobrest.app.export import Exportable, of_campaign
from lobrest.app.work import WorkFolder
from lobrest.demo import DemoProcess
from lobrest.export.postman_suite import postman_suite
from lobrest.export.python_suite import pytest_suite
from lobrest.report.scripts import variables_of


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Exportable:
    folder = tmp_path_factory.mktemp("demo")
    with DemoProcess(faults="off") as demo:
        (whole,) = [log for log in demo.logs if "json" in log.name]
        part = folder / "api_json.log"
        with gzip.open(whole, "rt") as lines:
            part.write_text("".join(itertools.islice(lines, 250)))
        mined = lobrest.mine(demo.spec, part)
        campaign = lobrest.Campaign(
            mined,
            demo.url,
            [str(demo.auth)],
            time="60s",
            max_requests=500,
            concurrency=1,
            out=folder / "work",
        )
        campaign.run()
    return of_campaign(WorkFolder.open(folder / "work"))


@pytest.fixture
def fresh() -> Iterator[tuple[str, dict[str, str]]]:
    """Another instance, and what exported programs are told of it."""
    with DemoProcess(faults="off") as demo:
        users = json.loads(demo.auth.read_text())["auth"]
        names = variables_of(user["name"] for user in users)
        told = {
            names[user["name"]]: f"{header['name']}: {header['value']}"
            for user in users
            for header in user["fixedHeaders"]
        }
        yield demo.url.removesuffix("/api/v1"), told


def test_the_pytest_suite_passes(known: Exportable, fresh: tuple[str, dict[str, str]], tmp_path: Path):
    assert len(known.flows) >= 5
    path = tmp_path / "test_flows.py"
    path.write_text(pytest_suite(known.flows, service=known.service))
    url, told = fresh
    for _ in range(2):
        result = pytest_run(path, url, told)
        assert result.returncode == 0, result.stdout
        assert "skipped" not in result.stdout


@pytest.mark.skipif(
    not shutil.which("newman"), reason="newman is not installed (npm install --global newman)"
)
def test_newman_runs_the_collection(known: Exportable, fresh: tuple[str, dict[str, str]], tmp_path: Path):
    path = tmp_path / "flows.json"
    path.write_text(postman_suite(known.flows[:5], service=known.service))
    url, told = fresh
    settings = [
        part for one in {"LOBREST_TARGET": url, **told}.items() for part in ("--env-var", "=".join(one))
    ]
    result = subprocess.run(
        [shutil.which("newman") or "", "run", str(path), "--color", "off", *settings],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout
