"""The dashboard in a real browser, of a campaign that has ended and of one that runs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.unit.report.test_html import HOSTILE
from tests.unit.web.recorded import hostile, record, recorded

from lobrest.app.control import Wish, wished
from lobrest.model.event import CampaignEnded

PAGES = (
    "", "bugs", "bugs/1", "requests", "requests/3", "operations", "operation?op=GET+%2Fprojects", "flows", "seeds",
    "seeds/child0000001", "resources", "unreached", "logs", "time", "search?q=merge", "bugs/1/replay",
)  # fmt: skip
Open = Callable[..., Any]


@contextmanager
def served(*places: Path) -> Iterator[str]:
    """The address, token included. A process of its own: the browser's driver has the event loop here."""
    command = [sys.executable, "-m", "lobrest", "ui", *map(str, places)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    place = tmp_path_factory.mktemp("dashboard")
    for name in ("forge-1", "forge-2"):
        recorded(place / name)
    with served(place) as found:
        yield found


@pytest.fixture
def look(browser: Any) -> Iterator[Open]:
    """Opens pages with the token and fails on any complaint of the browser."""
    complaints: list[str] = []
    contexts: list[Any] = []

    def opened(address: str, *, width: int = 1440, colours: str = "light") -> Any:
        base = re.match(r"http://[^/]+", address)[0]  # type: ignore[index]
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=colours)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: request.url.startswith(base) or complaints.append(request.url))
        page.goto(address)
        page.base = base
        page.complaints = complaints
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.mark.parametrize(("width", "colours"), [(1440, "dark"), (390, "light")])
def test_every_page_opens_fits_and_the_browser_does_not_complain(
    look: Open, address: str, width: int, colours: str
) -> None:
    page = look(address, width=width, colours=colours)
    for path in ("/", "/compare", *(f"/c/1/{path}" for path in PAGES)):
        page.goto(page.base + path)
        assert page.locator("h1").count() == 1, path
        assert page.evaluate("document.documentElement.scrollWidth") == width, path


def test_the_token_leaves_the_address(look: Open, address: str) -> None:
    page = look(address)
    assert "token" not in page.url
    assert page.evaluate("document.cookie") == ""


def test_links_and_filters_lead_on(look: Open, address: str) -> None:
    page = look(address)
    page.get_by_role("link", name="forge-1").click()
    page.get_by_role("navigation").get_by_role("link", name="Requests").click()
    page.get_by_label("Answer").select_option("5xx")
    page.wait_for_url("**status=5xx**")
    assert page.locator("tbody tr").count() == 6
    page.locator("tbody a").first.click()
    assert page.get_by_role("heading", name="Its play").is_visible()
    page.locator("tr:not(.here) a").first.click()
    page.get_by_role("link", name=re.compile("^[0-9a-f]{8}|child")).first.click()
    assert page.get_by_role("heading", name="Plays").is_visible()
    page.get_by_role("searchbox").fill("revert")
    page.keyboard.press("Enter")
    page.get_by_role("link", name=re.compile("revert")).first.click()
    assert page.get_by_role("heading", name="What it says").is_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="repro.sh").click()
    assert download.value.suggested_filename == "bug-1-repro.sh"
    page.get_by_role("link", name="Run it again…").click()
    assert page.get_by_role("button", name="Send them").is_disabled()


def test_operations_are_filtered_at_once(look: Open, address: str) -> None:
    page = look(address)
    page.goto(f"{page.base}/c/1/operations")
    page.get_by_role("searchbox", name="Search operations").fill("merge requests")
    assert page.locator(".op-row:visible").count() == 8
    page.get_by_label("Outcome").select_option("untried")
    assert (
        page.get_by_text("No operation fits the filter.").is_visible()
        or page.locator(".op-row:visible").count()
    )


