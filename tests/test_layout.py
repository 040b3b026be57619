"""Where things are: tests/unit mirrors src/lobrest, the public surface is pinned, every command is documented."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

import lobrest
from lobrest.cli import app

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "lobrest"
UNIT = ROOT / "tests" / "unit"

WITHOUT_A_TEST_OF_THEIR_OWN = {
    "__init__.py": "the names of the library; pinned below, used in tests/unit/test_api.py",
    "__main__.py": "run by tests/unit/cli/test_init.py",
    "errors.py": "raised and read in every test of a failure",
    "ports.py": "protocols without code",
    "demo/__main__.py": "run by tests/unit/demo/test_process.py",
    "fuzz/context.py": "a record without code",
    "model/corpus.py": "a record without code",
    "model/event.py": "records without code",
    "model/summary.py": "records without code; filled in tests/unit/app/test_summarise.py",
}
"""Files with no test file, each with the reason."""

ABOUT_SEVERAL_FILES = {
    "demo/test_shipped_logs.py": "the logs that are shipped",
    "export/test_on_demo.py": "exports, on the demo",
    "export/test_on_fresh_instances.py": "exports, run by their own tools",
    "report/test_reproduce_on_demo.py": "reproducers, on a service with faults",
}
"""Test files with no source file, each with the reason."""


def sources() -> list[str]:
    found = (file.relative_to(SOURCE) for file in SOURCE.rglob("*.py"))
    return sorted(str(file) for file in found if file.name != "__init__.py" or len(file.parts) == 1)


def test_file(source: str) -> Path:
    path = Path(source)
    return UNIT / path.parent / f"test_{path.name}"


test_file.__test__ = False  # type: ignore[attr-defined]


@pytest.mark.parametrize("source", [one for one in sources() if one not in WITHOUT_A_TEST_OF_THEIR_OWN])
def test_every_source_file_has_its_test_file(source: str):
    assert test_file(source).is_file(), f"write {test_file(source).relative_to(ROOT)}"


def test_every_test_file_belongs_to_a_source_file():
    strays = []
    for file in UNIT.rglob("test_*.py"):
        inside = file.relative_to(UNIT)
        name = "__init__.py" if file.name == "test_init.py" else file.name.removeprefix("test_")
        if not (SOURCE / inside.parent / name).is_file():
            strays.append(str(inside))
    assert sorted(strays) == sorted(ABOUT_SEVERAL_FILES)


def test_exceptions_are_still_exceptions():
    missing = [one for one in WITHOUT_A_TEST_OF_THEIR_OWN if not (SOURCE / one).is_file()]
    tested = [one for one in WITHOUT_A_TEST_OF_THEIR_OWN if test_file(one).is_file()]
    assert (missing, tested) == ([], [])


def test_the_public_surface_is_pinned():
    assert lobrest.__all__ == [
        "Bug", "Campaign", "CampaignResult", "FlowResult", "LobrestError", "Mined", "PlayedStep", "Seed", "Slice",
        "Summary", "__version__", "complete", "load_spec", "mine", "read_logs", "replay", "run",
    ]  # fmt: skip
    assert lobrest.__version__.count(".") == 2


@pytest.mark.parametrize("name", sorted(typer.main.get_command(app).commands))  # type: ignore[attr-defined]
def test_every_command_is_named_in_the_documentation(name: str):
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    shown = [page.read_text(encoding="utf-8") for page in pages]
    assert any(f"lobrest {name}" in text or f"make {name}" in text for text in shown)


def test_no_file_names_this_machine():
    """Paths of the machine something was written on do not belong into the repository."""
    own = [str(ROOT), str(Path.home() / ".")]
    found = [
        str(file.relative_to(ROOT))
        for folder in ("src", "tests", "docs", "scripts", "benchmarks")
        for file in (ROOT / folder).rglob("*")
        if file.suffix in (".py", ".md", ".toml", ".sh", ".json", ".j2")
        and any(place in file.read_text(encoding="utf-8", errors="replace") for place in own)
    ]
    assert found == []
