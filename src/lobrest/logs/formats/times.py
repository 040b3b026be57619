"""Time stamps of logs to seconds since the epoch."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
from numpy.typing import NDArray

from lobrest.logs.formats.record import LineError

_MONTHS = {
    name: number
    for number, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), start=1
    )
}
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?\s*(Z|z|UTC|[+-]\d\d:?(?:\d\d)?)?$", re.ASCII
)
_CLF = re.compile(
    r"(\d{1,2})/([A-Z][a-z]{2})/(\d{4}):(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?: ([+-]\d{4}))?$", re.ASCII
)
_COMMA_DECIMAL = re.compile(r"\d+,\d+(?:[a-zµ]+)?", re.ASCII)
_LATEST = 253402300800.0
"""The year 10000."""
_CACHE_LIMIT = 20_000
_ISO_DIGITS = (0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18)


class TimeReader:
    """Reads time stamps; remembers minutes it has seen, since neighbours share them."""

    def __init__(self) -> None:
        self._minutes: dict[str, float] = {}

    def clf(self, text: str) -> float:
        """``10/Nov/2026:00:25:51 +0000``; milliseconds after a dot and a missing zone are fine."""
        if len(text) == 26:
            minute = self._minutes.get(text[:17] + text[20:])
            if minute is not None:
                seconds = text[18:20]
                if seconds.isdigit() and seconds < "60" and text[17] == ":":
                    return minute + int(seconds)
        found = _CLF.match(text)
        if found is None:
            raise LineError("time not understood")
        day, month, year, hour, minutes, seconds, fraction, zone = found.groups()
        if month not in _MONTHS:
            raise LineError("time not understood")
        base = _moment(int(year), _MONTHS[month], int(day), int(hour), int(minutes), _zone(zone or "Z"))
        if len(text) == 26:
            self._remember(text[:17] + text[20:], base)
        return base + _second(seconds) + _fraction(fraction)

    def iso(self, text: str) -> float:
        """``2026-11-10T00:25:51.044Z``; any fraction, any offset, none means UTC."""
        if len(text) > 19 and text[-1] == "Z":
            minute = self._minutes.get(text[:17])
            if minute is not None:
                try:
                    seconds = float(text[17:-1].replace(",", "."))
                except ValueError:
                    raise LineError("time not understood") from None
                if 0.0 <= seconds < 61.0:
                    return minute + seconds
        found = _ISO.match(text)
        if found is None:
            raise LineError("time not understood")
        year, month, day, hour, minutes, second, fraction, zone = found.groups()
        base = _moment(int(year), int(month), int(day), int(hour), int(minutes), _zone(zone or "Z"))
        if text[-1] == "Z":
            self._remember(text[:17], base)
        return base + _second(second) + _fraction(fraction)

    def any(self, value: object) -> float:
        """A number of seconds, milli-, micro- or nanoseconds, or a text in one of the known forms."""
        if isinstance(value, bool):
            raise LineError("time not understood")
        if isinstance(value, int | float):
            return epoch(float(value)) if abs(value) < 1e30 else epoch(math.inf)
        if not isinstance(value, str) or not value:
            raise LineError("no time")
        if "T" in value[:11] or value[4:5] == "-":
            return self.iso(value)
        if value[2:3] == "/" or value[1:2] == "/":
            return self.clf(value.strip("[]"))
        if value.startswith("["):
            return self.any(value[1:].rstrip("]"))
        try:
            return epoch(float(value))
        except ValueError:
            raise LineError("time not understood") from None

    def _remember(self, key: str, base: float) -> None:
        if len(self._minutes) >= _CACHE_LIMIT:
            self._minutes.clear()
        self._minutes[key] = base


def iso_column(texts: list[str]) -> NDArray[np.float64] | None:
    """Many of ``2026-11-10T00:25:51.044Z``, all of one length; None where one is of another form."""
    if not texts:
        return np.zeros(0)
    length = len(texts[0])
    joined = "".join(texts)
    if length < 20 or length > 40 or len(joined) != length * len(texts) or not joined.isascii():
        return None
    stamps = np.frombuffer(joined.encode(), dtype=np.uint8).reshape(len(texts), length)
    marks = stamps[:, [4, 7, 10, 13, 16, length - 1]]
    digits = stamps[:, [*_ISO_DIGITS, *range(20, length - 1)]].astype(np.int64) - 48
    if (marks != np.frombuffer(b"--T::Z", dtype=np.uint8)).any() or ((digits < 0) | (digits > 9)).any():
        return None
    if length > 20 and (stamps[:, 19] != 46).any():
        return None
    two = digits[:, :14:2] * 10 + digits[:, 1:14:2]
    days = ((two[:, 0] * 100 + two[:, 1]) * 100 + two[:, 2]) * 100 + two[:, 3]
    # Lines of one day stand together.
    changes = np.flatnonzero(np.concatenate(([True], days[1:] != days[:-1])))
    begun = days[changes].tolist()
    hour, minute, second = two[:, 4], two[:, 5], two[:, 6]
    if (hour > 23).any() or (minute > 59).any() or (second > 60).any():
        return None
    try:
        known = {day: _moment(day // 10_000, day // 100 % 100, day % 100, 0, 0, UTC) for day in set(begun)}
    except LineError:
        return None
    midnights = np.repeat([known[day] for day in begun], np.diff(np.append(changes, len(days))))
    fraction = digits[:, 14:] @ (10.0 ** -np.arange(1, digits.shape[1] - 13))
    moments: NDArray[np.float64] = midnights + (hour * 3600 + minute * 60 + second) + fraction
    return moments


def epoch(number: float) -> float:
    """Seconds from seconds, milli-, micro- or nanoseconds since the epoch, told apart by size."""
    if not math.isfinite(number) or number < 0:
        raise LineError("time out of range")
    for limit, divisor in ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (1e20, 1e9)):
        if number < limit:
            return number / divisor
    raise LineError("time out of range")


def duration(value: object, unit: float) -> float:
    """Seconds a request took: a number in ``unit`` seconds, or a text such as ``2ms``; 0 where unknown."""
    if isinstance(value, bool) or value is None:
        return 0.0
    if isinstance(value, int | float):
        seconds = float(value) * unit if abs(value) < 1e30 else 0.0
    elif isinstance(value, str):
        seconds = _duration_text(value, unit)
    else:
        return 0.0
    # A request of more than a day is a counter that ran over, not a request.
    return seconds if math.isfinite(seconds) and 0.0 <= seconds < 86_400.0 else 0.0


def _duration_text(text: str, unit: float) -> float:
    # Retries make lists such as "0.001, 0.120": the request took as long as all of them.
    total = 0.0
    if _COMMA_DECIMAL.fullmatch(text):
        text = text.replace(",", ".")
    for part in text.replace(":", ",").split(","):
        number = part.strip()
        scale = unit
        for suffix, seconds in (("ms", 1e-3), ("us", 1e-6), ("µs", 1e-6), ("ns", 1e-9), ("s", 1.0)):
            if number.endswith(suffix):
                number, scale = number[: -len(suffix)], seconds
                break
        try:
            total += float(number) * scale
        except ValueError:
            continue
    return total


def _moment(year: int, month: int, day: int, hour: int, minute: int, zone: timezone) -> float:
    try:
        seconds = datetime(year, month, day, hour, minute, tzinfo=zone).timestamp()
    except (ValueError, OverflowError):
        raise LineError("time out of range") from None
    if not 0 <= seconds < _LATEST:
        raise LineError("time out of range")
    return seconds


def _zone(text: str) -> timezone:
    if text in ("Z", "z", "UTC"):
        return UTC
    digits = text[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:4] or 0)
    if minutes >= 24 * 60:
        raise LineError("time out of range")
    return timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))


def _second(text: str) -> int:
    if text > "60":
        raise LineError("time out of range")
    return int(text)


def _fraction(digits: str | None) -> float:
    return float(f"0.{digits[:9]}") if digits else 0.0
