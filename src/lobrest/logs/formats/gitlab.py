"""GitLab's ``api_json.log``: a JSON object a line, query and body merged into ``params``."""

from __future__ import annotations

from typing import Final

import msgspec

from lobrest.logs.formats.batch import Batch, Extra, split_lines
from lobrest.logs.formats.format import Format
from lobrest.logs.formats.json_lines import decode_tolerantly, status_number
from lobrest.logs.formats.record import Actor, BadLine, Body, FormatOptions, Record
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
    """One line at a time."""

    def __init__(self, _options: FormatOptions) -> None:
        self._decoder = msgspec.json.Decoder(_Line)
        self._times = TimeReader()

    def __call__(self, line: bytes) -> Record | None:
        held = self.decode(line)
        if held is None:
            return None
        return Record(
            self.start(held),
            held.method.upper(),
            held.path,
            status_number(held.status),
            _sender(*_sender_key(held)),
            _text(held.params),
            Body.PARAMETERS,
        )

    def decode(self, line: bytes) -> _Line | None:
        """The fields that count; None for the logger's comment, "# Logfile created on …"."""
        try:
            return self._decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            stripped = line.strip()
            if not stripped or stripped[0] == 35:
                return None
            held: _Line = decode_tolerantly(self._decoder, stripped)
            return held
        except RecursionError:
            raise BadLine("nested too deeply") from None

    def start(self, held: _Line) -> float:
        """When the request began: the line is written at its end."""
        start = self._times.iso(held.time)
        if held.duration_s is not None:
            taken = held.duration_s
            start -= taken if 0.0 <= taken < 3600.0 else duration(taken, 1.0)
        elif held.duration is not None:
            start -= duration(held.duration, 1e-3)
        return start if start > 0.0 else 0.0


def gitlab_batch(options: FormatOptions, data: bytes, first_line: int) -> Batch:
    """A block of lines: neighbours share requests and senders."""
    parser = GitLabParser(options)
    lines = split_lines(data)
    batch = Batch(lines_read=len(lines), body_kind=Body.PARAMETERS)
    requests: dict[tuple[str, str], int] = {}
    senders: dict[tuple[object, ...], int] = {}
    starts, statuses, numbers = batch.starts.append, batch.statuses.append, batch.lines.append
    request_ids, actor_ids = batch.request_ids.append, batch.actor_ids.append
    decode, start = parser.decode, parser.start
    row = 0
    for number, line in enumerate(lines, first_line):
        try:
            held = decode(line)
            if held is None:
                batch.not_requests += 1
                continue
            moment = start(held)
        except BadLine as bad:
            batch.bad.append((number, str(bad)))
            continue
        status = held.status
        starts(moment)
        statuses(status if status.__class__ is int and 0 <= status < 1000 else status_number(status))  # type: ignore[operator]
        numbers(number)
        request_ids(requests.setdefault((held.method, held.path), len(requests)))
        actor_ids(senders.setdefault(_sender_key(held), len(senders)))
        if len(memoryview(held.params)) > 2:
            batch.extras[row] = Extra(_text(held.params), Body.PARAMETERS)
        row += 1
    batch.requests = [(method.upper(), path) for method, path in requests]
    batch.actors = [_sender(*key) for key in senders]
    return batch


def _text(params: msgspec.Raw) -> str:
    return str(params, "utf-8", "replace")


def _sender_key(held: _Line) -> tuple[object, ...]:
    return held.username, held.meta_user, held.user_id, held.token_id, held.remote_ip, held.ua


def _sender(
    username: object, meta_user: object, user_id: object, token_id: object, remote_ip: object, agent: object
) -> Actor:
    name = str(username or meta_user or "")
    if not name and user_id is not None:
        name = f"user/{user_id}"
    token = f"token/{token_id}" if not name and token_id is not None else ""
    return Actor(name=name, token=token, address=str(remote_ip or ""), agent=str(agent or ""))


def _looks_like(line: bytes) -> bool:
    return b'"path":' in line and (
        b'"params":' in line or b'"route":"/api/' in line or b'"correlation_id":' in line
    )


GITLAB: Final = Format(
    "gitlab", "GitLab api_json.log", GitLabParser, batch=gitlab_batch, specific=9, looks_like=_looks_like
)
