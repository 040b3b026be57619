from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from tests.unit.report.campaign import BUGS, bug, campaign

from lobrest.model.exchange import Exchange, Request, Response
from lobrest.model.operation import OperationId
from lobrest.model.resource import Resource, ResourceModel, ResourceName
from lobrest.model.summary import BugResult, FlowTotals, OperationResult, OperationTotals, Summary
from lobrest.report.data import Dropped, LogFile, LogReading, ReportData, Run, Unreached
from lobrest.report.html import report_html, verdict

HOSTILE = (
    "<script>alert(1)</script>",
    "</style></script><img src=x onerror=alert(1)>",
    "\"' onmouseover=alert(1) x='",
    "{{ 7 * 7 }} {% raw %}",
    "\u202e\u2066evil\u0000",
    "javascript:alert(1)",
)


class Page(HTMLParser):
    """What a browser would build, as far as the tests ask."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.extend((tag, name, value) for name, value in attrs)

    handle_startendtag = handle_starttag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def values(self, attribute: str) -> list[str]:
        return [value or "" for _, name, value in self.attributes if name == attribute]


def without_bugs(summary: Summary) -> Summary:
    return replace(summary, bugs=())


def test_the_policy_allows_exactly_the_style_and_the_script_inside() -> None:
    text = report_html(campaign())
    policy = Page(text).values("content")[0]
    for kind in ("style", "script"):
        (inside,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


def test_nothing_is_loaded_and_nothing_is_styled_or_run_from_attributes() -> None:
    page = Page(report_html(campaign()))
    assert not {"link", "img", "iframe", "object", "embed", "base"} & set(page.tags)
    names = {name for _, name, _ in page.attributes}
    assert not {"src", "style", "srcdoc", "action", "formaction"} & names
    assert not [name for name in names if name.startswith("on")]
    assert all(link.startswith("#") for link in page.values("href"))
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in page.values("href")} <= set(ids)


def test_every_section_is_there_and_absent_ones_are_left_out() -> None:
    ids = set(Page(report_html(campaign())).values("id"))
    sections = {
        "overview",
        "bugs",
        "modules",
        "flows",
        "day",
        "resources",
        "unreached",
        "operations",
        "logs",
        "time",
    }
    assert sections <= ids
    bare = set(Page(report_html(ReportData(campaign().summary))).values("id"))
    assert not {"flows", "day", "resources", "unreached", "logs", "time"} & bare
    assert {"overview", "bugs", "modules", "operations"} <= bare


def test_a_campaign_in_which_nothing_happened() -> None:
    empty = Summary(
        "x", "default", 0, "", 0.0, 0, 0.0, OperationTotals(0, 0, 0, ()), (), FlowTotals(0, 0), (), (),
        campaign().summary.stages,
    )  # fmt: skip
    text = "".join(Page(report_html(ReportData(empty, others=(Run("other", empty),), unreached=()))).text)
    assert "No bug was found in x; 0 of no operations answered with success." in text
    assert "Every operation was answered with success." in text


def test_bugs_come_deepest_first_with_steps_and_how_to_run_them() -> None:
    text = report_html(campaign())
    order = [int(number) for number in re.findall(r'id="bug-(\d+)"', text)]
    assert order[:3] == [1, 2, 3]
    assert order[-1] == 9  # not confirmed
    shown = "".join(Page(text).text)
    assert "lobrest bug lobrest-demo 1 --run" in shown
    assert "export LOBREST_AUTH_BELA='Header: value'" in shown
    assert "KeyError: 'squash_commit'" in shown


def test_no_secret_is_shown() -> None:
    assert "glpat-visible" not in report_html(campaign())


def hostile_campaign(text: str) -> ReportData:
    """Everything that comes from a spec, a log or a service is the given text."""
    data = campaign()
    op = OperationId(f"GET /{text}")
    request = Request(op, text, f"/{text}", ((text, text),), text.encode(), actor=text)
    exchange = Exchange(request, Response(500, ((text, text),), text.encode()))
    resource = Resource(ResourceName(text), None, (op,), (op,))
    return replace(
        data,
        summary=replace(
            data.summary,
            service=text,
            started=text,
            profile=text,
            operations=replace(
                data.summary.operations, list=(OperationResult(op, text, {"200": 1, text: 2}),)
            ),
            modules=(replace(data.summary.modules[0], name=text),),
            bugs=(BugResult(1, op, 500, text, 1.0, True, 1),),
        ),
        label=text,
        target=text,
        spec=text,
        folder=text,
        bugs=(replace(bug(1, *BUGS[0]), message=text, exchanges=(exchange, exchange)),),
        logs=LogReading((LogFile(text, text, 2, 1),), (Dropped(text, 1, text),)),
        resources=ResourceModel(text, {resource.name: resource}, {}, {}, {}),
        unreached=(Unreached(op, text, data.unreached[0].obstacle, text, ((text, 3),)),)
        if data.unreached
        else (),
        others=(Run(text, data.summary),),
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    html = report_html(hostile_campaign(text))
    page = Page(html)
    harmless = Page(report_html(hostile_campaign("harmless")))
    assert sorted(page.tags) == sorted(harmless.tags)
    assert {name for _, name, _ in page.attributes} == {name for _, name, _ in harmless.attributes}
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u0000]", html)


def test_megabytes_are_cut() -> None:
    data = hostile_campaign("harmless")
    huge = Exchange(
        Request(
            OperationId("GET /x"), "GET", "/" + "x" * 1_000_000, (("X-A", "y" * 1_000_000),), b"z" * 1_000_000
        ),
        Response(500, (), b'{"a": "' + b"w" * 1_000_000 + b'"}'),
    )
    bugs = tuple(replace(data.bugs[0], number=n, exchanges=(huge,) * 3) for n in range(1, 31))
    results = tuple(BugResult(n, "GET /x", 500, "m" * 1_000_000, 1.0, True, 3) for n in range(1, 31))
    text = report_html(replace(data, bugs=bugs, summary=replace(data.summary, bugs=results)))
    assert len(text) < 1_000_000
    assert "more characters" in text


def test_a_large_campaign_stays_small() -> None:
    data = campaign()
    operations = tuple(
        OperationResult(f"GET /a{n}/{{id}}/b{n}", f"module {n % 80}", {"200": n, "404": 3, "500": 1})
        for n in range(1200)
    )
    results = tuple(BugResult(n, operations[n].op, 500, "boom " * 20, 1.0, True, 7) for n in range(1, 400))
    bugs = tuple(replace(bug(n, *BUGS[0]), number=n) for n in range(1, 400))
    summary = replace(
        data.summary,
        requests=100_000,
        bugs=results,
        operations=replace(data.summary.operations, list=operations),
    )
    text = report_html(replace(data, summary=summary, bugs=bugs))
    assert len(text.encode()) < 3_000_000
    assert "99 more are in the work folder" in text


def test_the_verdict_in_a_sentence() -> None:
    summary = campaign().summary
    assert verdict(summary) == (
        "9 bugs found in Forge, 8 confirmed by a second run, the deepest at the end of a flow of 7 steps; "
        "58 of 64 operations answered with success."
    )
    assert verdict(without_bugs(summary)).startswith("No bug was found in Forge;")
    one = replace(summary, bugs=(replace(summary.bugs[0], steps=1),))
    assert verdict(one).startswith("1 bug found in Forge, confirmed by a second run;")
    unsure = replace(summary, bugs=(replace(summary.bugs[0], confirmed=False),) * 2)
    assert verdict(unsure).startswith("2 bugs found in Forge, none confirmed by a second run, the deepest")
    noted = replace(summary.bugs[0], severity="info")
    assert verdict(replace(summary, bugs=(noted,))).startswith("No bug was found in Forge, 1 thing to note;")
    assert ", 2 things to note; 58 of 64" in verdict(replace(summary, bugs=(*summary.bugs, noted, noted)))
