"""The combined log of nginx and Apache, a block at a time."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lobrest.logs.formats.batch import MOST_HOSTS, Batch
from lobrest.logs.formats.format import Format
from lobrest.logs.formats.json_lines import status_number
from lobrest.logs.formats.record import Actor, FormatOptions, LineError, Record, url_host
from lobrest.logs.formats.text import request_line, unescape
from lobrest.logs.formats.times import TimeReader

_SLOW: Final = re.compile(
    r"(?P<head>[^\[]*)\[(?P<clf>[^\]]+)\] \"(?P<request>(?:[^\"\\]|\\.)*)\" "
    r"(?P<status>\d{3}|-)(?: (?:\d+|-))?"
    r"(?: (?:\"(?P<referer>(?:[^\"\\]|\\.)*)\"|-)(?: \"(?P<agent>(?:[^\"\\]|\\.)*)\")?)?"
)
_ODD_FIELDS: Final = re.compile(
    r"(?P<head>[^\[]*)\[(?P<clf>[^\]]+)\] \"(?P<request>[^\"\\]*)\" "
    r"(?P<status>\d{3}) [^\"\\]*\"(?P<referer>[^\"\\]*)\"[^\"\\]*\"(?P<agent>[^\"\\]*)\""
)
"""Whatever stands between the quoted fields."""
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_STAMP: Final = 26
"""Length of ``10/Nov/2026:00:25:51 +0000``."""
_DIGITS: Final = np.asarray([0, 1, 7, 8, 9, 10, 12, 13, 15, 16, 18, 19, 22, 23, 24, 25])
_MARKS: Final = np.asarray([2, 6, 11, 14, 17, 20])
_MARK_BYTES: Final = np.frombuffer(b"//::: ", dtype=np.uint8)

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]


class CombinedParser:
    """One line at a time.

    Takes lines with more fields at the end, a virtual host or an address list in front, and lines without
    referer and agent: Apache's common and combined logs are written the same way.
    """

    def __init__(self, _options: FormatOptions) -> None:
        self._times = TimeReader()

    def __call__(self, line: bytes) -> Record | None:
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if not text.strip() or text[0] == "#":
            return None
        found = _SLOW.match(text)
        if found is None or found["agent"] is None:
            found = _ODD_FIELDS.match(text) or found
        if found is None:
            raise LineError("line does not fit the format")
        held = {name: unescape(value or "") for name, value in found.groupdict().items()}
        moment = self._times.clf(held["clf"])
        method, target = request_line(held["request"])
        status = status_number(held["status"])
        actor, host = sender(held["head"], held["agent"])
        return Record(moment, method, target, status, actor, host=host or requested_host(held["request"]))


def sender(head: str, agent: str) -> tuple[Actor, str]:
    """From ``[vhost] address[, address…] ident user``: who, and the virtual host.

    nginx always writes ``-`` as ident; the user's name may have blanks.
    """
    places, dash, user = head.partition(" - ")
    words = places.split()
    if not dash and len(words) > 2:
        words, user = words[:-2], words[-1]
    # A virtual host stands in front; of an address list every part but the last ends in a comma.
    host = ""
    while len(words) > 1 and not words[0].endswith(","):
        host, words = host or words[0], words[1:]
    user = user.strip()
    actor = Actor(
        name="" if user in ("-", '""') else user,
        address=" ".join(words),
        agent="" if agent == "-" else agent,
    )
    return actor, host


def requested_host(request: str) -> str:
    """The host of a request line that has a whole URL."""
    return url_host(request.partition(" ")[2]) if "://" in request else ""


def combined_batch(options: FormatOptions, data: bytes) -> Batch:
    """A block of lines. Where the quotes are tells where everything is; odd lines go one by one."""
    buffer = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(buffer == 10)
    if len(data) and data[-1] != 10:
        ends = np.append(ends, len(data))
    begins = np.concatenate((np.zeros(min(len(ends), 1), np.int64), ends[:-1] + 1))
    quotes = np.flatnonzero(buffer == 34)
    first = np.searchsorted(quotes, begins)
    regular = np.searchsorted(quotes, ends) - first >= 6
    escaped = np.flatnonzero(buffer == 92)
    if len(escaped):
        regular[np.searchsorted(ends, escaped)] = False
    rows = np.flatnonzero(regular)
    marks = quotes[first[rows][:, None] + np.arange(6)] if len(rows) else np.zeros((0, 6), np.int64)
    fits = (marks[:, 0] - begins[rows] >= 30) & (ends[rows] - marks[:, 1] > 5)
    rows, marks = rows[fits], marks[fits]
    brackets = np.append(np.flatnonzero(buffer == 91), len(data))
    alone = brackets[np.searchsorted(brackets, begins[rows])] == marks[:, 0] - 29  # the time's is the first
    rows, marks = rows[alone], marks[alone]
    times, good = _times(buffer, marks[:, 0])
    statuses, has_status = _statuses(buffer, marks[:, 1])
    good &= has_status
    rows, marks, times, statuses = rows[good], marks[good], times[good], statuses[good]
    batch = Batch(lines_read=len(ends))
    taken = _rows(batch, data, begins[rows], marks)
    batch.starts = times[taken]
    batch.statuses = statuses[taken]
    batch.lines = rows[taken]
    odd = np.ones(len(ends), dtype=bool)
    odd[rows] = False
    if odd.any() or not taken.all():
        odd[rows[~taken]] = True
        _odd_lines(batch, options, data, begins, ends, np.flatnonzero(odd))
    return batch


def _rows(batch: Batch, data: bytes, begins: Places, marks: Places) -> NDArray[np.bool_]:
    """Requests and senders of regular lines; tells which lines have a request that can be read."""
    requests: dict[bytes, int] = {}
    number_of = requests.setdefault
    request_ids = [
        number_of(data[begin:end], len(requests))
        for begin, end in zip((marks[:, 0] + 1).tolist(), marks[:, 1].tolist(), strict=True)
    ]
    senders: dict[tuple[bytes, bytes], int] = {}
    number_of_sender = senders.setdefault
    actor_ids = [
        number_of_sender((data[begin:end], data[from_:to]), len(senders))
        for begin, end, from_, to in zip(
            begins.tolist(),
            (marks[:, 0] - 29).tolist(),
            (marks[:, 4] + 1).tolist(),
            marks[:, 5].tolist(),
            strict=True,
        )
    ]
    readable = np.zeros(len(requests), dtype=bool)
    for text, number in requests.items():
        try:
            batch.requests.append(request_line(text.decode("utf-8", "replace")))
        except LineError:
            batch.requests.append(("", ""))
            continue
        readable[number] = True
    sent = [
        sender(head.decode("utf-8", "replace"), agent.decode("utf-8", "replace")) for head, agent in senders
    ]
    batch.actors = [actor for actor, _ in sent]
    batch.request_ids = np.asarray(request_ids, dtype=np.int64)
    batch.actor_ids = np.asarray(actor_ids, dtype=np.int64)
    taken = readable[batch.request_ids]
    if not taken.all():
        batch.request_ids, batch.actor_ids = batch.request_ids[taken], batch.actor_ids[taken]
    _count_hosts(batch, batch.actor_ids, [host for _, host in sent])
    _count_hosts(
        batch, batch.request_ids, [requested_host(text.decode("utf-8", "replace")) for text in requests]
    )
    return taken


def _count_hosts(batch: Batch, numbers: NDArray[np.int64], hosts: list[str]) -> None:
    if any(hosts):
        for host, count in zip(hosts, np.bincount(numbers, minlength=len(hosts)).tolist(), strict=True):
            if host and count and (host in batch.hosts or len(batch.hosts) < MOST_HOSTS):
                batch.hosts[host] = batch.hosts.get(host, 0) + count


def _odd_lines(
    batch: Batch,
    options: FormatOptions,
    data: bytes,
    begins: Places,
    ends: Places,
    odd: Places,
) -> None:
    """Lines that do not split cleanly, one by one; afterwards all rows are in the order of the lines
    again.
    """
    parse = CombinedParser(options)
    requests = {request: number for number, request in enumerate(batch.requests)}
    actors = {actor: number for number, actor in enumerate(batch.actors)}
    starts: list[float] = []
    numbers: list[tuple[int, int, int, int]] = []
    for number in odd.tolist():
        try:
            record = parse(data[begins[number] : ends[number]])
        except LineError as bad:
            batch.bad.append((number, str(bad)))
            continue
        if record is None:
            batch.not_requests += 1
            continue
        request = (record.method, record.target)
        if request not in requests:
            requests[request] = len(batch.requests)
            batch.requests.append(request)
        if record.actor not in actors:
            actors[record.actor] = len(batch.actors)
            batch.actors.append(record.actor)
        if record.host and (record.host in batch.hosts or len(batch.hosts) < MOST_HOSTS):
            batch.hosts[record.host] = batch.hosts.get(record.host, 0) + 1
        starts.append(record.start)
        numbers.append((record.status, number, requests[request], actors[record.actor]))
    if not starts:
        return
    columns = np.asarray(numbers, dtype=np.int64).T
    lines = np.concatenate((batch.lines, columns[1]))
    order = np.argsort(lines, kind="stable")
    batch.lines = lines[order]
    batch.starts = np.concatenate((batch.starts, starts))[order]
    batch.statuses = np.concatenate((batch.statuses, columns[0]))[order]
    batch.request_ids = np.concatenate((batch.request_ids, columns[2]))[order]
    batch.actor_ids = np.concatenate((batch.actor_ids, columns[3]))[order]


def _statuses(buffer: Bytes, closing: Places) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The three digits after the request's closing quote."""
    held = buffer[closing[:, None] + np.arange(1, 6)].astype(np.int64)
    digits = held[:, 1:4] - 48
    good = (held[:, 0] == 32) & (held[:, 4] == 32) & ((digits >= 0) & (digits <= 9)).all(axis=1)
    return digits @ np.asarray([100, 10, 1]), good


