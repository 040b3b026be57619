"""What it finds is tested on every database in ``tests/conformance``; here is what goes wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from lobrest.errors import StoreError
from lobrest.store import open_store
from lobrest.store.browse import RequestFilter, open_browser


def test_where_there_is_no_campaign_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no campaign here"):
        open_browser(tmp_path)
    (tmp_path / "lobrest.db").write_bytes(b"not a database, whatever it says" * 100)
    with pytest.raises(StoreError, match="not a database"):
        open_browser(tmp_path)


def test_an_empty_campaign_is_empty_pages(tmp_path: Path) -> None:
    open_store(tmp_path, create=True).close()
    browser = open_browser(tmp_path / "lobrest.db")
    assert browser.requests(RequestFilter()).lines == ()
    assert browser.requests(RequestFilter(status="5xx", kind="x", text="y")).older is None
    assert (browser.timeline(), browser.kinds(), browser.newest(), browser.last_second()) == ((), (), 0, 0.0)
    assert not browser.running()
    assert browser.name == tmp_path.name
    browser.close()


@pytest.mark.parametrize("holder", ["", "no number", "0", "999999999", "1"])
def test_a_lock_file_alone_is_no_running_campaign(tmp_path: Path, holder: str) -> None:
    open_store(tmp_path, create=True).close()
    (tmp_path / "lobrest.db.lock").write_text(holder)
    browser = open_browser(tmp_path)
    assert not browser.running()
    browser.close()


@pytest.mark.parametrize(
    ("wanted", "fitting"),
    [("", {0, 200, 404, 500}), ("none", {0}), ("4xx", {404}), ("2XX", {200}), ("500", {500}), ("x", set())],
)
def test_statuses_that_fit(wanted: str, fitting: set[int]) -> None:
    assert {
        status for status in (0, 200, 404, 500) if RequestFilter(status=wanted).has_status(status)
    } == fitting
