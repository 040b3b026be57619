from __future__ import annotations

import asyncio

from lobrest.transport.pace import Pace


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def read(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


def moments(pace: Pace, time: Time, count: int) -> list[float]:
    async def run() -> list[float]:
        taken = []
        for _ in range(count):
            await pace.turn()
            taken.append(time.now)
        return taken

    return asyncio.run(run())


def test_without_a_rate_nobody_waits() -> None:
    time = Time()
    assert moments(Pace(None, now=time.read, sleep=time.sleep), time, 100) == [100.0] * 100


def test_a_rate_spreads_turns() -> None:
    time = Time()
    taken = moments(Pace(10, now=time.read, sleep=time.sleep), time, 31)
    assert taken == sorted(taken)
    assert abs(taken[-1] - taken[0] - 3.0) < 1e-6


def test_a_high_rate_may_catch_up_a_tenth_of_a_second_and_no_more() -> None:
    time = Time()
    pace = Pace(1000, now=time.read, sleep=time.sleep)
    moments(pace, time, 1)
    time.now += 60
    resumed = time.now
    taken = moments(pace, time, 200)
    assert 99 <= sum(moment == resumed for moment in taken) <= 100


def test_a_pause_holds_everybody_and_the_longer_one_stands() -> None:
    time = Time()
    pace = Pace(None, now=time.read, sleep=time.sleep)
    pace.pause(5)
    pace.pause(1)
    assert moments(pace, time, 2) == [105.0, 105.0]
