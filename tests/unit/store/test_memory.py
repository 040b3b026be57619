"""What memory keeps is tested with the other stores in ``tests/conformance``."""

from __future__ import annotations

from tests.conformance.samples import done

from lobrest.store.memory import MemoryStore


def test_nothing_is_shared_between_two() -> None:
    one, other = MemoryStore(), MemoryStore()
    one.record([done(0.0)])
    assert other.totals().requests == 0


def test_what_is_given_out_can_be_changed_without_harm() -> None:
    store = MemoryStore()
    store.record([done(0.0)])
    dict(store.statuses()).clear()
    assert store.statuses()
