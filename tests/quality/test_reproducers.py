"""Every reproducer of every planted fault, in every form, run by its own tool: with the fault there, and not."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.oracles import findings
from tests.quality import har_player, newman
from tests.unit.demo.test_faults import RIGHT_ANSWERS, name_of
from tests.unit.report.test_reproduce_on_demo import recorded

from lobrest.demo import DemoProcess
from lobrest.demo.company import founded, secret_of
from lobrest.demo.faults import QUIET
from lobrest.demo.service import BASE_PATH
from lobrest.model.bug import Bug, BugKind
from lobrest.report.har import har
from lobrest.report.postman import postman_collection
from lobrest.report.reproduce import reproducer_of
from lobrest.report.scripts import auth_variables, curl_script, pytest_file, python_script

PEOPLE = ("root", "alice", "bob", "carol", "dave", "erin")
FORGOTTEN = "branch-forgotten"
"""With it on, half of the flows of the others cannot be played."""
Told = dict[str, bool]
"""By name: does the bug happen?"""


@pytest.fixture(scope="module")
def bugs() -> dict[str, Bug]:
    """The 5XX as they were recorded, and what a campaign has found of the others."""
    found = {name_of(flow): replace(recorded(flow), number=at) for at, flow in enumerate(RIGHT_ANSWERS, 1)}
    for at, (name, bug) in enumerate(findings(), start=50):
        found[name] = replace(bug, number=at)
    return found


def test_a_campaign_finds_every_fault_that_no_5xx_shows(bugs: Mapping[str, Bug]):
    assert {name for name, bug in bugs.items() if bug.kind is not BugKind.SERVER_ERROR} == QUIET
    assert all(bug.confirmed and bug.minimised for bug in bugs.values() if bug.number >= 50)


@pytest.fixture(scope="module", params=["on", "off"])
def places(request: pytest.FixtureRequest) -> Iterator[tuple[bool, Callable[[Bug, str], str]]]:
    """Whether the faults are there, and for each bug the address of an instance that was not used before."""
    there = request.param == "on"
    kinds = {"5XX": "on", "quiet": ",".join(QUIET - {FORGOTTEN}), FORGOTTEN: FORGOTTEN}
    started = {kind: DemoProcess(faults=faults if there else "off") for kind, faults in kinds.items()}
    for process in started.values():
        process.__enter__()
    try:
        urls = {kind: process.url.removesuffix(BASE_PATH) for kind, process in started.items()}

        def place(bug: Bug, name: str) -> str:
            if bug.kind is BugKind.SERVER_ERROR:
                return urls["5XX"]
            return urls.get(name, urls["quiet"])

        yield there, place
    finally:
        for process in started.values():
            process.__exit__(None, None, None)


def credentials() -> dict[str, str]:
    state = founded()
    return {person: f"Bearer {secret_of(state, person)}" for person in PEOPLE}


def variables(bug: Bug, url: str) -> dict[str, str]:
    known = credentials()
    found = {"LOBREST_TARGET": url}
    for actor, variable in auth_variables(reproducer_of(bug)).items():
        found[variable] = f"Authorization: {known[actor]}"
    return found


def by_script(command: list[str], render: Callable[..., str], folder: Path) -> Callable[[Bug, str], int]:
    def run(bug: Bug, url: str) -> int:
        path = folder / f"repro-{bug.number}"
        path.write_text(render(reproducer_of(bug)), encoding="utf-8")
        result = subprocess.run(
            [*command, str(path)],
            env={"PATH": os.environ["PATH"], **variables(bug, url)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert result.returncode in (0, 1), f"{bug.key}: {result.stdout}{result.stderr}"
        return result.returncode

    return run


def told(bugs: Mapping[str, Bug], place: Callable[[Bug, str], str], run: Callable[[Bug, str], int]) -> Told:
    with ThreadPoolExecutor(3) as several:
        codes = several.map(lambda item: run(item[1], place(item[1], item[0])), bugs.items())
        return {name: code == 1 for name, code in zip(bugs, codes, strict=True)}


def everywhere(bugs: Mapping[str, Bug], there: bool) -> Told:
    return dict.fromkeys(bugs, there)


@pytest.mark.skipif(
    not (shutil.which("bash") and shutil.which("curl")), reason="bash or curl is not installed"
)
def test_bash(bugs, places, tmp_path):
    there, place = places
    assert told(bugs, place, by_script(["bash"], curl_script, tmp_path)) == everywhere(bugs, there)


def test_python(bugs, places, tmp_path):
    there, place = places
    run = by_script([sys.executable, "-I", "-S"], python_script, tmp_path)
    assert told(bugs, place, run) == everywhere(bugs, there)


def test_pytest(bugs, places, tmp_path):
    """One run for all of one instance: the files do not know of each other."""
    there, place = places
    outcomes: Told = {}
    for url in {place(bug, name) for name, bug in bugs.items()}:
        here = {name: bug for name, bug in bugs.items() if place(bug, name) == url}
        folder = tmp_path / re.sub(r"\W", "-", url)
        folder.mkdir()
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
        for bug in here.values():
            (folder / f"test_bug_{bug.number}.py").write_text(pytest_file(reproducer_of(bug)))
            environment |= variables(bug, url)
        command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "--no-header", "."]
        result = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240, check=False
        )
        for name, bug in here.items():
            line = re.search(
                rf"^(PASSED|FAILED|ERROR) test_bug_{bug.number}\.py", result.stdout, re.MULTILINE
            )
            assert line is not None and line[1] != "ERROR", result.stdout
            outcomes[name] = line[1] == "FAILED"
    assert {name: outcomes[name] for name in bugs} == everywhere(bugs, there)


@pytest.mark.skipif(newman.package() is None, reason=newman.HINT)
def test_newman(bugs, places, tmp_path):
    there, place = places
    outcomes: Told = {}
    for url in {place(bug, name) for name, bug in bugs.items()}:
        files = {}
        known: dict[str, str] = {}
        for name, bug in bugs.items():
            if place(bug, name) == url:
                files[name] = tmp_path / f"{bug.number}.json"
                files[name].write_text(postman_collection(reproducer_of(bug)))
                known |= variables(bug, url)
        failed = newman.failures(list(files.values()), known)
        for name, path in files.items():
            assert set(failed[str(path)]) <= {"the bug does not happen"}, (name, failed[str(path)])
            outcomes[name] = bool(failed[str(path)])
    assert {name: outcomes[name] for name in bugs} == everywhere(bugs, there)


def test_har(bugs, places):
    there, place = places

    def run(bug: Bug, url: str) -> int:
        return har_player.happens(har(bug.exchanges, reproducer=reproducer_of(bug)), url, credentials())

    assert told(bugs, place, run) == everywhere(bugs, there)


def test_no_form_holds_a_secret(bugs):
    hidden = [one.removeprefix("Bearer ") for one in credentials().values()]
    for bug in bugs.values():
        made = reproducer_of(bug)
        texts = [curl_script(made), python_script(made), pytest_file(made), postman_collection(made)]
        texts.append(har(bug.exchanges, reproducer=made))
        assert not [one for one in hidden for text in texts if one in text]
        json.loads(texts[-1])
