"""``lobrest.toml`` and flags to one frozen value."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lobrest.errors import ConfigError

FILE_NAME = "lobrest.toml"
_KEYS = frozenset(
    {
        "spec", "logs", "target", "auth", "time", "rate", "concurrency", "profile", "mlt", "stw", "format",
        "seed", "follow_references", "include", "exclude", "allow", "fields", "resources", "log_format", "model",
        "oracles", "store", "learnt", "cleanup", "coverage", "baseline",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Settings:
    """What the file says; flags win over it."""

    path: Path | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    def text(self, key: str) -> str | None:
        """A setting that is text (a number is written out)."""
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return str(value)
        raise ConfigError(f"{key} must be text", source=str(self.path))

    def number(self, key: str, *, least: float) -> float | None:
        """A setting that is a number of at least so much."""
        written = self.text(key)
        if written is None:
            return None
        try:
            value = float(written)
        except ValueError:
            value = math.nan
        if not value >= least or math.isinf(value):
            raise ConfigError(f"{key} must be a number of at least {least:g}", source=str(self.path))
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A setting that is a list of texts, or one text."""
        value = self.values.get(key, [])
        if isinstance(value, str):
            return (value,)
        if isinstance(value, list) and all(isinstance(one, str) for one in value):
            return tuple(value)
        raise ConfigError(f"{key} must be a list of texts", source=str(self.path))

    def switch(self, key: str) -> bool:
        """A setting that is true or false, false where it is not given."""
        value = self.values.get(key, False)
        if isinstance(value, bool):
            return value
        raise ConfigError(f"{key} must be true or false", source=str(self.path))

    def table(self, key: str) -> Mapping[str, Any]:
        """A setting that is a table."""
        value = self.values.get(key, {})
        if isinstance(value, dict):
            return value
        raise ConfigError(f"[{key}] must be a table", source=str(self.path))


def load_settings(given: Path | None, *, start: Path) -> Settings:
    """The file named, else the nearest ``lobrest.toml`` upwards, else nothing."""
    path = given or next(
        (folder / FILE_NAME for folder in (start, *start.parents) if (folder / FILE_NAME).is_file()), None
    )
    if path is None:
        return Settings()
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", source=str(path)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"is not TOML: {error}", source=str(path)) from error
    unknown = sorted(set(values) - _KEYS)
    if unknown:
        raise ConfigError(
            f"unknown setting {unknown[0]!r}", source=str(path), hint=f"known: {', '.join(sorted(_KEYS))}"
        )
    return Settings(path, values)
