"""Loops compiled when that pays. Nothing else imports numba."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final, cast

from numpy.typing import NDArray

COMPILE_FROM: Final = 150_000
"""From so many entries and places on, a second for loading the compiler is better spent than waiting."""

Loop = Callable[..., Any]
Column = NDArray[Any]


def list_of(column: Column) -> list[Any]:
    """A column as a loop that is not compiled wants it."""
    return cast(list[Any], column.tolist())


@cache
def compiled(loop: Loop, *inner: Loop) -> Loop:
    """``loop`` as machine code that lets other threads run; ``inner`` are the functions that it calls.

    Compiled code is kept beside the source, or in the user's cache where that cannot be written, so that only
    the first run ever pays for it. Where neither can be written each process compiles anew.
    """
    from numba import njit
    from numba.extending import register_jitable

    for function in inner:
        register_jitable(function)
    try:
        return cast(Loop, njit(cache=True, nogil=True)(loop))
    except RuntimeError:  # No folder to keep compiled code in.
        return cast(Loop, njit(nogil=True)(loop))
