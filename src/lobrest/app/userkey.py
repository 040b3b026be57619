"""The key under which tokens and cookies of logs are hashed: one per person, so that two runs agree."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

_BYTES = 32


def user_key() -> bytes:
    """The key, made on first use. Where it cannot be kept, a new one: then users differ from run to run."""
    folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "lobrest"
    path = folder / "user.key"
    try:
        known = path.read_bytes()
        if len(known) == _BYTES:
            return known
    except OSError:
        known = b""
    made = secrets.token_bytes(_BYTES)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as target:
            target.write(made)
    except OSError:
        return made
    return made
