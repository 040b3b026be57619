"""docs/reference/commands.md says what the commands say."""

from __future__ import annotations

from scripts.write_commands import PAGE, page


def test_the_page_is_current():
    assert PAGE.read_text(encoding="utf-8") == page(), "run python scripts/write_commands.py"
