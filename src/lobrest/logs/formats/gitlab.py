"""GitLab's ``api_json.log``: a JSON object a line, query and body merged into ``params``."""

from __future__ import annotations

from collections import Counter
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from lobrest.logs.formats.batch import MOST_HOSTS, Batch, Extra, parse_lines, split_lines
from lobrest.logs.formats.format import Format
from lobrest.logs.formats.json_lines import decode_tolerantly, status_number
from lobrest.logs.formats.record import Actor, Body, FormatOptions, LineError, Record
from lobrest.logs.formats.times import TimeReader, duration, iso_column

_PARAMETERS: Final = int(Body.PARAMETERS)
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
    host: str | None = None
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
            host=held.host or "",
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
            raise LineError("nested too deeply") from None

    def start(self, held: _Line) -> float:
        """When the request began: the line is written at its end."""
        start = self._times.iso(held.time)
        if held.duration_s is not None:
            taken = held.duration_s
            start -= taken if 0.0 <= taken < 3600.0 else duration(taken, 1.0)
        elif held.duration is not None:
            start -= duration(held.duration, 1e-3)
        return start if start > 0.0 else 0.0


def gitlab_batch(options: FormatOptions, data: bytes) -> Batch:
    """A block of lines at once; one by one where a line is no JSON object."""
    try:
        held = msgspec.json.Decoder(_Line).decode_lines(data)
        times = iso_column([line.time for line in held])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return parse_lines(GitLabParser(options), split_lines(data))
    if times is None or len(held) != data.count(b"\n") + (not data.endswith(b"\n")):
        return parse_lines(GitLabParser(options), split_lines(data))
    requests: dict[tuple[str, str], int] = {}
    senders: dict[tuple[object, ...], int] = {}
    number_of, number_of_sender = requests.setdefault, senders.setdefault
    statuses = _statuses(held)
    # What is refused is dropped whatever its parameters were.
    extras = {
        row: Extra(str(line.params, "utf-8", "replace"), _PARAMETERS)
        for row, (line, status) in enumerate(zip(held, statuses, strict=True))
        if not 400 <= status < 500 and line.params != _NO_PARAMETERS
    }
    return Batch(
        starts=np.maximum(times - _durations(held), 0.0),
        statuses=statuses,
        lines=np.arange(len(held)),
        request_ids=[number_of((line.method, line.path), len(requests)) for line in held],
        actor_ids=[
            number_of_sender(
                (line.username, line.remote_ip, line.ua) if line.username else _nameless(line), len(senders)
            )
            for line in held
        ],
        requests=[(method.upper(), path) for method, path in requests],
        actors=[_sender(*key) for key in senders],
        extras=extras,
        body_kind=Body.PARAMETERS,
        lines_read=len(held),
        hosts=_hosts(held),
    )


def _durations(held: list[_Line]) -> NDArray[np.float64]:
    """Seconds that requests took; 0 where that is not known."""
    taken = np.asarray([line.duration_s for line in held], dtype=np.float64)
    for row in np.flatnonzero(np.isnan(taken)).tolist():
        taken[row] = duration(held[row].duration, 1e-3)
    taken[~((taken >= 0) & (taken < 86_400))] = 0.0
    return taken


def _hosts(held: list[_Line]) -> dict[str, int]:
    counts = Counter([line.host for line in held]).most_common(MOST_HOSTS)
    return {host: count for host, count in counts if host}


def _statuses(held: list[_Line]) -> list[int]:
    return [
        status if isinstance(status := line.status, int) and 0 <= status < 1000 else status_number(status)
        for line in held
    ]


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
