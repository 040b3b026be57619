"""The CI templates: what they run, run against the shop."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from tests.unit.export import shop

from lobrest.app.baseline import Baseline, write_baseline
from lobrest.report.summary import summary_from_json

CI = Path(__file__).parents[2] / "ci"
ACTION = CI / "github" / "action.yml"
WORKFLOW = CI / "github" / "example-workflow.yml"
GITLAB = CI / "gitlab" / "lobrest.gitlab-ci.yml"


def action() -> dict:
    return yaml.safe_load(ACTION.read_text())


def github_script() -> tuple[str, dict[str, str]]:
    (step,) = [one for one in action()["runs"]["steps"] if one.get("id") == "test"]
    return step["run"], dict(step["env"])


def gitlab_script() -> str:
    return "\n".join(yaml.safe_load(GITLAB.read_text())[".lobrest"]["script"])


def played(system: str, url: str, folder: Path, *, baseline: str = "") -> subprocess.CompletedProcess[str]:
    """The script of a template, with the values that the CI system would give."""
    given = {
        "spec": "openapi.json", "logs": "access.log\n\n", "target": url, "auth": "\n".join(shop.USERS) + "\n",
        "time": "30s", "baseline": baseline, "arguments": "--max-requests 120 --seed 1", "output": "work",
    }  # fmt: skip
    binaries = Path(sys.executable).parent
    environment = {
        "PATH": f"{binaries}:{os.environ['PATH']}",
        "HOME": str(folder),
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "step-summary"),
    }
    if system == "github":
        script, names = github_script()
        environment |= {
            name: given[value.removeprefix("${{ inputs.").removesuffix(" }}")]
            for name, value in names.items()
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    else:
        environment |= {f"LOBREST_{name.upper()}": value for name, value in given.items()}
        command = ["sh", "-e", "-c", gitlab_script()]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("system", ["github", "gitlab"])
def test_the_script_fails_on_a_bug_and_passes_when_it_is_known(system: str, tmp_path: Path):
    shop.written(tmp_path)
    with shop.running(fault=True) as url:
        first = played(system, url, tmp_path)
        assert first.returncode == 1, first.stdout + first.stderr
        failures = list(ElementTree.parse(tmp_path / "work" / "junit.xml").iter("failure"))
        assert len(failures) == 1
        assert len(json.loads((tmp_path / "work" / "lobrest.sarif").read_text())["runs"][0]["results"]) == 1
        summary = summary_from_json((tmp_path / "work" / "summary.json").read_bytes())
        write_baseline(tmp_path / "b.json", Baseline().with_bugs(summary))
        shutil.rmtree(tmp_path / "work")
        second = played(system, url, tmp_path, baseline="b.json")
        assert second.returncode == 0, second.stdout + second.stderr
    if system == "github":
        assert (tmp_path / "output").read_text() == "status=1\nstatus=0\n"
        assert "requests, " in (tmp_path / "step-summary").read_text()


def test_a_service_that_is_away_is_its_own_status(tmp_path: Path):
    shop.written(tmp_path)
    assert played("github", "http://127.0.0.1:9", tmp_path).returncode == 3


def test_no_input_is_put_into_a_script():
    """Whoever names a branch must not write shell: values come by the environment."""
    for step in action()["runs"]["steps"]:
        assert "${{" not in step.get("run", "")


def test_every_input_is_used_and_described():
    text = ACTION.read_text()
    for name, told in action()["inputs"].items():
        assert told["description"]
        assert f"inputs.{name}" in text
    used = yaml.safe_load(WORKFLOW.read_text())["jobs"]["lobrest"]["steps"][-1]["with"]
    assert set(used) <= set(action()["inputs"])


@pytest.mark.skipif(not shutil.which("actionlint"), reason="actionlint is not installed")
def test_a_linter_of_workflows_finds_nothing(tmp_path: Path):
    workflows = tmp_path / ".github" / "workflows"
    workflows.mkdir(parents=True)
    shutil.copy(WORKFLOW, workflows / "lobrest.yml")
    shutil.copytree(CI / "github", tmp_path / "ci" / "github")
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    result = subprocess.run(["actionlint"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_gitlab_job_keeps_its_results():
    job = yaml.safe_load(GITLAB.read_text())[".lobrest"]
    assert job["artifacts"]["when"] == "always"
    assert job["artifacts"]["reports"]["junit"].endswith("junit.xml")