def test_a_keyboard_alone_is_enough(look: Open, address: str) -> None:
    page = look(address)
    page.goto(f"{page.base}/c/1/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "q"
    page.keyboard.type("squash")
    page.keyboard.press("Enter")
    page.wait_for_url("**search**")
    names = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        names.add(page.evaluate("document.activeElement.textContent.trim().split(/\\s+/)[0]"))
        if page.evaluate("document.activeElement.classList.contains('to')"):
            break
    assert {"Overview", "Bugs", "Requests"} <= names
    page.keyboard.press("Enter")
    page.wait_for_url("**/bugs/1")
    page.locator("#theme").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_a_running_campaign_is_followed_and_steered(look: Open, tmp_path: Path) -> None:
    store = record(tmp_path / "w")
    with served(tmp_path / "w") as address:
        page = look(address)
        assert page.get_by_text("Running", exact=True).is_visible()
        page.get_by_role("button", name="Pause").click()
        assert page.get_by_text("Paused", exact=True).is_visible()
        assert wished(tmp_path / "w") is Wish.PAUSE
        page.get_by_role("button", name="Resume").click()
        assert page.get_by_text("Running", exact=True).is_visible()
        page.once("dialog", lambda dialog: dialog.dismiss())
        page.get_by_role("button", name="Stop").click()
        assert wished(tmp_path / "w") is Wish.RUN
        page.once("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="Stop").click()
        page.get_by_text("Stopping", exact=True).wait_for()
        assert wished(tmp_path / "w") is Wish.STOP
        store.record([CampaignEnded(31.0, "stopped by the user")])
        store.close()
        page.get_by_text("Ended", exact=True).wait_for(timeout=15_000)  # nobody has reloaded the page
        assert page.get_by_role("button", name="Stop").count() == 0
        page.close()  # it listens for events: the server must not go first


@pytest.mark.parametrize(
    ("width", "colours", "paths"),
    [
        (390, "light", ("", "bugs", "requests", "requests/3", "flows", "seeds/child0000001", "unreached")),
        (
            1440,
            "dark",
            ("", "bugs/1", "operations", "operation?op=GET+%2Fprojects", "resources", "logs", "time"),
        ),
    ],
)
def test_axe_finds_no_serious_defect(
    look: Open, address: str, width: int, colours: str, paths: tuple[str, ...]
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    page = look(address, width=width, colours=colours)
    for path in ("/compare" if width > 1000 else "/", *(f"/c/1/{path}" for path in paths)):
        page.goto(page.base + path)
        # Rows are alike: a few of each kind tell as much as all.
        page.evaluate(
            """for (const [kind, kept] of [["tbody tr", 6], [".day > li", 1], [".tree li", 2], [".buglist > li", 2]])
                 for (const each of [...document.querySelectorAll(kind)].slice(kept)) each.remove()"""
        )
        serious = [
            (path, violation["id"], [node["failureSummary"] for node in violation["nodes"]][:3])
            for violation in axe.Axe().run(page).response["violations"]
            if violation["impact"] in ("serious", "critical")
        ]
        assert serious == []
    page.complaints.clear()  # what axe itself does is not the dashboard's doing


@pytest.mark.parametrize("text", [*HOSTILE, "x" * 1_000_000], ids=lambda text: text[:10])
def test_hostile_text_stays_text(look: Open, tmp_path: Path, text: str) -> None:
    hostile(tmp_path / "h", text)
    with served(tmp_path / "h") as address:
        page = look(address, width=390)
        for path in (
            "",
            "bugs",
            "bugs/1",
            "requests",
            "requests/1",
            "operations",
            "seeds/00000000",
            "unreached",
            "logs",
        ):
            page.goto(f"{page.base}/c/1/{path}")
            assert page.evaluate("document.documentElement.scrollWidth") == 390, path
            assert page.evaluate("document.querySelectorAll('script').length") == 2, path
        page.close()


def test_it_is_whole_without_script(browser: Any, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    page.get_by_role("link", name="forge-1").click()
    page.get_by_role("navigation").get_by_role("link", name="Requests").click()
    page.get_by_label("Answer").select_option("5xx")
    page.get_by_role("button", name="Filter").click()
    assert page.locator("tbody tr").count() == 6
    context.close()
