"""Where the store of a work folder is: in the folder itself, or in a PostgreSQL that the folder remembers."""

from __future__ import annotations

import json
import re
import secrets
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from lobrest.app.work import STORE, WorkFolder
from lobrest.errors import StoreError, UsageError
from lobrest.store import CampaignStore, Keep, open_store

_VERSION: Final = 1
_SCHEMES: Final = ("postgresql://", "postgres://")
_SECRET: Final = ("password", "sslpassword")
_LONGEST_STEM: Final = 40


def create_campaign_store(folder: WorkFolder, url: str, keep: Keep) -> CampaignStore:
    """A new store for a new campaign: in the folder, or in the database of a URL, which the folder remembers.

    A URL that names no campaign after ``#`` gets a name of its own, so that many fit into one database.
    """
    if not url:
        return open_store(folder.path, create=True, keep=keep)
    if not url.startswith(_SCHEMES):
        raise UsageError(
            "is not the URL of a store", source="--store", hint="write postgresql://host/database"
        )
    address, _, name = url.partition("#")
    if not name:
        stem = re.sub(r"[^a-z0-9]+", "_", folder.path.absolute().name.lower()).strip("_")[:_LONGEST_STEM]
        name = f"{stem or 'campaign'}_{secrets.token_hex(4)}"
    store = open_store(f"{address}#{name}", create=True, keep=keep)
    try:
        remembered = {"version": _VERSION, "store": f"{without_secrets(address)}#{name}"}
        folder.write(STORE, json.dumps(remembered, indent=2) + "\n")
    except StoreError:
        store.close()
        raise
    return store


def open_campaign_store(
    folder: Path, *, readonly: bool, url: str = "", keep: Keep = Keep.ALL
) -> CampaignStore:
    """The store of a campaign that is there. ``url`` is asked for where the remembered one lacks a password."""
    remembered = remembered_store(folder)
    if not remembered:
        if url:
            raise UsageError("the campaign is in its folder, not in PostgreSQL", hint="leave --store away")
        return open_store(folder, create=False, keep=keep, readonly=readonly)
    if url and "#" not in url:
        url = f"{url}#{remembered.partition('#')[2]}"
    return open_store(url or remembered, create=False, keep=keep, readonly=readonly)


def remembered_store(folder: Path) -> str:
    """The URL that the folder remembers; empty where the store is in the folder."""
    place = folder / STORE
    try:
        known = json.loads(place.read_bytes())
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as error:
        raise StoreError("cannot be read", source=str(place), hint="give --store anew") from error
    url = known.get("store") if isinstance(known, dict) else None
    if not isinstance(url, str) or not url.startswith(_SCHEMES):
        raise StoreError("names no store", source=str(place), hint="is it damaged?")
    if known.get("version") != _VERSION:
        raise StoreError("was written by a newer lobrest", source=str(place), hint="update lobrest")
    return url


def without_secrets(url: str) -> str:
    """The URL without a password; libpq finds that in PGPASSWORD or ~/.pgpass."""
    parts = urlsplit(url)
    place = parts.netloc
    user, at, host = place.rpartition("@")
    if at:
        place = f"{quote(unquote(user.partition(':')[0]))}@{host}"
    query = [(name, value) for name, value in parse_qsl(parts.query) if name not in _SECRET]
    # Written by hand: urlunsplit would drop the slashes of a URL without a host.
    return f"{parts.scheme}://{place}{parts.path}" + (f"?{urlencode(query)}" if query else "")
