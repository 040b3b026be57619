from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from tests.unit.report.campaign import campaign
from tests.unit.report.test_html import HOSTILE, hostile_campaign

from lobrest.report.junit import junit_xml


def test_a_third_party_reader_counts_the_same() -> None:
    junitparser = pytest.importorskip("junitparser", reason="junitparser is not installed")
    data = campaign()
    document = junitparser.JUnitXml.fromstring(junit_xml(data.summary, data.bugs).encode())
    (suite,) = list(document)
    suite.update_statistics()
    assert (suite.failures, suite.errors) == (9, 0)
    passed = [case for case in suite if case.is_passed]
    skipped = [case for case in suite if case.is_skipped]
    failed = [case for case in suite if case.is_failure]
    assert len(passed) == 50  # 58 covered, 8 of them with a bug
    assert len(skipped) == 5  # 6 not covered, one of them with a bug
    assert len(failed) == 9
    assert failed[0].classname == "merge requests"
    assert "KeyError: 'squash_commit'" in failed[0].name
    assert "7. POST /api/v1/projects/16/merge_requests/3/revert -> 500" in failed[0].result[0].text


def test_the_totals_are_those_of_its_cases() -> None:
    data = campaign()
    root = ElementTree.fromstring(junit_xml(data.summary))
    for element in (root, root[0]):
        assert element.get("tests") == str(len(list(root.iter("testcase"))))
        assert element.get("failures") == str(len(list(root.iter("failure"))))
        assert element.get("skipped") == str(len(list(root.iter("skipped"))))


def test_what_was_not_confirmed_says_so() -> None:
    summary = campaign().summary
    text = junit_xml(replace(summary, bugs=(replace(summary.bugs[0], confirmed=False, status=0),)))
    assert "not confirmed by a second run" in text
    assert "gets no answer" in text


@pytest.mark.parametrize("text", [*HOSTILE, "\x00\x0b\ud800\uffff]]>"])
def test_hostile_text_is_still_xml(text: str) -> None:
    data = hostile_campaign(text.replace("\ud800", ""))
    root = ElementTree.fromstring(junit_xml(data.summary, data.bugs))
    assert len(list(root.iter("failure"))) == 1


def test_no_secret_is_in_it() -> None:
    data = campaign()
    assert "glpat-visible" not in junit_xml(data.summary, data.bugs)


def test_other_findings_fail_by_their_kind_unless_they_are_merely_worth_knowing() -> None:
    summary = campaign().summary
    schema = replace(
        summary.bugs[0], kind="response-schema", severity="low", status=200, evidence="id is text"
    )
    info = replace(schema, n=2, severity="info")
    root = ElementTree.fromstring(junit_xml(replace(summary, bugs=(schema, info))))
    (failure,) = root.iter("failure")
    assert failure.get("type") == "response-schema"
    assert "id is text" in (failure.text or "")
    worth = [one.get("message") for one in root.iter("skipped") if "worth knowing" in str(one.get("message"))]
    assert len(worth) == 1
