"""Apache: any ``LogFormat``."""

from __future__ import annotations

import re
from typing import Final

from lobrest.errors import ConfigError
from lobrest.logs.formats.combined import CombinedParser
from lobrest.logs.formats.format import Format
from lobrest.logs.formats.record import FormatOptions, Parser
from lobrest.logs.formats.text import Piece, TextShape, template_parser

_DIRECTIVE: Final = re.compile(r"%[<>!,\d]*(?:\{([^}]*)\})?(\^?[a-zA-Z]{1,2}|%)")
_ROLES: Final = {
    "h": "address",
    "a": "address",
    "u": "user",
    "r": "request",
    "m": "method",
    "U": "path",
    "q": "query",
    "s": "status",
    "v": "host",
    "V": "host",
}
_HEADERS: Final = {
    "user-agent": "agent", "authorization": "token", "cookie": "cookie", "x-forwarded-for": "address",
    "sudo": "acting_as",
    "content-type": "media_type", "x-user": "user", "x-user-id": "user", "private-token": "token",
    "x-api-key": "token", "host": "host", "x-request-id": "request_id",
}  # fmt: skip
_NICKNAMES: Final = {
    "common": '%h %l %u %t "%r" %>s %b',
    "combined": '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"',
    "vhost_combined": '%v:%p %h %l %u %t "%r" %>s %O "%{Referer}i" "%{User-Agent}i"',
}


def compile_format(text: str) -> TextShape:
    """Pieces of a ``LogFormat``, given as the directive or the bare format."""
    text = _unquoted(text)
    text = _NICKNAMES.get(text, text)
    pieces: list[Piece] = []
    position = 0
    unit = 1.0
    for found in _DIRECTIVE.finditer(text):
        if found.start() > position:
            pieces.append(Piece(text[position : found.start()]))
        position = found.end()
        argument, letter = found.group(1), found.group(2)
        if letter == "%":
            pieces.append(Piece("%"))
            continue
        if letter == "t" and not argument:
            pieces += [Piece("["), Piece("", "clf", is_field=True), Piece("]")]
            continue
        role = _role(letter, argument)
        if role == "duration":
            unit = {"D": 1e-6, "T": {"ms": 1e-3, "us": 1e-6}.get(argument or "", 1.0)}[letter]
        pieces.append(Piece("", role, is_field=True))
    if position < len(text):
        pieces.append(Piece(text[position:]))
    if not any(piece.is_field for piece in pieces):
        raise ConfigError("the log format has no %directives")
    # Apache stamps a line with the time at which the request came in.
    return TextShape(tuple(_joined(pieces)), duration_unit=unit, time_is_start=True)


def _role(letter: str, argument: str | None) -> str:
    if letter == "i":
        return _HEADERS.get((argument or "").lower(), "")
    if letter == "o":
        return "location" if (argument or "").lower() == "location" else ""
    if letter == "t":
        return "epoch" if argument in ("sec", "msec", "usec") else "iso" if "T" in (argument or "") else ""
    if letter in ("D", "T"):
        return "duration"
    return _ROLES.get(letter, "")


def _unquoted(text: str) -> str:
    text = text.strip()
    found = re.match(r'(?i)LogFormat\s+"((?:[^"\\]|\\.)*)"', text)
    return found.group(1).replace('\\"', '"') if found else text.replace('\\"', '"')


def _joined(pieces: list[Piece]) -> list[Piece]:
    """Neighbouring literals as one."""
    joined: list[Piece] = []
    for piece in pieces:
        if joined and not piece.is_field and not joined[-1].is_field:
            joined[-1] = Piece(joined[-1].literal + piece.literal)
        else:
            joined.append(piece)
    return joined


def _by_format(options: FormatOptions) -> Parser:
    return template_parser(compile_format(options.template)) if options.template else CombinedParser(options)


APACHE: Final = Format(
    "apache", "Apache with its LogFormat; combined or common when none is given", _by_format, specific=4
)
