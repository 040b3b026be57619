"""GitLab's ``api_json.log``: a JSON object a line, query and body merged into ``params``."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from lobrest.logs.formats.batch import (
    MOST_HOSTS,
    Batch,
    Extra,
    Numbers,
    Recall,
    line_count,
    pieces,
    split_lines,
)
from lobrest.logs.formats.format import Format
from lobrest.logs.formats.json_lines import decode_tolerantly, status_number
from lobrest.logs.formats.record import Actor, Body, FormatOptions, LineError, Record
from lobrest.logs.formats.times import TimeReader, duration, iso_column

_PARAMETERS: Final = int(Body.PARAMETERS)
_NONE: Final = b"[]"
_NO_PARAMETERS: Final = msgspec.Raw(_NONE)


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
    host: str | None = None
    meta_user: str | None = msgspec.field(default=None, name="meta.user")


class GitLabParser:
    """One line at a time."""

    def __init__(self, _options: FormatOptions) -> None:
        self.decoder = msgspec.json.Decoder(_Line)
        self.times = TimeReader()

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
            host=held.host or "",
        )

    def decode(self, line: bytes) -> _Line | None:
        """The fields that count; None for the logger's comment, "# Logfile created on …"."""
        try:
            return self.decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            stripped = line.strip()
            if not stripped or stripped[0] == 35:
                return None
            held: _Line = decode_tolerantly(self.decoder, stripped)
            return held
        except RecursionError:
            raise LineError("nested too deeply") from None

    @staticmethod
    def duration(held: _Line) -> float:
        """Seconds that a request took."""
        if held.duration_s is not None:
            return duration(held.duration_s, 1.0)
        return duration(held.duration, 1e-3)

    def start(self, held: _Line) -> float:
        """When the request began: the line is written at its end."""
        return max(self.times.iso(held.time) - self.duration(held), 0.0)


def gitlab_batch(options: FormatOptions, data: bytes, _recall: Recall) -> Batch:
    """A block of lines, many at once; one by one where one of them is no JSON object."""
    parser = GitLabParser(options)
    batch = Batch(body_kind=Body.PARAMETERS)
    requests, senders = Numbers(), Numbers()
    texts: list[str] = []
    taken: list[float | None] = []
    lines: list[int] = []
    statuses: list[int | str | None] = []
    request_ids: list[int] = []
    actor_ids: list[int] = []
    hosts: Counter[str | None] = Counter()
    for piece in pieces(data):
        held, numbers, count = _together(parser, piece) or _one_by_one(parser, piece, batch)
        lines += range(batch.lines_read, batch.lines_read + count) if numbers is None else numbers
        batch.lines_read += count
        texts += [line.time for line in held]
        taken += [line.duration_s if line.duration is None else parser.duration(line) for line in held]
        statuses += [line.status for line in held]
        request_ids += [requests[line.method, line.path, bytes(line.params)] for line in held]
        actor_ids += [
            senders[line.username, line.remote_ip, line.ua] if line.username else senders[_nameless(line)]
            for line in held
        ]
        hosts.update([line.host for line in held])
    batch.lines, batch.request_ids, batch.actor_ids = lines, request_ids, actor_ids
    batch.statuses = _statuses(statuses)
    batch.starts = _starts(parser, batch, texts, taken)
    batch.requests = [(method.upper(), path) for method, path, _ in requests]
    batch.actors = [_sender(*key) for key in senders]
    batch.extras = {
        number: Extra(str(params, "utf-8", "replace"), _PARAMETERS)
        for number, (_, _, params) in enumerate(requests)
        if params != _NONE
    }
    batch.hosts = {host: count for host, count in hosts.most_common(MOST_HOSTS) if host}
    return batch


_Held = tuple[list[_Line], list[int] | None, int]
"""Lines that could be read, which lines they are (None: all of them), and how many lines there were."""


def _together(parser: GitLabParser, data: bytes) -> _Held | None:
    """All lines at once; None where one of them is odd."""
    try:
        held = parser.decoder.decode_lines(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    count = line_count(data)
    return (held, None, count) if len(held) == count else None


def _one_by_one(parser: GitLabParser, data: bytes, batch: Batch) -> _Held:
    held: list[_Line] = []
    numbers: list[int] = []
    lines = split_lines(data)
    for number, line in enumerate(lines, start=batch.lines_read):
        try:
            one = parser.decode(line)
        except LineError as bad:
            batch.bad.append((number, str(bad)))
            continue
        if one is None:
            batch.not_requests += 1
            continue
        held.append(one)
        numbers.append(number)
    return held, numbers, len(lines)


def _starts(
    parser: GitLabParser, batch: Batch, texts: list[str], taken: list[float | None]
) -> NDArray[np.float64]:
    """When the requests began; rows whose time is not understood are taken out."""
    times = iso_column(texts)
    durations = np.asarray(taken, dtype=np.float64)
    durations[~((durations >= 0) & (durations < 86_400))] = 0.0
    if times is None:
        times = np.zeros(len(texts))
        good = np.ones(len(texts), dtype=bool)
        for row, text in enumerate(texts):
            try:
                times[row] = parser.times.iso(text)
            except LineError as bad:
                batch.bad.append((batch.lines[row], str(bad)))
                good[row] = False
        if not good.all():
            batch.bad.sort()
            times, durations = times[good], durations[good]
            batch.lines = np.asarray(batch.lines)[good]
            batch.statuses = np.asarray(batch.statuses)[good]
            batch.request_ids = np.asarray(batch.request_ids)[good]
            batch.actor_ids = np.asarray(batch.actor_ids)[good]
    return np.maximum(times - durations, 0.0)


def _statuses(held: list[Any]) -> list[int]:
    if held and set(map(type, held)) == {int} and min(held) >= 0 and max(held) < 1000:
        return held
    return [status_number(status) for status in held]


def _text(params: msgspec.Raw) -> str:
    return str(params, "utf-8", "replace")


def _sender_key(held: _Line) -> tuple[object, ...]:
    return (held.username, held.remote_ip, held.ua) if held.username else _nameless(held)


def _nameless(held: _Line) -> tuple[object, ...]:
    return held.meta_user, held.remote_ip, held.ua, held.user_id, held.token_id


def _sender(
    username: object, remote_ip: object, agent: object, user_id: object = None, token_id: object = None
) -> Actor:
    name = str(username or "")
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
