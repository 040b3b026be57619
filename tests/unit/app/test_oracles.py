"""What a person wants to be told, and what makes a run fail."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.report.campaign import campaign

from lobrest.app.oracles import broken_headers, fail_on, failing, oracle_names, tally
from lobrest.app.settings import Settings
from lobrest.errors import ConfigError
from lobrest.fuzz.oracles.catalogue import chosen
from lobrest.model.bug import Severity
from lobrest.model.summary import BugResult
from lobrest.transport import read_credentials


def bug(kind="server-error", severity="high"):
    return BugResult(1, "GET /x", 500, "m", 1.0, True, 1, kind, severity)


def test_the_command_line_wins_over_the_file_and_the_file_over_the_defaults():
    settings = Settings(values={"oracles": {"slow": True, "leaks": False, "fail_on": "medium"}})
    assert oracle_names((), settings) == (chosen(()) | {"slow"}) - {"leaks"}
    assert oracle_names(("+leaks,-slow",), settings) == chosen(())
    assert fail_on(None, settings) is Severity.MEDIUM
    assert fail_on(Severity.INFO, settings) is Severity.INFO
    assert fail_on(None, Settings()) is Severity.LOW


@pytest.mark.parametrize("table", [{"leak": True}, {"leaks": "yes"}, {"fail_on": "always"}])
def test_what_is_wrong_in_the_file_is_told(table):
    settings = Settings(values={"oracles": table})
    with pytest.raises(ConfigError):
        oracle_names((), settings)
        fail_on(None, settings)


def test_what_is_merely_worth_knowing_does_not_fail_a_run():
    base = replace(campaign().summary, bugs=(bug("undeclared-status", "info"),), extra={})
    assert failing(base) == []
    assert len(failing(replace(base, extra={"fail_on": "info"}))) == 1
    worse = replace(base, bugs=(bug("slow", "low"), bug()))
    assert len(failing(worse)) == 2
    assert len(failing(replace(worse, extra={"fail_on": "high"}))) == 1
    assert len(failing(replace(worse, extra={"fail_on": "nonsense"}))) == 2
    assert len(failing(replace(base, bugs=(bug("new", "unheard of"),)))) == 1


def test_failures_are_counted_apart_from_the_rest():
    assert tally([bug(), bug("takes-service-down")]) == "2 bugs"
    assert tally([bug(), bug("slow"), bug("leaks"), bug("slow")]) == (
        "1 bugs and 3 other findings (slow 2, leaks 1)"
    )


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("Authorization: Bearer s3cret", "Bearer lobrest-invalid"),
        ("Private-Token: s3cret", "lobrest-invalid"),
        ("Cookie: session=s3cret; a=b", "session=lobrest-invalid"),
        ("ann:s3cret", "Basic bG9icmVzdC1pbnZhbGlkOmxvYnJlc3QtaW52YWxpZA=="),
    ],
)
def test_broken_credentials_look_like_the_real_ones_and_hold_nothing_of_them(given, wanted):
    (header,) = broken_headers(read_credentials([given], environment={}))
    assert header[1] == wanted
    assert broken_headers(read_credentials([], environment={})) == ()
