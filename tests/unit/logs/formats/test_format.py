"""What a format is."""

from __future__ import annotations

from lobrest.logs.formats import FORMATS


def test_every_format_reads_lines_or_documents_and_says_what_it_is():
    for known in FORMATS:
        assert known.title
        assert known.name == known.name.lower()
        assert known.documents is None or known.looks_like is not None, "documents are told by their head"
