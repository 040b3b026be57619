"""Durations as people write them: ``30s``, ``10m``, ``2h``."""

from __future__ import annotations

import re

from lobrest.errors import UsageError

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")


def parse_duration(text: str) -> float:
    """Seconds; raises ``UsageError`` for anything that is not a duration."""
    compact = text.strip().lower().replace(" ", "")
    found = _PART.findall(compact)
    if not found or "".join(number + unit for number, unit in found) != compact:
        raise UsageError(f"{text!r} is not a duration", hint="write 30s, 10m, 2h or 1h30m")
    return sum(float(number) * _UNITS[unit] for number, unit in found)


def show_duration(seconds: float) -> str:
    """A duration for people: ``42 s``, ``9 min 30 s``, ``2 h 5 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"
