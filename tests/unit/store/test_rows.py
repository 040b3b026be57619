from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conformance.samples import bug, done, seed

from lobrest.store.rows import (
    LONGEST_INLINE,
    body_of,
    body_row,
    bug_row,
    clean,
    digest_of,
    exchange_of,
    exchange_row,
    headers_of,
    headers_text,
    seed_row,
)

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()))


@given(ANY_TEXT)
def test_clean_text_is_what_every_database_keeps(text: str) -> None:
    kept = clean(text)
    assert "\0" not in kept
    assert kept.encode("utf-8").decode("utf-8") == kept
    assert clean(kept) == kept


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_ordinary_text_stays(text: str) -> None:
    assert clean(text) == text


@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT)).map(tuple))
def test_headers_come_back_exactly(headers: tuple[tuple[str, str], ...]) -> None:
    assert headers_of(headers_text(headers)) == headers


@given(st.binary(max_size=3000))
def test_bodies_come_back(body: bytes) -> None:
    digest, packed, content = body_row(digest_of(body), body)
    assert digest == digest_of(body)
    assert body_of(packed, content) == body


def test_long_bodies_are_packed_where_it_pays() -> None:
    assert body_row(b"", b"a" * 5000)[1] == 1
    assert body_row(b"", b"a" * 10)[1] == 0


@pytest.mark.parametrize("size", [0, LONGEST_INLINE, LONGEST_INLINE + 1])
def test_long_bodies_are_shared_and_short_ones_stand_in_the_row(size: int) -> None:
    bodies: dict[bytes, bytes] = {}
    event = done(1.0, body=b"a" * size, sent=b"a" * size)
    row = exchange_row(7, event, bodies)
    assert len(bodies) == (1 if size > LONGEST_INLINE else 0)
    stored = exchange_of(row, bodies)
    assert (stored.id, stored.exchange) == (7, event.exchange)


def test_rows_begin_with_their_keys() -> None:
    assert bug_row(bug(4))[:3] == (4, bug(4).key.operation, 500)
    assert seed_row(3, 1.5, seed("a"), "new")[:4] == ("a", 3, 1.5, "new")
