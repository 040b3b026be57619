"""Answers kept on disk by what was asked, so that a second run asks nothing."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from lobrest.model.operation import Json, Schema


@dataclass(frozen=True, slots=True)
class Cassette:
    """One small file an answer. A folder that cannot be written is no reason to stop: nothing is kept."""

    folder: Path

    def key(self, model: str, prompt: str, schema: Schema) -> str:
        """A digest of all that the answer depends on."""
        asked = json.dumps([model, prompt, schema], sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(asked.encode("ascii")).hexdigest()

    def find(self, key: str) -> Json:
        """The kept answer, or None; a damaged file counts as none."""
        try:
            kept = json.loads(self._file(key).read_bytes())
        except (OSError, ValueError, RecursionError):
            return None
        return kept.get("answer") if isinstance(kept, dict) else None

    def keep(self, key: str, answer: Json) -> None:
        """Write the answer whole or not at all."""
        target = self._file(key)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            draft = target.with_suffix(f".{os.getpid()}.part")
            draft.write_text(json.dumps({"answer": answer}), encoding="utf-8")
            draft.replace(target)
        except OSError:
            return

    def _file(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"
