"""Durations as people write them."""

from __future__ import annotations

import pytest

from lobrest.app.duration import parse_duration, show_duration
from lobrest.errors import UsageError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30s", 30), ("10m", 600), ("2h", 7200), ("1h30m", 5400), ("500ms", 0.5), ("1.5h", 5400), (" 2 H ", 7200),
     ("1d", 86_400), ("0s", 0)],
)  # fmt: skip
def test_read(text: str, seconds: float):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "10", "m", "5 minutes", "-3s", "10m30", "1h,5m", "1e3s", "٣x", "soon"])
def test_what_is_no_duration_is_said_to_be_none(text: str):
    with pytest.raises(UsageError, match="is not a duration") as error:
        parse_duration(text)
    assert "30s" in str(error.value)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0.0 s"), (4.26, "4.3 s"), (42, "42 s"), (59.7, "1 min"), (570, "9 min 30 s"), (600, "10 min"),
     (3600, "1 h"), (7500, "2 h 5 min")],
)  # fmt: skip
def test_shown(seconds: float, text: str):
    assert show_duration(seconds) == text
