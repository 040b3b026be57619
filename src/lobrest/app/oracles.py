"""Which oracles a person wants, what they are told about credentials, and which findings make a run fail."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Final

from lobrest.app.baseline import known_numbers
from lobrest.app.settings import Settings
from lobrest.errors import ConfigError
from lobrest.fuzz.oracles.catalogue import chosen
from lobrest.model.bug import BugKind, Severity
from lobrest.model.exchange import Headers
from lobrest.model.summary import BugResult, Summary
from lobrest.report.reproduce import NO_CREDENTIAL
from lobrest.transport import Credentials

DEFAULT_FAIL_ON: Final = Severity.LOW
"""Everything but what is merely worth knowing."""
_FAIL_ON: Final = "fail_on"


def oracle_names(wishes: Sequence[str], settings: Settings) -> frozenset[str]:
    """The oracles that are on: the defaults, then ``[oracles]`` of the settings, then the command line."""
    table = settings.table("oracles")
    source = str(settings.path) if settings.path is not None else ""
    written = []
    for name, value in table.items():
        if name == _FAIL_ON:
            continue
        if not isinstance(value, bool):
            raise ConfigError(f"[oracles] {name} must be true or false", source=source)
        written.append(f"{'+' if value else '-'}{name}")
    chosen(written, source=source)  # a wrong name in the file is told with the file's
    return chosen([*written, *wishes])


def fail_on(wish: Severity | None, settings: Settings) -> Severity:
    """The least severity that makes the exit status 1."""
    written = settings.table("oracles").get(_FAIL_ON, DEFAULT_FAIL_ON.value)
    if written not in {one.value for one in Severity}:
        raise ConfigError(
            f"[oracles] {_FAIL_ON} is none of {', '.join(one.value for one in Severity)}",
            source=str(settings.path),
        )
    return wish if wish is not None else Severity(written)


def failing(summary: Summary) -> list[BugResult]:
    """Findings that make a run fail: of the severity that the run was told, or above, and not known before."""
    told = summary.extra.get(_FAIL_ON, DEFAULT_FAIL_ON.value)
    least = Severity(told) if told in {one.value for one in Severity} else DEFAULT_FAIL_ON
    known = known_numbers(summary)
    return [one for one in summary.bugs if _rank(one) >= least.rank and one.n not in known]


def _rank(bug: BugResult) -> int:
    """A severity that this version does not know counts."""
    return (
        Severity(bug.severity).rank if bug.severity in {one.value for one in Severity} else Severity.HIGH.rank
    )


def broken_headers(credentials: Credentials) -> Headers:
    """Headers of the form that the service's users send, with nothing valid in them."""
    for user in credentials:
        if user.headers:
            return tuple((name, _broken(name, value)) for name, value in user.headers)
    return (("Authorization", f"Bearer {NO_CREDENTIAL}"),) if len(credentials) else ()


def tally(bugs: Sequence[BugResult]) -> str:
    """``3 bugs``, or ``3 bugs and 7 findings (response-schema 4, slow 3)``."""
    failures = [one for one in bugs if one.kind in (BugKind.SERVER_ERROR, BugKind.OUTAGE)]
    counts: dict[str, int] = {}
    for one in bugs:
        if one.kind not in (BugKind.SERVER_ERROR, BugKind.OUTAGE):
            counts[one.kind] = counts.get(one.kind, 0) + 1
    text = f"{len(failures)} bugs"
    if not counts:
        return text
    listed = ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items(), key=lambda one: -one[1]))
    return f"{text} and {sum(counts.values())} other findings ({listed})"


def _broken(name: str, value: str) -> str:
    scheme, space, _ = value.strip().partition(" ")
    if name.lower() == "cookie":
        first = value.partition("=")[0].strip()
        return f"{first}={NO_CREDENTIAL}"
    if scheme.lower() == "basic" and space:
        return f"{scheme} {base64.b64encode(f'{NO_CREDENTIAL}:{NO_CREDENTIAL}'.encode()).decode()}"
    return f"{scheme} {NO_CREDENTIAL}" if space else NO_CREDENTIAL
