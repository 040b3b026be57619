from __future__ import annotations

import pytest

from lobrest.model.bug import BugKind
from lobrest.report.wording import (
    KINDS,
    clock,
    count,
    day,
    duration,
    happening,
    number,
    one_line,
    path_tail,
    percent,
    split_operation,
    status_class,
    visible,
)


def test_marks_without_a_look_are_written_out() -> None:
    assert visible("a\u202eb\x00c\x1b[2J\ud800") == "a\\u202eb\\u0000c\\u001b[2J\\ud800"
    assert visible("tab\tline\näöü😀") == "tab\tline\näöü😀"


def test_long_text_says_how_much_is_missing() -> None:
    assert visible("x" * 5003, 3) == "xxx … (5,000 more characters)"
    assert visible("xxx", 3) == "xxx"


def test_one_line() -> None:
    assert one_line(" a\n  b\tc ") == "a b c"
    assert one_line("abcdef", 3) == "abc…"
    assert one_line("x" * 1_000_000, 5) == "xxxxx…"


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (18240, "18,240"), (2.5, "2.5"), (304.2, "304"), (3.0, "3"), (0.04, "0.0")]
)
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text


def test_counts() -> None:
    assert [count(n, "bug") for n in (0, 1, 2)] == ["no bugs", "1 bug", "2 bugs"]
    assert count(2, "entry", "entries") == "2 entries"


@pytest.mark.parametrize(
    ("part", "whole", "share"),
    [(0, 10, 0), (1, 1000, 1), (999, 1000, 99), (10, 10, 100), (1, 0, 0), (1, 2, 50), (12, 10, 100)],
)
def test_percent_is_whole_only_at_the_ends(part: float, whole: float, share: int) -> None:
    assert percent(part, whole) == share


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (0.34, "340 ms"), (0.9999, "1 s"), (4.2, "4.2 s"), (59.96, "1 min"), (65, "1 min 5 s"),
     (3600, "1 h"), (7384, "2 h 3 min"), (3599.7, "1 h")],
)  # fmt: skip
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_times_are_utc() -> None:
    assert (day(0.0), clock(3661.0)) == ("1970-01-01", "01:01")


def test_tails_of_paths() -> None:
    assert path_tail("/a/b", 10) == "/a/b"
    assert path_tail("/projects/{id}/issues", 14) == "…/{id}/issues"
    assert path_tail("/averyveryverylongsegment", 10) == "…ngsegment"
    assert split_operation("GET /a b") == ("GET", "/a b")
    assert split_operation("odd") == ("odd", "")


@pytest.mark.parametrize(
    ("status", "name"), [(200, "2xx"), ("404", "4xx"), (0, "none"), ("", "none"), ("x", "none"), (599, "5xx")]
)
def test_classes_of_statuses(status: int | str, name: str) -> None:
    assert status_class(status) == name


def test_every_kind_of_finding_has_its_words() -> None:
    assert set(KINDS) == set(BugKind)
    assert happening("server-error", 500) == "answers 500"
    assert happening("server-error", 0) == "gets no answer"
    assert happening("takes-service-down", 0) == "takes the service down"
    assert happening("wrong-parent", 200) == "[wrong-parent]"
