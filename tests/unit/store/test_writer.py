from __future__ import annotations

import threading

import pytest

from lobrest.errors import StoreError
from lobrest.store.writer import Writer


class Disk:
    """Takes batches, or fails."""

    def __init__(self) -> None:
        self.written: list[int] = []
        self.failure: StoreError | None = None
        self.tried = threading.Event()

    def write(self, batch: list[int]) -> None:
        self.tried.set()
        if self.failure is not None:
            raise self.failure
        self.written.extend(batch)


def test_everything_is_written_in_order() -> None:
    disk = Disk()
    writer = Writer[list[int]](list, disk.write)
    for number in range(5000):
        writer.change(lambda batch, number=number: batch.append(number))
    writer.flush()
    assert disk.written == list(range(5000))
    writer.change(lambda batch: batch.append(5000))
    writer.close()
    assert disk.written[-1] == 5000


def test_the_thread_writes_without_being_asked() -> None:
    disk = Disk()
    writer = Writer[list[int]](list, disk.write)
    writer.change(lambda batch: batch.append(1))
    assert disk.tried.wait(20)
    writer.close()
    assert disk.written == [1]


def test_after_an_error_nothing_is_lost_and_a_flush_tries_again() -> None:
    disk = Disk()
    disk.failure = StoreError("the disk is full")
    writer = Writer[list[int]](list, disk.write)
    writer.change(lambda batch: batch.append(1))
    with pytest.raises(StoreError, match="full"):
        writer.flush()
    with pytest.raises(StoreError, match="full"):
        writer.change(lambda batch: batch.append(2))
    with pytest.raises(StoreError, match="full"):
        writer.flush()
    disk.failure = None
    writer.flush()
    writer.change(lambda batch: batch.append(3))
    writer.close()
    assert disk.written == [1, 3]


def test_an_error_of_the_thread_reaches_the_next_caller() -> None:
    disk = Disk()
    disk.failure = StoreError("the disk is full")
    writer = Writer[list[int]](list, disk.write)
    writer.change(lambda batch: batch.append(1))
    assert disk.tried.wait(20)
    with pytest.raises(StoreError, match="full"):
        for _ in range(1000):
            writer.change(lambda batch: batch.append(2))
            threading.Event().wait(0.01)
    disk.failure = None
    writer.close()
    assert disk.written[0] == 1


def test_too_much_at_once_is_written_before_more_is_taken() -> None:
    disk = Disk()
    writer = Writer[list[int]](list, disk.write)
    writer.change(lambda batch: batch.extend(range(30_000)))
    assert len(disk.written) == 30_000
    writer.close()
