from __future__ import annotations

from lobrest.store.memory import MemoryStore
from lobrest.store.records import CampaignStore, Keep, Totals


def test_the_names_of_keep_are_those_of_the_command_line() -> None:
    assert [keep.value for keep in Keep] == ["all", "interesting", "bugs"]


def test_a_store_is_what_the_protocol_says() -> None:
    store: CampaignStore = MemoryStore()
    assert store.totals() == Totals()
