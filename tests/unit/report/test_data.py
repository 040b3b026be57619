from __future__ import annotations

from lobrest.report.data import LogFile, LogReading


def test_totals_are_those_of_the_files() -> None:
    reading = LogReading((LogFile("a", "nginx", 10, 7), LogFile("b", "gitlab", 5, 5)))
    assert (reading.lines, reading.kept) == (15, 12)
    assert LogReading(()).lines == 0
