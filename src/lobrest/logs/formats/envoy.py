"""Envoy's and Istio's text access log."""

from __future__ import annotations

import re
from typing import Final

from lobrest.logs.formats.format import Format
from lobrest.logs.formats.json_lines import status_number
from lobrest.logs.formats.record import Actor, FormatOptions, LineError, Record
from lobrest.logs.formats.text import quoted_words, request_line, unescape
from lobrest.logs.formats.times import TimeReader

_HEAD: Final = re.compile(r'(?:ACCESS )?\[([^\]]{19,40})\] "((?:[^"\\]|\\.)*)" (\d{1,3}) ([^"]*)')
_DEFAULT_WORDS = 5
"""Between status and first quoted field: flags, two sizes, two durations.

Istio quotes a reason before the sizes.
"""


class EnvoyParser:
    """The stamp is the start of the request."""

    def __init__(self, _options: FormatOptions) -> None:
        self._times = TimeReader()

    def __call__(self, line: bytes) -> Record | None:
        text = line.decode("utf-8", "replace").strip()
        if not text or text[0] == "#":
            return None
        found = _HEAD.match(text)
        if found is None:
            raise LineError("line does not fit the format")
        stamp, request, status, between = found.groups()
        moment = self._times.iso(stamp)
        method, target = request_line(unescape(request))
        quoted = quoted_words(text, found.end(), most=16)
        if len(between.split()) < _DEFAULT_WORDS:
            # The reason, two sizes and two durations come first.
            quoted = quoted[5:]
        forwarded, agent = ([*quoted, "", ""])[:2]
        actor = Actor(address=_shown(forwarded), agent=_shown(unescape(agent)))
        request_id, authority = ([*quoted, "", "", "", ""])[2:4]
        return Record(
            moment,
            method,
            target,
            status_number(status),
            actor,
            host=_shown(authority),
            request_id=_shown(request_id),
        )


def _shown(text: str) -> str:
    return "" if text == "-" else text


ENVOY: Final = Format("envoy", "Envoy text access log", EnvoyParser, specific=6)
