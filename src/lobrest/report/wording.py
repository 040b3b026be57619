"""How names, numbers and times are written for people. Hostile text becomes text that can be seen."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from typing import Final

from lobrest.model.bug import BugKind

KINDS: Final = {
    BugKind.SERVER_ERROR: "The service fails to handle a request",
    BugKind.OUTAGE: "A request takes the service down",
    BugKind.SCHEMA: "An answer does not match its declared schema",
    BugKind.UNDECLARED_STATUS: "An answer has a status that is not declared",
    BugKind.UNDECLARED_MEDIA: "An answer has a media type that is not declared",
    BugKind.DELETED_ANSWERS: "A deleted thing still answers",
    BugKind.CREATED_MISSING: "A created thing does not answer",
    BugKind.WRONG_PARENT: "A thing is reached through something that it is not in",
    BugKind.FOREIGN_READ: "A user reads what belongs to somebody else",
    BugKind.FOREIGN_CHANGE: "A user changes what belongs to somebody else",
    BugKind.NO_CREDENTIALS: "A request works without credentials",
    BugKind.BROKEN_CREDENTIALS: "A request works with credentials that are none",
    BugKind.SECRET: "An answer shows a secret",
    BugKind.INTERNALS: "An answer shows internals of the service",
    BugKind.INVALID_ACCEPTED: "A request that the specification forbids is taken",
    BugKind.REGRESSION: "What the log shows as working is refused",
    BugKind.SLOW: "Answers are far slower than in the log",
}
"""What each kind of finding is, in one line."""
_KEPT_CONTROLS = frozenset("\n\t")
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})


def visible(text: str, limit: int = 4000) -> str:
    """At most ``limit`` characters, with everything that has no look of its own written out.

    Marks that turn the direction of writing would make a text read as another one.
    """
    if len(text) <= limit and text.isprintable():  # nothing hidden in it: most texts, and much quicker
        return text
    shown = "".join(
        letter
        if letter in _KEPT_CONTROLS or unicodedata.category(letter) not in _HIDDEN_CATEGORIES
        else f"\\u{ord(letter):04x}"
        for letter in text[:limit]
    )
    left = len(text) - limit
    return f"{shown} … ({number(left)} more characters)" if left > 0 else shown


def one_line(text: str, limit: int = 160) -> str:
    """The text on one line."""
    flat = " ".join(text[: limit * 4].split())
    shown = visible(flat[:limit], limit)
    return shown + "…" if len(flat) > limit or len(text) > limit * 4 else shown


def happening(kind: str, status: int) -> str:
    """What a request does that it should not, as it stands after the operation: ``answers 500``."""
    if kind not in (BugKind.SERVER_ERROR, BugKind.OUTAGE):
        return f"[{kind}]"
    if kind == BugKind.OUTAGE:
        return "takes the service down"
    return f"answers {status}" if status else "gets no answer"


def number(value: float) -> str:
    """``18240`` as ``18,240``; what is not whole gets one decimal."""
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 100 else f"{value:,.1f}"


def count(value: int, singular: str, plural: str = "") -> str:
    """``1 bug``, ``2 bugs``, ``no bugs``."""
    many = plural or f"{singular}s"
    return f"{number(value) if value else 'no'} {singular if value == 1 else many}"


def percent(part: float, whole: float) -> int:
    """A share in whole percent; 100 only when it is all, 0 only when it is nothing."""
    if whole <= 0 or part <= 0:
        return 0
    return 100 if part >= whole else min(99, max(1, round(100 * part / whole)))


def duration(seconds: float) -> str:
    """``340 ms``, ``4.2 s``, ``1 min 5 s``, ``2 h 3 min``."""
    if seconds <= 0:
        return "0 s"
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s".replace(".0 s", " s")
    whole = round(seconds)
    if whole < 3600:
        minutes, rest = divmod(whole, 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, rest = divmod(whole, 3600)
    return f"{hours} h {rest // 60} min" if rest >= 60 else f"{hours} h"


def clock(at: float) -> str:
    """The time of day of a moment."""
    return datetime.fromtimestamp(at, UTC).strftime("%H:%M")


def day(at: float) -> str:
    """The date of a moment."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")


def split_operation(op: str) -> tuple[str, str]:
    """Method and path template."""
    method, _, path = op.partition(" ")
    return method, path


def path_tail(path: str, width: int) -> str:
    """The end of a path that fits, from a slash on: ``…/{iid}/approve``."""
    if len(path) <= width:
        return path
    parts = path.split("/")
    for start in range(1, len(parts)):
        tail = "…/" + "/".join(parts[start:])
        if len(tail) <= width:
            return tail
    return "…" + path[-(width - 1) :]


def status_class(status: int | str) -> str:
    """``2xx``, ``4xx`` …, or ``none`` where there was no answer."""
    first = str(status)[:1]
    return f"{first}xx" if first in "12345" and first != "0" and str(status) != "" else "none"
