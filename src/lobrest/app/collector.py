"""The garbage collector of a process that keeps much and throws little away in circles."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_THRESHOLDS = (20_000, 10, 20)


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Leave alone what is there already, and look for circles less often; as it was before at the end."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
