"""``report.html`` in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.report.campaign import campaign
from tests.unit.report.test_html import HOSTILE, hostile_campaign

from lobrest.report.data import ReportData
from lobrest.report.html import report_html

Open = Callable[..., Any]


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Open:
    """Opens a report from disk and fails on any complaint of the browser."""
    complaints: list[str] = []

    def opened(data: ReportData, *, width: int = 1440, colours: str = "light", anchor: str = "") -> Any:
        path = tmp_path / "report.html"
        path.write_text(report_html(data), encoding="utf-8")
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=colours)
        page.on("console", lambda message: complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: "report.html" in request.url or complaints.append(request.url))
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.goto(path.as_uri() + anchor)
        page.complaints = complaints
        return page

    yield opened
    assert complaints == []


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_it_fits_and_the_browser_does_not_complain(show: Open, width: int, colours: str) -> None:
    page = show(campaign(), width=width, colours=colours)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, background[4:-1].split(","))) > 384) == (colours == "light")


def test_bugs_can_be_searched_and_opened(show: Open) -> None:
    page = show(campaign())
    bugs = page.locator(".bug:visible")
    assert bugs.count() == 9
    page.get_by_role("searchbox", name="Search bugs").fill("keyerror REVERT")
    assert bugs.count() == 1
    assert page.get_by_text("1 of 9 shown").is_visible()
    page.get_by_role("searchbox", name="Search bugs").fill("no such thing")
    assert page.get_by_text("No bug fits the filter.").is_visible()
    page.get_by_role("searchbox", name="Search bugs").fill("")
    page.get_by_label("confirmed only").check()
    assert bugs.count() == 8
    page.get_by_role("button", name="Open all").click()
    assert page.locator(".bug[open]").count() == 8
    assert page.get_by_text("KeyError: 'squash_commit'").first.is_visible()
    assert page.get_by_label("Answer of bug 1").is_visible()


def test_operations_can_be_filtered(show: Open) -> None:
    page = show(campaign())
    rows = page.locator(".op-row:visible")
    assert rows.count() == 64
    page.locator("#operations select").select_option("untried")
    assert rows.all_inner_texts()[0].startswith("DELETE")
    assert rows.count() == 1
    page.locator("#operations select").select_option("failed")
    assert rows.count() == 9
    page.get_by_role("searchbox", name="Search operations").fill("merge requests")
    assert rows.count() == 2


def test_links_lead_to_their_sections_and_open_what_is_closed(show: Open) -> None:
    page = show(campaign())
    for link in page.locator("nav a").all():
        link.click()
        target = page.locator(link.get_attribute("href"))
        assert target.is_visible()
    direct = show(campaign(), anchor="#bug-3")
    assert direct.locator("#bug-3").get_attribute("open") is not None
    assert direct.locator("#bug-3 .steps").is_visible()


def test_a_keyboard_alone_is_enough(show: Open) -> None:
    page = show(campaign())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "theme"
    page.keyboard.press("Enter")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    chart = page.locator("svg.chart").first
    chart.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert "s: " in chart.locator(".reader text").text_content()
    page.locator(".bug summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator(".bug").first.get_attribute("open") is not None
    reached = set()
    for _ in range(150):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.closest('section, nav, header')?.id ?? ''"))
    assert {"bugs", "modules", "flows", "resources", "operations"} <= reached


def test_axe_finds_no_serious_defect(show: Open) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    page = show(campaign(), width=390)
    # Rows are alike: a few of each kind tell as much as all, in a tenth of the time.
    page.evaluate(
        """for (const [kind, kept] of [["tbody tr", 90], [".bug", 3], [".day > li", 3], [".tree li", 3]])
             for (const each of [...document.querySelectorAll(kind)].slice(kept)) each.remove();
           for (const each of document.querySelectorAll("details")) each.open = true"""
    )
    for width, colours in ((390, "light"), (1440, "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=colours)
        violations = axe.Axe().run(page).response["violations"]
        serious = [
            (violation["id"], [(node["target"], node["failureSummary"]) for node in violation["nodes"]][:5])
            for violation in violations
            if violation["impact"] in ("serious", "critical")
        ]
        assert serious == []
    page.complaints.clear()  # what axe itself does is not the report's doing


@pytest.mark.parametrize("text", [*HOSTILE, "x" * 1_000_000])
def test_hostile_text_stays_text(show: Open, text: str) -> None:
    page = show(hostile_campaign(text), width=390)
    page.get_by_role("button", name="Open all").click()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate("document.querySelectorAll('img, script').length") == 1


def test_it_is_whole_without_script(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(report_html(campaign()), encoding="utf-8")
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(path.as_uri())
    assert not page.locator("form.filters").first.is_visible()
    page.locator(".bug summary").first.click()
    assert page.locator(".bug .steps").first.is_visible()


def test_it_prints_with_everything_open(show: Open) -> None:
    page = show(replace(campaign(), others=()), colours="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator("details:not([open])").count() == 0
    assert not page.locator("nav").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert len(page.pdf(format="A4")) > 10_000
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".bug[open]").count() == 0
