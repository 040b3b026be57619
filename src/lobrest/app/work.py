"""The work folder: everything a campaign leaves behind."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from lobrest import __version__
from lobrest.errors import StoreError
from lobrest.model.bug import Bug
from lobrest.model.summary import Summary
from lobrest.report.har import har
from lobrest.report.reproduce import reproducer_of
from lobrest.report.scripts import curl_script, python_script
from lobrest.report.summary import summary_to_json

SUMMARY, REPORT, DATABASE, BUGS = "summary.json", "report.html", "lobrest.db", "bugs"
STORE = "store.json"
"""Where everything is, in the place of ``DATABASE``."""


class WorkFolder:
    """One folder a campaign."""

    def __init__(self, path: Path, *, new: bool = False) -> None:
        self.path = path
        self._new = new

    @contextmanager
    def or_nothing(self) -> Iterator[None]:
        """What fails before anything was kept leaves no empty folder behind."""
        try:
            yield
        except BaseException:
            if self._new:
                with suppress(OSError):  # only an empty folder can be removed
                    self.path.rmdir()
            raise

    @classmethod
    def create(cls, wanted: Path | None, *, stem: str) -> WorkFolder:
        """The folder named, which must be new or empty; else the first free ``stem``, ``stem-2`` … here."""
        if wanted is not None:
            return cls._made(wanted)
        number = 1
        while True:
            path = Path(stem if number == 1 else f"{stem}-{number}")
            if not path.exists():
                return cls._made(path)
            number += 1

    @classmethod
    def _made(cls, path: Path) -> WorkFolder:
        new = not path.exists()
        try:
            path.mkdir(parents=True, exist_ok=True)
            if any(path.iterdir()):
                raise StoreError(
                    "the folder is not empty", source=str(path), hint="give --out another folder"
                )
            probe = path / ".lobrest"
            probe.write_bytes(b"")
            probe.unlink()
        except FileExistsError as error:
            raise StoreError(
                "is a file, not a folder", source=str(path), hint="give --out a folder"
            ) from error
        except OSError as error:
            raise StoreError(
                f"cannot be written: {error.strerror}",
                source=str(path),
                hint="give --out a folder you may write",
            ) from error
        return cls(path, new=new)

    @classmethod
    def open(cls, path: Path) -> WorkFolder:
        """An existing work folder."""
        if not any((path / name).is_file() for name in (SUMMARY, DATABASE, STORE)):
            raise StoreError("is no work folder of lobrest", source=str(path), hint="name what --out named")
        return cls(path)

    def write_summary(self, summary: Summary) -> None:
        """``summary.json``, replaced in one move."""
        self.write(SUMMARY, summary_to_json(summary))

    def write_bug(self, bug: Bug, *, origin: str, started: datetime) -> Path:
        """``bugs/N/`` with what a person can run."""
        folder = self.path / BUGS / str(bug.number)
        reproducer = reproducer_of(bug)
        files: dict[str, Callable[[], str]] = {
            "repro.py": lambda: python_script(reproducer),
            "repro.sh": lambda: curl_script(reproducer),
            "exchange.har": lambda: har(
                bug.exchanges, origin=origin, started=started, version=__version__, reproducer=reproducer
            ),
        }
        for name, text in files.items():
            self.write(f"{BUGS}/{bug.number}/{name}", text(), executable=name.startswith("repro"))
        return folder

    def write(self, name: str, text: str, *, executable: bool = False) -> Path:
        """A text file, never half-written."""
        path = self.path / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            beside = path.with_name(path.name + ".new")
            beside.write_text(text, encoding="utf-8", errors="replace")
            if executable:
                beside.chmod(0o755)
            os.replace(beside, path)  # noqa: PTH105 (one atomic move)
        except OSError as error:
            raise StoreError(f"cannot be written: {error.strerror}", source=str(path)) from error
        return path
