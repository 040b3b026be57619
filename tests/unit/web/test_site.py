from __future__ import annotations

import pytest

from lobrest.web.access import Access
from lobrest.web.site import Links, MissingError, Site


@pytest.mark.parametrize("text", ["GET /a b?c&d#e", '"><script>', "é\u202e", "../../..", "a/b"])
def test_whatever_a_thing_is_called_its_address_stays_inside(text: str):
    links = Links("/c/1/")
    for address in (links.operation(text), links.requests(op=text, q=text), links.seed(text)):
        assert address.startswith("/c/1/")
        assert address.isascii()
        assert not set(address) & set("\"'<> #")
        assert address.partition("?")[0].count("/") == (4 if "/seeds/" in address else 3)


def test_what_is_empty_does_not_narrow():
    assert Links("/c/2/").requests(op="", status="4xx") == "/c/2/requests?status=4xx"
    assert Links("/c/2/").requests() == "/c/2/requests"
    assert len(Links("/c/2/").operation("x" * 1_000_000)) < 10_000


def test_a_campaign_that_is_not_there():
    with pytest.raises(MissingError):
        Site((), Access()).campaign("1")
