"""What pages show, asked for as a browser does."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.report.test_html import HOSTILE, Page
from tests.unit.web.conftest import Dashboard
from tests.unit.web.recorded import hostile, recorded

Made = Callable[..., Dashboard]
OPERATION = "operation?op=GET+%2Fprojects"
EVERY_PAGE = (
    "", "bugs", "bugs/1", "requests", "requests/3", "operations", OPERATION, "flows", "seeds", "seeds/child0000001",
    "resources", "unreached", "logs", "time", "search?q=merge", "bugs/1/replay", "plays/5/replay",
)  # fmt: skip


@pytest.mark.parametrize("path", EVERY_PAGE)
def test_every_page_is_whole(dashboard: Made, ended: Path, path: str):
    status, text = dashboard(ended).get(f"/c/1/{path}")
    assert status == 200
    page = Page(text)
    assert page.tags.count("main") == 1
    assert page.tags.count("h1") == 1
    assert not page.values("style")
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert page.tags.count("script") == 2
    assert all(address.startswith(("/", "?", "#")) for address in page.values("href") + page.values("src"))


@pytest.mark.parametrize("path", EVERY_PAGE)
def test_secrets_are_hidden(dashboard: Made, ended: Path, path: str):
    _, text = dashboard(ended).get(f"/c/1/{path}")
    for secret in ("glpat-visible", "hunter2hunter2", "sesame"):
        assert secret not in text


@pytest.mark.parametrize(
    "path",
    [
        "/nothing", "/c/2/", "/c/x/", "/c/1/bugs/99", "/c/1/bugs/x", "/c/1/requests/99999", "/c/1/requests/-1",
        "/c/1/operation?op=GET+%2Fnothing", "/c/1/seeds/nothing", "/c/1/bugs/1/as/exe", "/c/1/plays/999/replay",
        "/static/../server.py", "/static/app.py", "/replays/1", "/replays/x", "/c/1/requests/99999999999999999999999",
    ],
)  # fmt: skip
def test_what_is_not_there_is_said_on_a_page(dashboard: Made, ended: Path, path: str):
    status, text = dashboard(ended).get(path)
    assert status == 404
    assert "There is no" in text


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", 50), ("status=500", 6), ("status=none", 1), ("kind=probe&user=bela", None), ("q=revert", 6),
        ("op=GET+%2Fuser", 6), ("op=nonsense", 0), ("before=10", 9), ("before=x", 50), ("status=%F0%9F%98%80", 0),
    ],
)  # fmt: skip
def test_requests_can_be_narrowed(dashboard: Made, ended: Path, query: str, shown: int | None):
    status, text = dashboard(ended).get(f"/c/1/requests?{query}")
    assert status == 200
    numbers = re.findall(r'href="/c/1/requests/(\d+)"', text)
    assert [int(number) for number in numbers] == sorted(map(int, numbers), reverse=True)
    if shown is not None:
        assert len(numbers) == shown
    else:
        assert 0 < len(numbers) < 50


def test_a_request_shows_its_play_and_its_seed(dashboard: Made, ended: Path):
    _, text = dashboard(ended).get("/c/1/requests/3")
    assert 'href="/c/1/requests/2"' in text
    assert "Its play" in text
    assert 'href="/c/1/seeds/child0000001"' in text
    assert 'class="here"' in text


def test_a_seed_shows_what_flows_where_and_where_it_comes_from(dashboard: Made, ended: Path):
    _, text = dashboard(ended).get("/c/1/seeds/child0000001")
    assert "from step 1" in text
    assert "makes the project that 3 later steps use" in text
    assert 'href="/c/1/seeds/00000000"' in text
    assert "splice, value" in text


@pytest.mark.parametrize("form", ["curl", "python", "pytest", "postman", "har"])
def test_bugs_can_be_taken_along(dashboard: Made, ended: Path, form: str):
    status, text = dashboard(ended).get(f"/c/1/bugs/1/as/{form}")
    assert status == 200
    assert "merge_requests" in text
    assert "glpat-visible" not in text


def test_search_finds_things_of_every_kind(dashboard: Made, ended: Path):
    made = dashboard(ended)
    _, by_word = made.get("/c/1/search?q=revert")
    assert "squash_commit" in by_word
    assert 'href="/c/1/operation?op=POST' in by_word
    assert "requests/" in by_word
    _, by_number = made.get("/c/1/search?q=%233")
    assert "Request 3" in by_number
    assert "Bug 3" in by_number
    _, by_name = made.get("/c/1/search?q=child")
    assert 'href="/c/1/seeds/child0000001"' in by_name
    _, nothing = made.get("/c/1/search?q=zzzzqqqq")
    assert "Nothing fits" in nothing
    assert made.get("/c/1/search?q=%00%F0")[0] == 200


def test_bugs_can_be_narrowed(dashboard: Made, ended: Path):
    made = dashboard(ended)
    assert made.get("/c/1/bugs?q=KeyError")[1].count('class="to"') == 2
    assert made.get("/c/1/bugs?sure=yes")[1].count('class="to"') == 8
    assert "No bug fits" in made.get("/c/1/bugs?severity=low")[1]


def test_one_campaign_is_the_home_page_and_several_have_one(dashboard: Made, ended: Path, tmp_path: Path):
    recorded(tmp_path / "forge-2")
    one, two = dashboard(ended), dashboard(ended, tmp_path / "forge-2")
    assert "Overview" in one.get("/")[1]
    _, home = two.get("/")
    assert ("forge-1" in home, "forge-2" in home, "Overview" in home) == (True, True, False)
    status, text = two.get("/compare")
    assert status == 200
    assert "Which run found which bugs" in text
    assert one.get("/compare")[0] == 200


@pytest.mark.parametrize("text", [*HOSTILE, "x" * 1_000_000], ids=lambda text: text[:12])
def test_hostile_text_stays_text(dashboard: Made, tmp_path: Path, text: str):
    hostile(tmp_path / "h", text)
    hostile(tmp_path / "harmless", "harmless")
    bad, good = dashboard(tmp_path / "h"), dashboard(tmp_path / "harmless")
    for path in ("", "bugs", "bugs/1", "requests", "requests/1", "operations", "flows", "seeds", "seeds/00000000",
                 "resources", "unreached", "logs", "time", "bugs/1/replay", "plays/0/replay"):  # fmt: skip
        status, shown = bad.get(f"/c/1/{path}")
        assert status == 200, path
        assert len(shown) < 300_000
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u0000]", shown)
        page, harmless = Page(shown), Page(good.get(f"/c/1/{path}")[1])
        assert {name for _, name, _ in page.attributes} <= {name for _, name, _ in harmless.attributes}, path
        assert page.tags.count("script") == 2
        assert set(page.tags) <= set(harmless.tags), path
