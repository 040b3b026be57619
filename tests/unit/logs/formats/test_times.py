"""Time stamps."""

from __future__ import annotations

import pytest

from lobrest.logs.formats.record import LineError
from lobrest.logs.formats.times import TimeReader, duration, epoch, iso_column


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("10/Nov/2026:00:25:51 +0000", 1794270351.0),
        ("10/Nov/2026:00:25:52 +0000", 1794270352.0),
        ("10/Nov/2026:02:25:51 +0200", 1794270351.0),
        ("09/Nov/2026:19:55:51 -0430", 1794270351.0),
        ("10/Nov/2026:00:25:51.250", 1794270351.25),
    ],
)
def test_common_log_stamps(text, seconds):
    reader = TimeReader()
    assert reader.clf(text) == seconds
    assert reader.clf(text) == seconds, "a remembered minute gives the same"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2026-11-10T00:25:51Z", 1794270351.0),
        ("2026-11-10T00:25:51.044Z", 1794270351.044),
        ("2026-11-10T00:25:51.044123456Z", 1794270351.044123456),
        ("2026-11-10 02:25:51,5+02:00", 1794270351.5),
        ("2026-11-09T19:25:51-0500", 1794270351.0),
        ("2026-11-10T00:25:51", 1794270351.0),
    ],
)
def test_iso_stamps(text, seconds):
    reader = TimeReader()
    assert reader.iso(text) == pytest.approx(seconds, abs=1e-6)
    assert reader.iso(text) == pytest.approx(seconds, abs=1e-6)


@pytest.mark.parametrize(
    "number", [1794270351.5, 1794270351500, 1794270351500000, 1794270351500000000, "1794270351.5"]
)
def test_numbers_are_told_apart_by_size(number):
    assert TimeReader().any(number) == pytest.approx(1794270351.5, abs=1e-3)


@pytest.mark.parametrize(
    "value",
    [
        "", "yesterday", None, True, [], float("nan"), float("inf"), -5, 10**40, "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z", "31/Foo/2026:00:00:00 +0000", "99/Nov/2026:00:00:00 +0000", "2026-11-10T00:25:51+99:99",
        "0000-00-00T00:00:00Z", "1900-01-01T00:00:00Z",
    ],
)  # fmt: skip
def test_what_is_no_time_is_refused(value):
    with pytest.raises(LineError):
        TimeReader().any(value)


def test_a_remembered_minute_does_not_make_nonsense_good():
    reader = TimeReader()
    reader.iso("2026-11-10T00:25:51Z")
    reader.clf("10/Nov/2026:00:25:51 +0000")
    for text in ("2026-11-10T00:25:xxZ", "2026-11-10T00:25:99Z"):
        with pytest.raises(LineError):
            reader.iso(text)
    with pytest.raises(LineError):
        reader.clf("10/Nov/2026:00:25-51 +0000")


def test_durations_have_units_and_lists_add_up():
    assert duration(250, 1e-3) == 0.25
    assert duration("247ms", 1.0) == 0.247
    assert duration("0.001, 0.120", 1.0) == pytest.approx(0.121)
    assert duration("-", 1.0) == duration(None, 1.0) == duration(True, 1.0) == duration(-3, 1.0) == 0.0
    assert duration(10**9, 1.0) == 0.0, "a counter that ran over"


def test_a_column_equals_its_parts_and_refuses_other_forms():
    texts = ["2026-11-10T00:25:51.044Z", "2026-12-31T23:59:59.999Z", "2024-02-29T00:00:00.000Z"]
    found = iso_column(texts)
    assert found is not None
    assert found.tolist() == pytest.approx([TimeReader().iso(text) for text in texts], abs=1e-6)
    assert iso_column([*texts, "2026-11-10T00:25:51Z"]) is None
    assert iso_column(["2026-11-10T00:25:51.044+"]) is None
    assert iso_column(["2026-13-10T00:25:51.044Z"]) is None
    assert iso_column([]) is not None


def test_epoch_refuses_what_no_clock_shows():
    with pytest.raises(LineError):
        epoch(1e21)
