"""Scripts are proved by running them, on an instance that numbers its things differently."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.report.tracker import AUTHORISATION, Running, Start

from lobrest.model.bug import Bug
from lobrest.model.operation import OperationId
from lobrest.model.reproducer import Capture, CaptureSource, Reproducer, ReproStep
from lobrest.report.reproduce import reproducer_of
from lobrest.report.scripts import auth_variables, curl_script, pytest_file, python_script, shell_quote

needs_curl = pytest.mark.skipif(
    not (shutil.which("bash") and shutil.which("curl")), reason="bash and curl are not installed"
)
Render = Callable[[Reproducer], str]
RUNNERS = [
    pytest.param(python_script, "repro.py", [sys.executable, "-I"], id="python"),
    pytest.param(curl_script, "repro.sh", ["bash"], id="curl", marks=needs_curl),
]


def run(
    running: Running | None,
    render: Render,
    name: str,
    command: list[str],
    reproducer: Reproducer,
    folder: Path,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Run a rendered reproducer by its own tool, in an environment that has only what its users set."""
    path = folder / name
    path.write_text(render(reproducer))
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    if running is not None:
        variables["LOBREST_TARGET"] = running.url + "/api"
    for actor, variable in auth_variables(reproducer).items():
        variables[variable] = "Authorization: " + AUTHORISATION[actor]
    return subprocess.run(
        [*command, str(path)],
        env=variables | environment,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=folder,
        check=False,
    )


@pytest.mark.parametrize(("render", "name", "command"), RUNNERS)
def test_it_shows_the_bug_on_a_fresh_instance(
    render: Render, name: str, command: list[str], bug: Bug, start: Start, tmp_path: Path
) -> None:
    running = start(first_id=900, fault=True)
    for _ in range(2):  # the second run meets what the first has left
        result = run(running, render, name, command, reproducer_of(bug), tmp_path)
        assert result.returncode == 1, result.stdout + result.stderr
        assert "the bug still happens: 500" in result.stdout
        assert "KeyError" in result.stdout
        assert "3/4 POST /api/projects/9" in result.stdout
    assert len(running.tracker.projects) == 2


