"""A campaign may be killed at any moment: what it announced is there."""

from __future__ import annotations

import random
from pathlib import Path

from tests.conformance.killing import kill_and_look


def test_sqlite_survives_being_killed(tmp_path: Path) -> None:
    assert kill_and_look(str(tmp_path), kills=4, chance=random.Random(1)) > 0


def test_postgresql_survives_being_killed(postgresql_place: str) -> None:
    assert kill_and_look(postgresql_place, kills=2, chance=random.Random(2)) > 0
