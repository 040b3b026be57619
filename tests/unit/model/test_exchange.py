"""Requests and answers."""

from __future__ import annotations

import pytest

from lobrest.model.exchange import Exchange, Failure, Request, Response
from lobrest.model.operation import OperationId

REQUEST = Request(OperationId("GET /x"), "GET", "/x")


def test_headers_are_found_in_any_case():
    response = Response(200, (("X-A", "1"), ("x-a", "2")))
    assert response.header("x-A") == "1"
    assert response.header("other") is None


@pytest.mark.parametrize(
    ("status", "ok"), [(199, False), (200, True), (299, True), (300, False), (500, False)]
)
def test_success_is_2xx(status: int, ok: bool):
    assert Exchange(REQUEST, Response(status)).ok is ok


def test_no_answer_has_no_status():
    exchange = Exchange(REQUEST, None, Failure.TIMEOUT)
    assert (exchange.status, exchange.ok) == (0, False)
