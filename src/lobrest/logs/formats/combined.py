"""The combined log of nginx and Apache, a block at a time."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from lobrest.logs.formats.batch import MOST_HOSTS, Batch, Numbers, Recall
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
_DIGITS: Final = (0, 7, 9, 12, 15, 18, 22, 24)
"""Where its pairs of digits are."""
_MARKS: Final = tuple(zip((2, 6, 11, 14, 17, 20), b"//::: ", strict=True))

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


def combined_batch(options: FormatOptions, data: bytes, recall: Recall) -> Batch:
    """A block of lines. Where the quotes are tells where everything is; odd lines go one by one."""
    buffer = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(buffer == 10)
    if len(data) and data[-1] != 10:
        ends = np.append(ends, len(data))
    begins = np.concatenate((np.zeros(min(len(ends), 1), np.int64), ends[:-1] + 1))
    quotes = np.flatnonzero(buffer == 34)
    if len(quotes) == 6 * len(ends) and (
        not len(ends) or ((quotes[0::6] >= begins).all() and (quotes[5::6] < ends).all())
    ):
        rows, marks = np.arange(len(ends)), quotes.reshape(-1, 6)
    else:
        first = np.searchsorted(quotes, begins)
        rows = np.flatnonzero(np.searchsorted(quotes, ends) - first >= 6)
        marks = quotes[first[rows][:, None] + np.arange(6)] if len(rows) else np.zeros((0, 6), np.int64)
    fits = (marks[:, 0] - begins[rows] >= 30) & (ends[rows] - marks[:, 1] > 5)
    if b"\\" in data:
        escaped = np.zeros(len(ends) + 1, dtype=bool)
        escaped[np.searchsorted(ends, np.flatnonzero(buffer == 92))] = True
        fits &= ~escaped[rows]
    if not fits.all():
        rows, marks = rows[fits], marks[fits]
    times, good = _times(buffer, marks[:, 0])
    statuses, has_status = _statuses(buffer, marks[:, 1])
    good &= has_status
    if not good.all():
        rows, marks, times, statuses = rows[good], marks[good], times[good], statuses[good]
    batch = Batch(lines_read=len(ends))
    taken = _rows(batch, data, begins[rows], marks, recall)
    if taken.all():
        batch.starts, batch.statuses, batch.lines = times, statuses, rows
    else:
        batch.starts, batch.statuses, batch.lines = times[taken], statuses[taken], rows[taken]
    if len(batch.lines) < len(ends):
        odd = np.ones(len(ends), dtype=bool)
        odd[batch.lines] = False
        _odd_lines(batch, options, data, begins, ends, np.flatnonzero(odd))
    return batch


def _rows(batch: Batch, data: bytes, begins: Places, marks: Places, recall: Recall) -> NDArray[np.bool_]:
    """Requests and senders of regular lines; tells which lines are as they should be."""
    requests, heads, agents = Numbers(), Numbers(), Numbers()
    request_ids = _numbered(requests, data, marks[:, 0] + 1, marks[:, 1])
    head_ids = _numbered(heads, data, begins, marks[:, 0] - 29)
    agent_ids = _numbered(agents, data, marks[:, 4] + 1, marks[:, 5])
    recall.trim()
    readable = np.ones(len(requests), dtype=bool)
    known = recall.requests
    for number, text in enumerate(requests):
        request = known[text] if text in known else known.setdefault(text, _request(text))
        if request is None:
            readable[number] = False
        batch.requests.append(request or ("", ""))
    # The time's bracket is the first of its line.
    plain = np.asarray([b"[" not in head for head in heads], dtype=bool)
    taken = readable[request_ids] & plain[head_ids] if len(request_ids) else np.zeros(0, dtype=bool)
    pairs, actor_ids = _pairs(head_ids, agent_ids, len(agents))
    known_heads, known_agents = list(heads), list(agents)
    sent = [
        sender(known_heads[head].decode("utf-8", "replace"), known_agents[agent].decode("utf-8", "replace"))
        for head, agent in pairs
    ]
    batch.actors = [actor for actor, _ in sent]
    if not taken.all():
        request_ids, actor_ids = request_ids[taken], actor_ids[taken]
    batch.request_ids, batch.actor_ids = request_ids, actor_ids
    _count_hosts(batch, actor_ids, [host for _, host in sent])
    if b"://" in data:
        _count_hosts(
            batch, request_ids, [requested_host(text.decode("utf-8", "replace")) for text in requests]
        )
    return taken


def _numbered(numbers: Numbers, data: bytes, begins: Places, ends: Places) -> NDArray[np.int64]:
    """A number for each stretch of the data, the same for equal ones."""
    stretches = map(data.__getitem__, map(slice, begins.tolist(), ends.tolist()))
    return np.fromiter(map(numbers.__getitem__, stretches), dtype=np.int64, count=len(begins))


def _pairs(
    left: NDArray[np.int64], right: NDArray[np.int64], width: int
) -> tuple[list[tuple[int, int]], NDArray[np.int64]]:
    """The distinct pairs of two columns, and which one each row has."""
    numbers = Numbers()
    joined = np.fromiter(
        map(numbers.__getitem__, (left * width + right).tolist()), dtype=np.int64, count=len(left)
    )
    return [divmod(pair, width) for pair in numbers], joined


def _request(text: bytes) -> tuple[str, str] | None:
    try:
        return request_line(text.decode("utf-8", "replace"))
    except LineError:
        return None


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
    if not len(closing):
        return np.zeros(0, np.int64), np.zeros(0, dtype=bool)
    blank, hundreds, tens, ones, after = _columns(buffer, closing + 1, 5)
    good = (blank == 32) & (after == 32)
    for column in (hundreds, tens, ones):
        column -= np.uint8(48)
        good &= column <= 9
    return hundreds.astype(np.int64) * 100 + tens * np.int64(10) + ones, good


def _columns(buffer: Bytes, begins: Places, width: int) -> Bytes:
    """For each of the next ``width`` bytes a column: cheap to look at for all lines at once."""
    return np.ascontiguousarray(sliding_window_view(buffer, width)[begins].T)


def _times(buffer: Bytes, opening: Places) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Time stamps that end two characters before the request's opening quote."""
    if not len(opening):
        return np.zeros(0), np.zeros(0, dtype=bool)
    held = _columns(buffer, opening - _STAMP - 3, _STAMP + 3)
    good = (held[0] == 91) & (held[-2] == 93) & (held[-1] == 32)
    stamp = held[1:-2]
    for place, mark in _MARKS:
        good &= stamp[place] == mark
    negative = stamp[21] == 45
    good &= negative | (stamp[21] == 43)
    two = []
    for place in _DIGITS:
        tens, ones = stamp[place] - np.uint8(48), stamp[place + 1] - np.uint8(48)
        good &= (tens <= 9) & (ones <= 9)
        two.append(tens * np.uint8(10) + ones)  # what runs over is no digit, so the line is not good
    day, century, year, hour, minute, second, zone_hours, zone_minutes = two
    good &= (hour < 24) & (minute < 60) & (second < 61) & (zone_hours < 24)
    letters = (stamp[3].astype(np.int64) << 16) | (stamp[4].astype(np.int64) << 8) | stamp[5]
    dates = ((letters * 100 + century) * 100 + year) * 100 + day
    # Lines of one day stand together: each stretch of them is looked up once.
    changes = np.flatnonzero(np.concatenate(([True], dates[1:] != dates[:-1])))
    days = dates[changes].tolist()
    midnights = {day: _midnight(day) for day in set(days)}
    midnight = np.repeat([midnights[day] for day in days], np.diff(np.append(changes, len(dates))))
    good &= midnight >= 0
    seconds = hour.astype(np.int32) * 3600 + minute.astype(np.int32) * 60 + second
    offset = zone_hours.astype(np.int32) * 3600 + zone_minutes.astype(np.int32) * 60
    good &= offset < 86_400
    np.negative(offset, out=offset, where=negative)
    return midnight + (seconds - offset), good


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
