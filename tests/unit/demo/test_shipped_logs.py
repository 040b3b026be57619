"""The logs that come with the package: what they promise, and that their script writes them again."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from lobrest.demo import shipped_logs
from lobrest.demo.catalogue import MODULES
from lobrest.demo.company import PEOPLE

SCRIPT = Path(__file__).resolve().parents[3] / "scripts/play_demo_traffic.py"
COMBINED = re.compile(
    r'^[\d.]+ - - \[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d \+0000\] "[A-Z]+ \S+ HTTP/1\.1" \d{3} \d+ "-" "[^"]*"$'
)


def lines(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().splitlines()


@pytest.fixture(scope="module")
def access() -> list[str]:
    return lines(shipped_logs()[0])


@pytest.fixture(scope="module")
def api() -> list[dict]:
    return [json.loads(line) for line in lines(shipped_logs()[1])[1:]]


def play(folder: Path, *arguments: str) -> dict[str, bytes]:
    command = [sys.executable, str(SCRIPT), "--out", str(folder), *arguments]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_both_formats_tell_the_same_traffic(access, api):
    assert 3000 <= len(api) <= 4000
    requests = Counter(f"{line['method']} {line['path']} {line['status']}" for line in api)
    seen = Counter()
    for line in access:
        assert COMBINED.match(line)
        _, request, answer, *_ = line.split('"')
        method, target, _ = request.split(" ")
        seen[f"{method} {target.partition('?')[0]} {answer[1:4]}"] += 1
    assert requests <= seen
    assert sum((seen - requests).values()) > 100  # what other services and scanners left


def test_most_but_not_all_operations_are_in_it(api):
    declared = {
        f"{route.method} /api/:version{route.template.replace('{', ':').replace('}', '')}"
        for module in MODULES
        for route in module.routes
    }
    done = {line["meta.caller_id"] for line in api if line["status"] < 300}
    assert done <= declared
    assert 0.6 <= len(done) / len(declared) <= 0.75


def test_there_are_mistakes_but_no_fault_is_given_away(api):
    statuses = Counter(line["status"] for line in api)
    assert {400, 401, 403, 404, 405, 409, 422} <= set(statuses)
    assert max(statuses) < 500


def test_everybody_is_in_it(api):
    assert {line["username"] for line in api if "username" in line} == {username for username, _ in PEOPLE}


def test_secrets_are_filtered_and_words_are_not(api):
    values = [(param["key"], param["value"]) for line in api for param in line["params"]]
    assert {value for key, value in values if key in ("password", "token")} == {"[FILTERED]"}
    assert any(key == "title" and value != "[FILTERED]" for key, value in values)


def test_path_parameters_stay_in_the_path(api):
    assert not {"id", "issue_iid", "merge_request_iid"} & {p["key"] for line in api for p in line["params"]}
    spellings = {line["path"].split("/")[4] for line in api if line["path"].startswith("/api/v1/projects/")}
    assert any("%2F" in spelling for spelling in spellings)
    assert any(spelling.isdigit() for spelling in spellings)


def test_the_oldest_part_is_gone(api):
    """Many projects in use were created before the log begins."""
    used = {line["path"].split("/")[4] for line in api if line["path"].startswith("/api/v1/projects/")}
    created = sum(
        line["meta.caller_id"] == "POST /api/:version/projects" and line["status"] == 201 for line in api
    )
    assert min(int(number) for number in used if number.isdigit()) == 1
    assert max(int(number) for number in used if number.isdigit() and number != "99999") > created + 10


def test_a_whole_flow_of_two_people_is_in_the_kept_part(api):
    """Some project is created, filled, reviewed by another person, and merged."""
    steps = (
        "/members",
        "/repository/branches",
        "/repository/commits",
        "/merge_requests",
        "/approve",
        "/merge",
    )
    done: dict[str, set[str]] = {}
    for line in api:
        if line["status"] < 300 and line["method"] != "GET" and "meta.project" in line:
            done.setdefault(line["meta.project"], set()).update(s for s in steps if line["path"].endswith(s))
    names = {
        f"{line['username']}/{param['value']}"
        for line in api
        if line["meta.caller_id"] == "POST /api/:version/projects" and line["status"] == 201
        for param in line["params"]
        if param["key"] == "name"
    }
    assert sum(done.get(name) == set(steps) for name in names) >= 5


def test_the_script_writes_the_shipped_logs(tmp_path):
    played = play(tmp_path)
    for path in shipped_logs():
        assert gzip.decompress(played[path.name]) == gzip.decompress(path.read_bytes())


def test_the_seed_decides_every_byte(tmp_path):
    first, second = (play(tmp_path / name, "--days", "1", "--seed", "5") for name in ("first", "second"))
    assert first == second
    assert gzip.decompress(first["api_json.log.gz"]) != gzip.decompress(shipped_logs()[1].read_bytes())
