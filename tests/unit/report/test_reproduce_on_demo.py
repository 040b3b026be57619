"""Reproducers of every planted fault, on a demo service that numbers its things differently."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request as Sending
from urllib.request import urlopen

import pytest
from tests.unit.demo.conftest import Forge
from tests.unit.demo.test_faults import RIGHT_ANSWERS, name_of

from lobrest.demo import DemoProcess
from lobrest.demo.company import founded, secret_of
from lobrest.demo.faults import parse_faults
from lobrest.demo.service import BASE_PATH, Service
from lobrest.model.bug import Bug, BugKey
from lobrest.model.exchange import Exchange, Headers, Request, Response
from lobrest.model.operation import OperationId
from lobrest.model.seed import SeedId
from lobrest.report.postman import postman_collection
from lobrest.report.reproduce import reproducer_of
from lobrest.report.scripts import auth_variables, curl_script, python_script

JSON_HEADERS: Headers = (("Content-Type", "application/json"),)
UNIQUE = {"shop": "shop-x0k2a", "crew": "crew-x0k2b", "other": "other-x0k2c"}
"""What the campaign would have made of names that must be unique."""
DEEP = ("push_after_approval", "merge_after_reopen", "move_issue_with_milestone", "merge_after_approver_left")


@dataclass(slots=True)
class Recorder(Forge):
    """A forge that keeps what was sent and answered."""

    exchanges: list[Exchange] = field(default_factory=list)

    def send(
        self, user: str, method: str, path: str, body: Any = None, *, raw: bytes | None = None, **query: Any
    ) -> Any:
        if isinstance(body, dict):
            body = {
                name: UNIQUE.get(value, value) if isinstance(value, str) else value
                for name, value in body.items()
            }
        answer = Forge.send(self, user, method, path, body, raw=raw, **query)
        content = None if body is None else json.dumps(body).encode()
        target = BASE_PATH + path + (f"?{urlencode(query)}" if query else "")
        request = Request(
            OperationId(self.asked[-1]), method, target, JSON_HEADERS if content else (), content, user
        )
        told = b"" if answer.body is None else json.dumps(answer.body).encode()
        self.exchanges.append(Exchange(request, Response(answer.status, tuple(answer.headers.items()), told)))
        return answer


def recorded(flow: Callable[[Any], Any]) -> Bug:
    """The bug as a campaign would have met it, every number being 1."""
    state = founded()
    forge = Recorder(Service(state, parse_faults("on")), state)
    flow(forge)
    last = forge.exchanges[-1]
    assert last.status == 500
    return Bug(1, BugKey(last.request.operation, 500, "x"), "x", 1.0, tuple(forge.exchanges), SeedId("x"))


def variables(url: str, bug: Bug) -> dict[str, str]:
    state = founded()
    found = {"LOBREST_TARGET": url}
    for actor, variable in auth_variables(reproducer_of(bug)).items():
        found[variable] = f"Authorization: Bearer {secret_of(state, actor)}"
    return found


@pytest.fixture(scope="module", params=["on", "off"])
def demo(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """Faults on or off, and the address of an instance that has been in use already."""
    with DemoProcess(faults=request.param) as process:
        base = process.url.removesuffix(BASE_PATH)
        token = secret_of(founded(), "carol")

        def post(path: str, body: dict[str, str]) -> Any:
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
            url = base + BASE_PATH + path
            with urlopen(
                Sending(url, json.dumps(body).encode(), headers, method="POST"), timeout=20
            ) as answer:
                return json.load(answer)

        for number in range(4):
            project = post("/projects", {"name": f"noise{number}"})["id"]
            post(f"/projects/{project}/issues", {"title": "noise"})
            post(f"/projects/{project}/milestones", {"title": "noise"})
            post(f"/projects/{project}/hooks", {"url": "https://hooks.example/noise"})
        yield request.param, base


@pytest.mark.parametrize("flow", RIGHT_ANSWERS, ids=name_of)
def test_python_tells_the_bug(
    flow: Callable[[Any], Any], demo: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    faults, url = demo
    bug = recorded(flow)
    for name, value in variables(url, bug).items():
        monkeypatch.setenv(name, value)
    script: dict[str, Any] = {"__name__": "repro"}
    exec(compile(python_script(reproducer_of(bug)), "repro.py", "exec"), script)
    for _ in range(2):
        assert script["main"]() == (1 if faults == "on" else 0), capsys.readouterr()


@pytest.mark.skipif(
    not (shutil.which("bash") and shutil.which("curl")), reason="bash and curl are not installed"
)
@pytest.mark.parametrize("name", DEEP)
def test_curl_tells_the_bug(name: str, demo: tuple[str, str], tmp_path: Path) -> None:
    faults, url = demo
    bug = recorded(next(flow for flow in RIGHT_ANSWERS if flow.__name__ == name))
    path = tmp_path / "repro.sh"
    path.write_text(curl_script(reproducer_of(bug)))
    environment = {"PATH": os.environ["PATH"], **variables(url, bug)}
    result = subprocess.run(
        ["bash", str(path)], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == (1 if faults == "on" else 0), result.stdout + result.stderr


@pytest.mark.skipif(
    not shutil.which("newman"), reason="newman is not installed (npm install --global newman)"
)
@pytest.mark.parametrize("name", DEEP[:2])
def test_newman_tells_the_bug(name: str, demo: tuple[str, str], tmp_path: Path) -> None:
    faults, url = demo
    bug = recorded(next(flow for flow in RIGHT_ANSWERS if flow.__name__ == name))
    path = tmp_path / "bug.json"
    path.write_text(postman_collection(reproducer_of(bug)))
    settings = [part for each in variables(url, bug).items() for part in ("--env-var", "=".join(each))]
    result = subprocess.run(
        [shutil.which("newman") or "", "run", str(path), "--color", "off", *settings],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert result.returncode == (1 if faults == "on" else 0), result.stdout
    if faults == "on":
        assert "the bug does not happen" in result.stdout
        assert "can be done\n" not in result.stdout.partition("#  failure")[2]
