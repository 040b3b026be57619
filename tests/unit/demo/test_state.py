from __future__ import annotations

from lobrest.demo.company import founded
from lobrest.demo.state import State


def test_numbers_count_up_per_kind():
    state = State()
    assert [state.next_id("a"), state.next_id("a"), state.next_id("b")] == [1, 2, 1]


def test_time_counts_questions():
    state = State()
    assert [state.now(), state.now()] == ["2026-01-05T08:00:01.000Z", "2026-01-05T08:00:02.000Z"]


def test_digests_keep_their_parts_apart():
    state = State()
    assert state.digest("ab", "c") != state.digest("a", "bc")
    assert state.digest("a") == State().digest("a") != State("salt").digest("a")
    assert len(state.digest("a")) == 40


def test_what_is_unknown_is_nobody():
    state = founded()
    assert state.user_named("stranger") is None
    assert state.user_of_secret("") is None
    assert state.project_at("alice/none") is None
