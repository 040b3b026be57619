"""Work spread over processes."""

from __future__ import annotations

import os

import pytest

from lobrest.app.parallel import ProcessSpread


def square(number):
    return number * number, os.getpid()


def fail(number):
    raise ValueError(number)


def test_results_keep_their_order_and_come_from_elsewhere():
    found = list(ProcessSpread(2)(square, range(20)))
    assert [value for value, _ in found] == [number * number for number in range(20)]
    assert os.getpid() not in {process for _, process in found}


def test_little_work_starts_no_process():
    assert {process for _, process in ProcessSpread(2)(square, range(2))} == {os.getpid()}
    assert {process for _, process in ProcessSpread(1)(square, range(20))} == {os.getpid()}


def test_items_are_taken_as_it_goes():
    taken = []

    def items():
        for number in range(100):
            taken.append(number)
            yield number

    results = iter(ProcessSpread(2)(square, items()))
    next(results)
    assert len(taken) < 20
    assert len(list(results)) == 99


def test_an_error_comes_through():
    with pytest.raises(ValueError, match="0"):
        list(ProcessSpread(2)(fail, range(10)))
