"""Writes in batches on a thread of its own, so that no request waits for the disk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

from lobrest.errors import StoreError

_INTERVAL_SECONDS: Final = 0.25
_BATCH: Final = 2000
_MOST_PENDING: Final = 20_000

Item = TypeVar("Item")


class Writer(Generic[Item]):
    """Hands items in order to ``apply``, which takes all of a batch or raises ``StoreError`` and takes none.

    After an error the batch waits; ``add`` raises it, and ``flush`` tries again.
    """

    def __init__(self, apply: Callable[[Sequence[Item]], None]) -> None:
        self._apply = apply
        self._pending: list[Item] = []
        self._guard = threading.Lock()
        """Held for moments, around ``_pending``."""
        self._writing = threading.Lock()
        """Held while a batch is written."""
        self._wake = threading.Event()
        self._error: StoreError | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="lobrest-store", daemon=True)
        self._thread.start()

    def add(self, items: Sequence[Item]) -> None:
        """Take items; they are written soon. Raises the error that keeps earlier ones from it."""
        if self._error is not None:
            raise self._error
        with self._guard:
            self._pending.extend(items)
            waiting = len(self._pending)
        if waiting >= _MOST_PENDING:
            self.flush()
        elif waiting >= _BATCH:
            self._wake.set()

    def flush(self) -> None:
        """Everything that was added is written when this returns."""
        with self._writing:
            with self._guard:
                batch, self._pending = self._pending, []
            if not batch:
                return
            try:
                self._apply(batch)
            except BaseException as error:
                with self._guard:
                    self._pending[:0] = batch
                if isinstance(error, StoreError):
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