def _times(buffer: Bytes, opening: Places) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Time stamps that end two characters before the request's opening quote."""
    stamp = buffer[(opening - _STAMP - 2)[:, None] + np.arange(_STAMP)]
    digits = stamp[:, _DIGITS].astype(np.int64) - 48
    good = ((digits >= 0) & (digits <= 9)).all(axis=1) & (stamp[:, _MARKS] == _MARK_BYTES).all(axis=1)
    good &= (buffer[opening - _STAMP - 3] == 91) & (buffer[opening - 2] == 93) & (buffer[opening - 1] == 32)
    sign = stamp[:, 21]
    good &= (sign == 43) | (sign == 45)
    two = digits[:, 0::2] * 10 + digits[:, 1::2]
    day, year = two[:, 0], two[:, 1] * 100 + two[:, 2]
    hour, minute, second = two[:, 3], two[:, 4], two[:, 5]
    good &= (hour < 24) & (minute < 60) & (second < 61) & (two[:, 6] < 24)
    letters = stamp[:, 3:6].astype(np.int64)
    dates = ((letters[:, 0] << 16 | letters[:, 1] << 8 | letters[:, 2]) * 10_000 + year) * 100 + day
    midnight = np.zeros(len(dates), dtype=np.float64)
    distinct, which = np.unique(dates, return_inverse=True)
    known = np.asarray([_midnight(int(date)) for date in distinct], dtype=np.float64)
    if len(distinct):
        midnight = known[which]
        good &= midnight >= 0
    offset = (two[:, 6] * 3600 + two[:, 7] * 60) * np.where(sign == 45, -1, 1)
    return midnight + hour * 3600 + minute * 60 + second - offset, good


def _midnight(date: int) -> float:
    """When a day began in UTC; negative where there is no such day."""
    letters, rest = divmod(date, 1_000_000)
    year, day = divmod(rest, 100)
    name = bytes((letters >> 16 & 255, letters >> 8 & 255, letters & 255)).decode("latin-1")
    if name not in _MONTHS:
        return -1.0
    try:
        return datetime(year, _MONTHS.index(name) + 1, day, tzinfo=UTC).timestamp()
    except ValueError:
        return -1.0


COMBINED: Final = Format(
    "combined", "combined or common log (nginx, Apache)", CombinedParser, batch=combined_batch, specific=2
)
