"""One campaign a work folder: an advisory lock that ends with the process, however it ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from lobrest.errors import StoreError

if sys.platform != "win32":
    import fcntl


class FolderLock:
    """Held from construction to ``release``. Raises ``StoreError`` where another process holds it."""

    def __init__(self, path: Path, *, source: str) -> None:
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise StoreError(
                f"cannot be written: {error.strerror}", source=source, hint="is the folder read-only?"
            ) from error
        if sys.platform == "win32":
            return
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(self._handle, 20).decode("ascii", "replace").strip()
            os.close(self._handle)
            raise StoreError(
                "is in use by another campaign" + (f" (process {holder})" if holder else ""),
                source=source,
                hint="wait for it, stop it, or choose another --out",
            ) from error
        os.ftruncate(self._handle, 0)
        os.write(self._handle, f"{os.getpid()}\n".encode("ascii"))

    def release(self) -> None:
        """Let the next one in. The file stays: removing it would let two in at once."""
        os.close(self._handle)
