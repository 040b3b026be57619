"""Keeps what happened in a campaign: in a SQLite file, in PostgreSQL, or in memory."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Final

from lobrest.errors import StoreError
from lobrest.store.memory import MemoryStore
from lobrest.store.records import CampaignStore, Keep, StoredExchange, StoredSeed, Totals
from lobrest.store.sqlite import open_sqlite

__all__ = [
    "DATABASE_NAME",
    "CampaignStore",
    "Keep",
    "MemoryStore",
    "StoredExchange",
    "StoredSeed",
    "Totals",
    "open_store",
]

DATABASE_NAME: Final = "lobrest.db"


def open_store(
    url_or_path: str | Path, *, create: bool, keep: Keep = Keep.ALL, readonly: bool = False
) -> CampaignStore:
    """The store of one campaign.

    A work folder has it in ``lobrest.db``; a path that ends in ``.db`` is the file itself.
    ``postgresql://…#name`` is a campaign in that database, ``memory:`` one that is kept nowhere.
    With ``create`` there must be none yet, without it there must be one; a folder is made where needed.
    ``readonly`` looks at a campaign that may be running elsewhere.
    Raises ``StoreError`` that says what is wrong and what to do.
    """
    text = str(url_or_path)
    if text == "memory:":
        return MemoryStore(keep)
    if text.startswith(("postgresql://", "postgres://")):
        # Loaded only here: it needs a library that most installations do without.
        postgres = importlib.import_module("lobrest.store.postgres")
        opened: CampaignStore = postgres.open_postgres(text, create=create, keep=keep, readonly=readonly)
        return opened
    path = Path(url_or_path)
    if path.suffix != ".db":
        path = path / DATABASE_NAME
    if create:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"the folder cannot be made: {error.strerror}",
                source=str(path.parent),
                hint="choose another --out",
            ) from error
    return open_sqlite(path, create=create, keep=keep, readonly=readonly)
