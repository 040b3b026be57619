"""A real PostgreSQL for the suite, where one is installed."""

from __future__ import annotations

import pytest


@pytest.fixture
def postgresql_place() -> str:
    """The place of a store in PostgreSQL."""
    pytest.skip("PostgreSQL is not supported yet")
