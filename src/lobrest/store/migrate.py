"""The version of a database, and the numbered steps from one to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files

from lobrest.errors import StoreError
from lobrest.store.database import Database, Transaction


@dataclass(frozen=True, slots=True)
class Migration:
    """The step to a version, as SQL statements."""

    version: int
    statements: tuple[str, ...]


def migrations() -> tuple[Migration, ...]:
    """All steps that come with this version of lobrest, first first."""
    found = []
    for file in files("lobrest.store").joinpath("schema").iterdir():
        number, _, rest = file.name.partition("_")
        if rest.endswith(".sql"):
            lines = [line for line in file.read_text("utf-8").splitlines() if not line.startswith("--")]
            statements = tuple(part.strip() for part in "\n".join(lines).split(";") if part.strip())
            found.append(Migration(int(number), statements))
    return tuple(sorted(found, key=lambda migration: migration.version))


def create(database: Database, steps: Sequence[Migration]) -> None:
    """Make everything in an empty database, or nothing."""
    with Transaction(database):
        database.query("CREATE TABLE lobrest (version INTEGER NOT NULL)")
        database.query("INSERT INTO lobrest VALUES (0)")
        for step in steps:
            _apply(database, step)


def require_newest(database: Database, steps: Sequence[Migration], *, source: str) -> None:
    """For those who only read. Raises ``StoreError`` for a database of any other version."""
    version = version_of(database)
    _refuse_newer(version, steps, source)
    if version < steps[-1].version:
        raise StoreError(
            f"was written by an older lobrest (version {version})",
            source=source,
            hint="lobrest resume brings it up to date",
        )


def upgrade(database: Database, steps: Sequence[Migration], *, source: str) -> None:
    """Bring an older database up to date. Raises ``StoreError`` for a newer one."""
    version = version_of(database)
    _refuse_newer(version, steps, source)
    for step in steps:
        if step.version > version:
            with Transaction(database):
                _apply(database, step)


def _refuse_newer(version: int, steps: Sequence[Migration], source: str) -> None:
    newest = steps[-1].version
    if version > newest:
        raise StoreError(
            f"was written by a newer lobrest (its version is {version}, the newest known here {newest})",
            source=source,
            hint="update lobrest",
        )


def version_of(database: Database) -> int:
    """The version a database says it has."""
    ((version,),) = database.query("SELECT version FROM lobrest")
    return int(version)


def _apply(database: Database, step: Migration) -> None:
    for statement in step.statements:
        database.query(statement)
    database.query("UPDATE lobrest SET version = ?", (step.version,))
