"""Values that come back."""

from __future__ import annotations

import pytest
from tests.unit.logs.forge import model, spec

from lobrest.logs.arguments import ArgumentReader, Detail
from lobrest.logs.flows import FlowFinder
from lobrest.logs.formats.record import Body
from lobrest.logs.plan import make_plan
from lobrest.model.operation import OperationId
from lobrest.model.slice import Profile

SPEC = spec()
PLAN = make_plan(SPEC, model(), Profile.DEFAULT)
CREATE = PLAN.operations[PLAN.index_of[OperationId("POST /projects")]]
MERGE = PLAN.operations[PLAN.index_of[OperationId("POST /projects/{id}/merges")]]


def flows(answer, path, target="/", body=""):
    counts = {}
    finder = FlowFinder(counts)
    finder.response(CREATE, answer)
    finder.request(MERGE, path, Detail(target, body, Body.TEXT, "application/json"), ArgumentReader(SPEC))
    return {key[1:2] + key[3:] for key in counts}


def test_values_are_found_in_path_query_and_body():
    answer = '{"id": 4711, "refs": [{"name": "fix-1"}], "web": "abc-def"}'
    found = flows(answer, {"id": "4711"}, "/?q=abc-def", '{"source": "fix-1", "list": ["fix-1"]}')
    assert found == {
        ("id", "path", "id"), ("web", "query", "q"), ("refs/*/name", "body", "source"), ("refs/*/name",
        "body", "list/*"),
    }  # fmt: skip


@pytest.mark.parametrize("value", ["true", "1", "2", '"open"', '"a"', "null"])
def test_common_values_prove_nothing(value):
    text = value.strip('"')
    assert flows('{"x": ' + value + "}", {"id": text}) == set()


@pytest.mark.parametrize("answer", ["", "not json", "[" * 2000, b"\xff"])
def test_broken_answers_are_nothing(answer):
    assert flows(answer, {"id": "4711"}) == set()
