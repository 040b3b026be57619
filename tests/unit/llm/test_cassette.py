"""Answers kept on disk."""

from __future__ import annotations

from pathlib import Path

from lobrest.llm import Cassette


def test_what_was_kept_is_found(tmp_path: Path) -> None:
    cassette = Cassette(tmp_path / "deep" / "folder")
    key = cassette.key("m", "prompt", {"type": "object"})
    assert cassette.find(key) is None
    cassette.keep(key, {"answers": [1]})
    assert cassette.find(key) == {"answers": [1]}
    assert not list(tmp_path.rglob("*.part"))


def test_the_key_depends_on_all_that_was_asked() -> None:
    cassette = Cassette(Path("unused"))
    keys = {
        cassette.key("m", "p", {"a": 1}),
        cassette.key("n", "p", {"a": 1}),
        cassette.key("m", "q", {"a": 1}),
        cassette.key("m", "p", {"a": 2}),
    }
    assert len(keys) == 4
    assert cassette.key("m", "p", {"a": 1, "b": 2}) == cassette.key("m", "p", {"b": 2, "a": 1})


def test_a_damaged_file_counts_as_none(tmp_path: Path) -> None:
    cassette = Cassette(tmp_path)
    key = cassette.key("m", "p", {})
    cassette.keep(key, [1])
    (file,) = tmp_path.rglob("*.json")
    for damage in (b"", b"{", b"[]", b"\xff"):
        file.write_bytes(damage)
        assert cassette.find(key) is None


def test_a_folder_that_cannot_be_written_is_no_reason_to_stop(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    cassette = Cassette(blocked)
    cassette.keep(cassette.key("m", "p", {}), [1])
    assert cassette.find(cassette.key("m", "p", {})) is None
