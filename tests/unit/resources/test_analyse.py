"""The whole of stage 1."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from tests.unit.resources.documents import answer, api, forge, ref, thing

from lobrest.errors import ModelError
from lobrest.model.operation import Json, Location, OperationId, ParameterRef, Schema
from lobrest.model.resource import Binding, Decider, Source
from lobrest.resources import analyse

LOCK = OperationId("POST /repos/{owner}/{repo}/issues/{index}/lock")


class Opinion:
    """A model with one opinion on everything."""

    def __init__(self, *, yes: bool, resource: int, broken_after: int = 10**6) -> None:
        self.yes, self.resource, self.left = yes, resource, broken_after
        self.asked = 0

    def ask(self, prompts: Sequence[str], *, schema: Schema) -> Sequence[Json]:
        self.left -= 1
        if self.left < 0:
            raise ModelError("it went away")
        answers: list[Json] = []
        for prompt in prompts:
            found = [int(n) for n in re.findall(r"(?m)^(\d+) \{", prompt)]
            self.asked += len(found)
            key, value = ("resource", self.resource) if "parameters:\n" in prompt else ("yes", self.yes)
            answers.append({"answers": [{"number": n, key: value} for n in found]})
        return answers


def test_without_a_model_it_is_deterministic() -> None:
    assert analyse(forge()) == analyse(forge())


def test_a_model_that_decides_everything() -> None:
    said: list[str] = []
    model = analyse(forge(), model=Opinion(yes=True, resource=1), mode="llm", watch=said.append)
    assert LOCK in model.creations and model.creations[LOCK].decided_by is Decider.MODEL
    assert {one.decided_by for one in model.dependencies.values()} == {Decider.MODEL}
    assert len(said) == 1 and "questions answered" in said[0]


def test_hybrid_asks_less_than_everything() -> None:
    everything, doubts = Opinion(yes=True, resource=0), Opinion(yes=True, resource=0)
    analyse(forge(), model=everything, mode="llm")
    hybrid = analyse(forge(), model=doubts, mode="hybrid")
    assert 0 < doubts.asked < everything.asked / 2
    sure = ParameterRef(OperationId("GET /repos/{owner}/{repo}"), Location.PATH, "repo")
    assert hybrid.dependencies[sure].decided_by is Decider.RULES


@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_model_that_goes_away_leaves_the_rules(after: int) -> None:
    said: list[str] = []
    opinion = Opinion(yes=True, resource=0, broken_after=after)
    model = analyse(forge(), model=opinion, mode="llm", watch=said.append)
    assert "it went away; the rules decide the rest" in said[0]
    rules = analyse(forge())
    if after == 0:
        assert model == rules
    assert set(rules.creations) <= set(model.creations)


def test_a_person_wins_over_the_model() -> None:
    overrides = {"not_creates": [str(LOCK)]}
    model = analyse(forge(), overrides=overrides, model=Opinion(yes=True, resource=1), mode="llm")
    assert LOCK not in model.creations


def test_links_of_the_document_come_first() -> None:
    made = answer(ref("Job"), "201")
    assert isinstance(made, dict) and isinstance(made["201"], dict)
    made["201"]["links"] = {"l": {"operationId": "get", "parameters": {"id": "$response.body#/handle"}}}
    spec = api(
        {
            "POST /jobs": {"responses": made, "summary": "Create a job"},
            "GET /jobs/{id}": {"operationId": "get"},
        },
        Job=thing(id="integer", handle="string"),
    )
    dependency = analyse(spec).dependencies[ParameterRef(OperationId("GET /jobs/{id}"), Location.PATH, "id")]
    assert dependency.bindings[0] == Binding(Source.RESPONSE, "handle")


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="guess"):
        analyse(forge(), mode="guess")


def test_a_service_without_resources_is_fine() -> None:
    model = analyse(api({"GET /calc/{a}/{b}": {}, "GET /": {}}))
    assert not model.resources and not model.dependencies
