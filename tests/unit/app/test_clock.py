"""The real clock."""

from __future__ import annotations

import time

import pytest

from lobrest.app.clock import SystemClock, today


def test_it_begins_at_nothing_and_never_goes_back(monkeypatch: pytest.MonkeyPatch):
    moments = iter([100.0, 100.0, 103.5])
    monkeypatch.setattr(time, "monotonic", lambda: next(moments))
    clock = SystemClock()
    assert clock.now() == 0.0
    assert clock.now() == 3.5


@pytest.mark.parametrize("now", [1_700_000_000.0, 1_700_000_003.7, 1_700_006_399.0])
def test_today_is_the_same_all_day(monkeypatch: pytest.MonkeyPatch, now: float):
    monkeypatch.setattr(time, "time", lambda: now)
    assert today() == 1_699_920_000.0