@pytest.mark.parametrize(("render", "name", "command"), RUNNERS)
def test_it_finds_no_bug_where_there_is_none(
    render: Render, name: str, command: list[str], bug: Bug, start: Start, tmp_path: Path
) -> None:
    result = run(start(first_id=7, fault=False), render, name, command, reproducer_of(bug), tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "the bug does not happen: 200 instead of 500" in result.stdout


@pytest.mark.parametrize(("render", "name", "command"), RUNNERS)
def test_it_says_why_it_could_not_be_tried(
    render: Render, name: str, command: list[str], bug: Bug, start: Start, tmp_path: Path
) -> None:
    running = start(first_id=7, fault=True)
    reproducer = reproducer_of(bug)
    refused = run(
        running, render, name, command, reproducer, tmp_path, LOBREST_AUTH_BOB="Authorization: Bearer no"
    )
    assert refused.returncode == 2
    assert "step 2 answered 401, was 201" in refused.stderr
    unset = run(running, render, name, command, reproducer, tmp_path, LOBREST_AUTH_BOB="")
    assert unset.returncode == 2
    assert "LOBREST_AUTH_BOB is not set" in unset.stderr
    nowhere = run(None, render, name, command, reproducer, tmp_path, LOBREST_TARGET="http://127.0.0.1:1")
    assert nowhere.returncode == 2
    assert "step 1 answered nothing" in nowhere.stderr
    no_url = run(None, render, name, command, reproducer, tmp_path, LOBREST_TARGET="somewhere")
    assert no_url.returncode == 2
    assert "LOBREST_TARGET is not a URL" in no_url.stderr
    first, second, *rest = reproducer.steps
    nothing = replace(second, captures=(Capture("v2", CaptureSource.HEADER, "X-Nothing"),))
    missing = run(
        running, render, name, command, replace(reproducer, steps=(first, nothing, *rest)), tmp_path
    )
    assert missing.returncode == 2
    assert "step 2: its answer has no header X-Nothing" in missing.stderr


@pytest.mark.parametrize(("render", "name", "command"), RUNNERS)
def test_a_bug_without_steps_cannot_be_tried(
    render: Render, name: str, command: list[str], start: Start, tmp_path: Path
) -> None:
    nothing = Reproducer(1, OperationId("GET /x"), 500, "", ())
    result = run(start(first_id=1, fault=True), render, name, command, nothing, tmp_path)
    assert result.returncode == 2
    assert "no step was recorded" in result.stderr


@needs_curl
@pytest.mark.skipif(not shutil.which("jq"), reason="jq is not installed")
def test_curl_gets_by_with_jq_instead_of_python(bug: Bug, start: Start, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in [
        "bash",
        "curl",
        "jq",
        "od",
        "tr",
        "cut",
        "sed",
        "awk",
        "grep",
        "tail",
        "head",
        "mktemp",
        "rm",
        "base64",
    ]:
        found = shutil.which(tool)
        if found:
            (tools / tool).symlink_to(found)
    result = run(
        start(first_id=300, fault=True), curl_script, "repro.sh", ["bash"], reproducer_of(bug), tmp_path,
        PATH=str(tools),
    )  # fmt: skip
    assert result.returncode == 1, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("fault", "first_outcome"), [(True, "1 failed"), (False, "1 passed")], ids=["fault on", "fault off"]
)
def test_pytest_file_tells_the_bug(
    fault: bool, first_outcome: str, bug: Bug, start: Start, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    name = f"test_bug_{bug.number}.py"
    result = run(start(first_id=50, fault=fault), pytest_file, name, command, reproducer_of(bug), tmp_path)
    assert first_outcome in result.stdout


def test_pytest_file_is_an_error_when_it_cannot_be_prepared(bug: Bug, start: Start, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    result = run(
        start(first_id=50, fault=True), pytest_file, "test_bug_3.py", command, reproducer_of(bug), tmp_path,
        LOBREST_AUTH_ALICE="Authorization: Bearer wrong",
    )  # fmt: skip
    assert "1 error" in result.stdout
    assert "step 1 answered 401" in result.stdout


@pytest.mark.parametrize("render", [python_script, curl_script, pytest_file])
def test_no_secret_and_no_recorded_identity_is_in_it(render: Render, bug: Bug) -> None:
    text = render(reproducer_of(bug))
    for hidden in ("leaked", "hunter2", "alice-secret", "8f3a12", "projects/41"):
        assert hidden not in text
    assert text.isascii()


HOSTILE = [
    "it's",
    '$(touch owned) `id` ${HOME} \\ " ! # ;',
    "line\nbreak\ttab\r",
    "\u202egnp.exe \u2066 “quotes” 😀",
    "'''\"\"\"",
    "",
    "-n",
    "{{v1}}",
    "a\x01\x7f",
]


@needs_curl
def test_shell_quote_gives_back_the_text() -> None:
    words = " ".join(map(shell_quote, HOSTILE))
    result = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {words}"], capture_output=True, timeout=20, check=True
    )
    assert result.stdout.split(b"\0")[:-1] == [text.encode() for text in HOSTILE]


@pytest.mark.parametrize(("render", "name", "command"), RUNNERS)
def test_hostile_requests_arrive_byte_for_byte(
    render: Render, name: str, command: list[str], start: Start, tmp_path: Path
) -> None:
    running = start(first_id=1, fault=True)
    received: list[bytes] = []
    answer = running.tracker.answer

    def listen(method: str, target: str, user: str, body: bytes) -> tuple[int, object, dict[str, str]]:
        received.append(body)
        return answer(method, target, user, body)

    running.tracker.answer = listen  # type: ignore[method-assign]
    texts = [*HOSTILE, "x" * 300_000]
    operation = OperationId("GET /" + "".join(HOSTILE))
    steps = [ReproStep(operation, "POST", "/api/x?a[]=%00&b={}", body=text, expected=404) for text in texts]
    raw = b"\x00\xff" + "".join(texts).encode()
    steps.append(ReproStep(operation, "POST", "/api/../y", raw_body=raw, expected=404))
    result = run(
        running, render, name, command, Reproducer(1, operation, 404, HOSTILE[1], tuple(steps)), tmp_path
    )
    assert result.returncode == 0, result.stderr  # nobody is logged in: 401 instead of 404
    assert received == [*(text.encode() for text in texts), raw]
    assert {target for _, target in running.tracker.log} == {"/api/x?a[]=%00&b={}", "/api/../y"}
    assert not (tmp_path / "owned").exists()


def test_users_with_like_names_get_variables_of_their_own() -> None:
    steps = tuple(
        ReproStep(OperationId("GET /"), "GET", "/", actor=actor) for actor in ("a-b", "a_b", "é", "", "a-b")
    )
    assert auth_variables(Reproducer(1, OperationId("GET /"), 500, "", steps)) == {
        "a-b": "LOBREST_AUTH_A_B",
        "a_b": "LOBREST_AUTH_A_B_2",
        "é": "LOBREST_AUTH_USER",
    }
