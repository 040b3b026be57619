"""The order of a seed's steps, and what is wired to what."""

from __future__ import annotations

from tests.unit.enhance.world import thing

from lobrest.enhance.arrange import arranged, make_seed
from lobrest.enhance.draft import Draft, Made
from lobrest.model.entry import Arguments, LogEntry, UserId
from lobrest.model.operation import Location, OperationId, ParameterRef
from lobrest.model.resource import ResourceInstance
from lobrest.model.seed import Origin, Step
from lobrest.model.slice import Slice

ANN = UserId("ann")
PROJECT = thing("/projects", "15")
ISSUE = thing("/projects/{id}/issues", "3", PROJECT)
LABEL = thing("/labels", "red")


def entry(
    operation: str, *uses: ResourceInstance, creates: ResourceInstance | None = None, at: float = 0.0
) -> LogEntry:
    refs = {
        ParameterRef(OperationId(operation), Location.PATH, f"p{number}"): one
        for number, one in enumerate(uses)
    }
    return LogEntry(at, OperationId(operation), Arguments(), ANN, 200, uses=refs, creates=creates)


def order(draft: Draft) -> list[str]:
    return [step.entry.operation for step in arranged(draft, Origin.LOG)[0]]


def test_creations_come_first():
    draft = Draft([entry("GET /issue", PROJECT, ISSUE)], {}, ANN)
    draft.added = [
        Step(entry("POST /projects", creates=PROJECT), Origin.CREATION),
        Step(entry("POST /issues", PROJECT, creates=ISSUE), Origin.CREATION),
    ]
    draft.producers = {PROJECT: Made(0), ISSUE: Made(1)}
    assert order(draft) == ["POST /projects", "POST /issues", "GET /issue"]


def test_a_creation_inside_what_the_slice_makes_comes_after_that():
    draft = Draft(
        [entry("GET /user"), entry("POST /projects", creates=PROJECT), entry("GET /issue", PROJECT, ISSUE)],
        {},
        ANN,
    )
    draft.created_at = {PROJECT: 1}
    draft.added = [Step(entry("POST /issues", PROJECT, creates=ISSUE), Origin.CREATION)]
    draft.producers = {ISSUE: Made(0)}
    assert order(draft) == ["GET /user", "POST /projects", "POST /issues", "GET /issue"]


def test_a_listing_stands_right_before_its_use():
    draft = Draft([entry("POST /labels"), entry("GET /label", LABEL)], {}, ANN)
    draft.added = [Step(entry("GET /labels"), Origin.LISTING)]
    draft.producers = {LABEL: Made(0)}
    assert order(draft) == ["POST /labels", "GET /labels", "GET /label"]


def test_a_listing_that_a_creation_needs_stands_before_the_creation():
    draft = Draft([entry("GET /user"), entry("GET /issue", ISSUE)], {}, ANN)
    draft.added = [
        Step(entry("GET /labels"), Origin.LISTING),
        Step(entry("POST /issues", LABEL, creates=ISSUE), Origin.CREATION),
    ]
    draft.producers = {LABEL: Made(0), ISSUE: Made(1)}
    assert order(draft)[:2] == ["GET /labels", "POST /issues"]


def test_the_id_of_a_seed_tells_what_it_sends():
    def seed(value: str) -> str:
        step = Step(LogEntry(0.0, OperationId("GET /x"), Arguments(query={"q": value}), ANN, 200), Origin.LOG)
        return make_seed((step,), (), Slice((step.entry,)), Origin.LOG).id

    assert seed("one") == seed("one")
    assert seed("one") != seed("two")
    assert seed("\ud800") != seed("\ud801")  # odd values have an id too
