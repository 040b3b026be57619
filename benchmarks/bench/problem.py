"""The one error the benchmark raises on purpose: what is wrong and what to do about it."""

from __future__ import annotations


class BenchError(Exception):
    """Something that stops a run; ``str(error)`` is one line with a hint."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(f"{message} ({hint})" if hint else message)
