"""Writes in batches on a thread of its own, so that no request waits for the disk."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Final, Generic, Protocol, TypeVar

from lobrest.errors import StoreError

_INTERVAL_SECONDS: Final = 0.5
_BATCH: Final = 2000
_MOST_PENDING: Final = 20_000


class Countable(Protocol):
    """A batch that knows how much is in it."""

    def __len__(self) -> int:
        """How many changes it holds."""


Batch = TypeVar("Batch", bound=Countable)


class Writer(Generic[Batch]):
    """Collects changes in a batch and hands batches in order to ``write``.

    ``write`` takes all of a batch or raises ``StoreError`` and takes nothing. Then the batch waits:
    ``change`` raises the error, and ``flush`` tries again.
    """

    def __init__(self, new: Callable[[], Batch], write: Callable[[Batch], None]) -> None:
        self._new = new
        self._write = write
        self._batch = new()
        self._waiting: deque[Batch] = deque()
        self._guard = threading.Lock()
        """Held for moments, around the batch that is filled."""
        self._writing = threading.Lock()
        """Held while batches are written."""
        self._wake = threading.Event()
        self._error: StoreError | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="lobrest-store", daemon=True)
        self._thread.start()

    def change(self, fill: Callable[[Batch], None]) -> None:
        """Let ``fill`` add to the batch; it is written soon. Raises what keeps earlier ones from it."""
        if self._error is not None:
            raise self._error
        with self._guard:
            fill(self._batch)
            size = len(self._batch)
        if size >= _MOST_PENDING:
            self.flush()
        elif size >= _BATCH:
            self._wake.set()

    def flush(self) -> None:
        """Everything that was changed is written when this returns."""
        with self._writing:
            with self._guard:
                if len(self._batch):
                    self._waiting.append(self._batch)
                    self._batch = self._new()
            try:
                while self._waiting:
                    self._write(self._waiting[0])
                    self._waiting.popleft()
            except StoreError as error:
                self._error = error
                raise
            self._error = None

    def close(self) -> None:
        """Stop the thread, then flush."""
        self._closing = True
        self._wake.set()
        self._thread.join()
        self.flush()

    def _run(self) -> None:
        while not self._closing:
            self._wake.wait(_INTERVAL_SECONDS)
            self._wake.clear()
            if self._error is not None or self._closing:
                continue
            try:
                self.flush()
            except StoreError:
                continue  # kept in ``_error``: the next caller hears of it
