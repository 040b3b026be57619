"""A real PostgreSQL for the suite, where one is installed."""

from __future__ import annotations

import importlib.util
import uuid
from collections.abc import Iterator

import pytest
from tests.conformance.postgresql import Server, binaries, postgresql_server


@pytest.fixture(scope="package")
def postgresql() -> Iterator[Server]:
    """A server that lives as long as the tests of this folder."""
    folder = binaries()
    if folder is None:
        pytest.skip("PostgreSQL is not installed (Debian: postgresql)")
    if importlib.util.find_spec("psycopg") is None:
        pytest.skip("psycopg is not installed (pip install 'lobrest[postgres]')")
    with postgresql_server(folder) as server:
        yield server


@pytest.fixture
def postgresql_place(postgresql: Server) -> str:
    """A place for one store that no other test uses."""
    return f'{postgresql.url}#campaign {uuid.uuid4().hex[:12]} "%s" é'
