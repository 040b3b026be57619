"""Query strings and JSON bodies to the structs a handler asks for, with short words for what does not fit."""

from __future__ import annotations

import re
from typing import Final, TypeVar
from urllib.parse import parse_qsl

import msgspec

from lobrest.demo.refusal import Refusal, bad_request

T = TypeVar("T", bound=msgspec.Struct)

_MISSING: Final = re.compile(r"missing required field `(?P<field>[^`]+)`")
_PLACE: Final = re.compile(r" - at `\$\.?(?P<place>[^`]*)`$")


def decode_query(text: str, kind: type[T]) -> T:
    """The last of several equal names counts; numbers and booleans are read from their text."""
    values = dict(parse_qsl(text, keep_blank_values=True))
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise bad_request(explain(error)) from error


def decode_body(content: bytes, media_type: str, kind: type[T]) -> T:
    """No content at all is an empty object: a body of optional fields may be left out."""
    if content and media_type != "application/json":
        raise Refusal(415, {"error": f"The provided content-type '{media_type}' is not supported."})
    try:
        return msgspec.json.decode(content or b"{}", type=kind)
    except msgspec.ValidationError as error:
        raise bad_request(explain(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise bad_request("Problem parsing JSON") from error


def explain(error: msgspec.ValidationError) -> str:
    """`title is missing`, `state_event does not have a valid value`, `due_date is invalid`."""
    text = str(error)
    place = _PLACE.search(text)
    field = place["place"] if place else ""
    if missing := _MISSING.search(text):
        return f"{field}.{missing['field']} is missing" if field else f"{missing['field']} is missing"
    if not field:
        return "body is invalid"
    if text.startswith("Invalid enum value"):
        return f"{field} does not have a valid value"
    return f"{field} is invalid"
