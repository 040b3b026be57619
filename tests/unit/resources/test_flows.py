"""Values that flow from answers to requests."""

from __future__ import annotations

from dataclasses import dataclass

from tests.unit.resources.documents import forge

from lobrest.model.operation import Location, OperationId, ParameterRef
from lobrest.model.resource import Binding, Decider, Dependency, Source
from lobrest.resources import analyse
from lobrest.resources.flows import with_flows

TITLE = ParameterRef(OperationId("POST /repos/{owner}/{repo}/issues"), Location.BODY, "title")
INDEX = ParameterRef(OperationId("GET /repos/{owner}/{repo}/issues/{index}"), Location.PATH, "index")


@dataclass(frozen=True)
class Seen:
    source: OperationId
    pointer: str
    target: OperationId
    location: str
    parameter: str
    count: int


def seen(source: str, pointer: str, ref: ParameterRef, count: int) -> Seen:
    return Seen(OperationId(source), pointer, ref.operation, ref.location.value, ref.pointer, count)


def shown(*flows: Seen) -> dict[ParameterRef, Dependency]:
    base = analyse(forge())
    declared = {*base.dependencies, TITLE}
    return with_flows(declared, base.dependencies, base.creations, base.retrievals, flows)


def test_what_logs_show_comes_first() -> None:
    made = seen("POST /repos/{owner}/{repo}/issues", "id", INDEX, 2)
    listed = seen("GET /repos/{owner}/{repo}/issues", "*/number", INDEX, 9)
    foreign = seen("POST /user/repos", "id", INDEX, 99)
    bindings = shown(made, listed, foreign)[INDEX].bindings
    assert bindings[:3] == (
        Binding(Source.LIST, "number"),
        Binding(Source.RESPONSE, "id"),
        Binding(Source.RESPONSE, "number"),
    )


def test_a_dependency_that_only_logs_show_needs_several_values() -> None:
    few = shown(seen("POST /repos/{owner}/{repo}/milestones", "id", TITLE, 2))
    many = shown(seen("POST /repos/{owner}/{repo}/milestones", "id", TITLE, 5))
    assert TITLE not in few
    assert many[TITLE].resource == "/repos/{owner}/{repo}/milestones"
    assert many[TITLE].decided_by is Decider.LOGS


def test_values_that_are_no_identities_make_none() -> None:
    assert TITLE not in shown(seen("POST /repos/{owner}/{repo}/milestones", "state", TITLE, 50))


def test_parameters_that_are_not_declared_stay_out() -> None:
    sudo = ParameterRef(OperationId("GET /user"), Location.QUERY, "sudo")
    assert sudo not in shown(seen("POST /admin/users", "login", sudo, 50))
    odd = Seen(OperationId("POST /admin/users"), "login", OperationId("GET /user"), "nowhere", "x", 9)
    assert len(shown(odd)) == len(shown())
