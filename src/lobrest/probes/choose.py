"""``--coverage`` to a probe."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from lobrest.errors import UsageError
from lobrest.ports import CoverageProbe
from lobrest.probes.command import CommandProbe
from lobrest.probes.go import GoProbe
from lobrest.probes.jacoco import JacocoProbe
from lobrest.probes.python import PythonFileProbe, UrlProbe

_FORMS: Final = "go:DIR, coverage.py:FILE, coverage.py:URL, jacoco:HOST:PORT or command:COMMAND"


def open_probe(written: str) -> CoverageProbe:
    """The probe that ``--coverage`` names. Raises ``UsageError`` for anything else; nothing is asked yet."""
    kind, _, rest = written.partition(":")
    if rest:
        match kind:
            case "go":
                return GoProbe(Path(rest))
            case "coverage.py" if rest.startswith(("http://", "https://")):
                return UrlProbe(rest)
            case "coverage.py":
                return PythonFileProbe(Path(rest))
            case "jacoco":
                return JacocoProbe(*_address(rest, written))
            case "command":
                return CommandProbe(rest)
    raise UsageError(f"{written!r} is no source of line coverage", hint=f"write {_FORMS}")


def _address(text: str, written: str) -> tuple[str, int]:
    try:
        parts = urlsplit(f"//{text}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port:
        raise UsageError(f"{written!r} names no host and port", hint="write jacoco:127.0.0.1:6300")
    return host, port
