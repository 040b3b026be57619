"""GitLab's ``api_json.log``: a JSON object a line, query and body merged into ``params``."""

from __future__ import annotations

from typing import Final

import msgspec

from lobrest.logs.formats.json_lines import decode_tolerantly, status_number
from lobrest.logs.formats.record import Actor, BadLine, Body, Format, FormatOptions, Record
from lobrest.logs.formats.times import TimeReader, duration

_NO_PARAMETERS: Final = msgspec.Raw(b"[]")


class _Line(msgspec.Struct, gc=False):
    time: str
    method: str
    path: str
    status: int | str | None = None
    params: msgspec.Raw = _NO_PARAMETERS
    duration_s: float | None = None
    duration: float | None = None
    """Milliseconds, in lines of old releases."""
    username: str | None = None
    user_id: int | str | None = None
    token_id: int | str | None = None
    remote_ip: str | None = None
    ua: str | None = None
    meta_user: str | None = msgspec.field(default=None, name="meta.user")


class GitLabParser:
    """One parser a block."""

    def __init__(self, _options: FormatOptions) -> None:
        self._decoder = msgspec.json.Decoder(_Line)
        self._times = TimeReader()
        self._actors: dict[tuple[str, str, str], Actor] = {}

    def __call__(self, line: bytes) -> Record | None:
        try:
            held = self._decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            # The logger writes a comment first, "# Logfile created on …".
            stripped = line.strip()
            if not stripped or stripped[0] == 35:
                return None
            held = decode_tolerantly(self._decoder, stripped)
        except RecursionError:
            raise BadLine("nested too deeply") from None
        start = self._times.iso(held.time)
        if held.duration_s is not None:
            start -= duration(held.duration_s, 1.0)
        elif held.duration is not None:
            start -= duration(held.duration, 1e-3)
        # Lines without a user are told apart by where they come from; others need no address.
        name = held.username or held.meta_user or ""
        if not name and held.user_id is not None:
            name = f"user/{held.user_id}"
        token = f"token/{held.token_id}" if not name and held.token_id is not None else ""
        key = (name, held.remote_ip or "", held.ua or "")
        actor = self._actors.get(key) if not token else None
        if actor is None:
            actor = Actor(name=name, token=token, address=key[1], agent=key[2])
            if not token:
                if len(self._actors) > 50_000:
                    self._actors.clear()
                self._actors[key] = actor
        status = held.status
        return Record(
            start if start > 0.0 else 0.0,
            held.method.upper(),
            held.path,
            status if isinstance(status, int) and 0 <= status < 1000 else status_number(status),
            actor,
            str(held.params, "utf-8", "replace") if held.params is not _NO_PARAMETERS else "",
            Body.PARAMETERS,
        )


def _looks_like(line: bytes) -> bool:
    return b'"path":' in line and (
        b'"params":' in line or b'"route":"/api/' in line or b'"correlation_id":' in line
    )


GITLAB: Final = Format("gitlab", "GitLab api_json.log", GitLabParser, specific=9, looks_like=_looks_like)
