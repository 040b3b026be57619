"""``summary.json``: a campaign's result for scripts."""

from __future__ import annotations

import msgspec

from lobrest.errors import InputError
from lobrest.model.summary import Summary


def summary_to_json(summary: Summary) -> str:
    """The text of ``summary.json``: fields in the order of the type, equal summaries give equal text."""
    return msgspec.json.format(msgspec.json.encode(summary, order="deterministic"), indent=2).decode() + "\n"


def summary_from_json(text: str | bytes, *, source: str = "summary.json") -> Summary:
    """The summary that was written; fields that this version does not know are left out."""
    try:
        return msgspec.json.decode(text, type=Summary)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"not a lobrest summary: {error}", source=source, hint="was it written by lobrest run?"
        ) from error
