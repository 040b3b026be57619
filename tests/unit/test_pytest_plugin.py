"""Mined flows as cases of pytest."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.export import shop

pytest_plugins = ["pytester"]
PLUGIN = ("-p", "lobrest.pytest_plugin", "-p", "no:cacheprovider")


@pytest.fixture
def inputs(pytester: pytest.Pytester) -> tuple[Path, Path]:
    return shop.written(pytester.path)


def options(inputs: tuple[Path, Path], url: str) -> list[str]:
    auth = [f"--lobrest-auth={user}" for user in shop.USERS]
    return ["--lobrest-spec", str(inputs[0]), "--lobrest-log", str(inputs[1]), "--lobrest-target", url, *auth]


def test_every_flow_is_a_case(pytester: pytest.Pytester, inputs: tuple[Path, Path]):
    pytester.makepyfile("def test_own(): pass")
    with shop.running(first_id=70) as url:
        result = pytester.runpytest_inprocess(*PLUGIN, "-v", *options(inputs, url))
    passed = result.parseoutcomes()["passed"]
    assert passed > 2
    result.stdout.fnmatch_lines(["*::POST /projects/{id}/issues/{issue_iid}/close (access:1) PASSED*"])
    assert result.ret == 0


def test_a_failure_shows_the_steps(pytester: pytest.Pytester, inputs: tuple[Path, Path]):
    with shop.running(first_id=70, fault=True) as url:
        result = pytester.runpytest_inprocess(*PLUGIN, *options(inputs, url))
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "*: not replayed",
            "  1. POST /projects as ann → 201*",
            "! 5. POST /projects/{id}/issues/{issue_iid}/close as ann → 500  boom*",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_cases_can_be_chosen(pytester: pytest.Pytester, inputs: tuple[Path, Path]):
    with shop.running(first_id=70, fault=True) as url:
        result = pytester.runpytest_inprocess(
            *PLUGIN, "-m", "lobrest", "-k", "not close", *options(inputs, url)
        )
        result.assert_outcomes(
            passed=result.parseoutcomes()["passed"], deselected=result.parseoutcomes()["deselected"]
        )
        limited = pytester.runpytest_inprocess(*PLUGIN, "--lobrest-limit", "1", *options(inputs, url))
    assert sum(limited.parseoutcomes().values()) == 1


def test_settings(pytester: pytest.Pytester, inputs: tuple[Path, Path]):
    with shop.running(first_id=70) as url:
        lines = "\n    ".join(shop.USERS)
        pytester.makeini(
            f"[pytest]\nlobrest_spec = openapi.json\nlobrest_logs =\n    access.log\n"
            f"lobrest_target = {url}\nlobrest_auth =\n    {lines}\n"
        )
        used = pytester.runpytest_inprocess(*PLUGIN, "--lobrest")
        unused = pytester.runpytest_inprocess(*PLUGIN)
    assert used.ret == 0
    assert used.parseoutcomes()["passed"] > 1
    assert unused.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_without_options_it_does_nothing_and_imports_nothing(pytester: pytest.Pytester):
    pytester.makepyfile(
        """
        import sys

        def test_own():
            assert not {"lobrest.api", "numpy", "aiohttp", "lobrest.app"} & set(sys.modules)
        """
    )
    result = pytester.runpytest_subprocess(*PLUGIN)
    result.assert_outcomes(passed=1)


def test_wrong_use_is_told_in_one_line(pytester: pytest.Pytester, inputs: tuple[Path, Path]):
    result = pytester.runpytest_inprocess(*PLUGIN, "--lobrest-spec", str(inputs[0]))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--lobrest-target*is needed*"])
    result = pytester.runpytest_inprocess(
        *PLUGIN, "--lobrest-spec", "missing.json", "--lobrest-target", "http://127.0.0.1:9"
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    dead = pytester.runpytest_inprocess(*PLUGIN, *options(inputs, "http://127.0.0.1:9"))
    assert dead.ret == 1
    dead.stdout.fnmatch_lines(["*no answer*"])
