"""Work spread over processes."""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import chain, islice
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_AT_ONCE = 2
"""Items in flight per process: enough that none waits, few enough that memory stays small."""


class ProcessSpread:
    """A ``map`` over processes that keeps the order, takes items as it goes, and starts nothing for little
    work.

    The function goes to each process once, so it may carry much.
    """

    def __init__(self, workers: int | None = None, *, least_items: int = 3) -> None:
        self._workers = workers if workers is not None else _cores()
        self._least_items = least_items

    def __call__(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        source = iter(items)
        first = list(islice(source, self._least_items))
        if len(first) < self._least_items or self._workers < 2:
            return map(function, chain(first, source))
        return self._spread(function, chain(first, source))

    def _spread(self, function: Callable[[Item], Result], items: Iterator[Item]) -> Iterator[Result]:
        context = multiprocessing.get_context("forkserver" if "forkserver" in _METHODS else "spawn")
        with ProcessPoolExecutor(self._workers, context, initializer=_install, initargs=(function,)) as pool:
            waiting: deque[Future[Any]] = deque()
            for item in items:
                waiting.append(pool.submit(_call, item))
                if len(waiting) >= _AT_ONCE * self._workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()


_METHODS = tuple(multiprocessing.get_all_start_methods())
_installed: list[Callable[[Any], Any]] = []
"""In a worker process: the one function it was started for."""


def _install(function: Callable[[Any], Any]) -> None:
    _installed[:] = [function]
    gc.disable()  # a worker lives for one task whose values hold no cycles


def _call(item: object) -> object:
    return _installed[0](item)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
