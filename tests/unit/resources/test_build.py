"""The model: alternatives, bindings, the tree."""

from __future__ import annotations

from tests.unit.resources.documents import answer, api, body, forge, many, ref, thing

from lobrest.model.operation import Location, OperationId, ParameterRef
from lobrest.model.resource import Binding, Decider, ResourceModel, ResourceName, Source
from lobrest.resources.build import Decided, ModelBuilder
from lobrest.resources.rules import apply_rules


def model() -> ResourceModel:
    return ModelBuilder(apply_rules(forge()), Decided()).build()


def sources(result: ResourceModel, operation: str, name: str) -> tuple[Binding, ...]:
    return result.dependencies[ParameterRef(OperationId(operation), Location.PATH, name)].bindings


def test_bindings_are_ordered_by_evidence() -> None:
    result = model()
    item = "GET /repos/{owner}/{repo}/issues/{index}"
    assert sources(result, item, "index")[0] == Binding(Source.RESPONSE, "number")
    assert sources(result, item, "repo")[0] == Binding(Source.RESPONSE, "name")
    assert sources(result, item, "owner")[0] == Binding(Source.RESPONSE, "owner/login")
    assert Binding(Source.RESPONSE, "login") in sources(result, item, "owner")
    branch = sources(result, "GET /repos/{owner}/{repo}/branches/{branch}", "branch")
    assert branch[:2] == (Binding(Source.RESPONSE, "name"), Binding(Source.REQUEST, "body/new_branch_name"))
    assert Binding(Source.LIST, "name") in branch


def test_what_the_request_names_identifies_the_new_thing() -> None:
    creation = model().creations[OperationId("POST /repos/{owner}/{repo}/branches")]
    assert [one.pointer for one in creation.identified_by] == ["new_branch_name"]


def test_creators_come_best_first() -> None:
    repositories = model().resources[ResourceName("/user/repos")]
    assert repositories.creators == ("POST /user/repos", "POST /repos/{owner}/{repo}/forks")
    assert repositories.listers[0] == "GET /user/repos"


def test_parents_by_path_and_by_identity() -> None:
    result = model()
    assert result.resources[ResourceName("/repos/{owner}/{repo}/issues")].parent == "/user/repos"
    assert result.resources[ResourceName("/user/repos")].parent == "/admin/users"
    assert result.resources[ResourceName("/admin/users")].parent is None
    assert result.depth(ResourceName("/repos/{owner}/{repo}/issues")) == 2


def test_those_who_act() -> None:
    assert model().acting_users == {"/admin/users", "/repos/{owner}/{repo}/collaborators"}


def test_dependencies_are_in_the_order_of_the_specification() -> None:
    operations = list(dict.fromkeys(ref.operation for ref in model().dependencies))
    order = list(forge().operations)
    assert operations == sorted(operations, key=order.index)


def test_an_answer_that_says_nothing_leaves_the_request_and_the_location() -> None:
    spec = api(
        {
            "POST /products/{name}": {"operationId": "addProduct"},
            "GET /products/{name}": {},
            "GET /products": {"responses": answer({"type": "array", "items": {"type": "string"}})},
        }
    )
    result = ModelBuilder(apply_rules(spec), Decided()).build()
    found = sources(result, "GET /products/{name}", "name")
    assert found[0] == Binding(Source.REQUEST, "path/name")
    assert Binding(Source.LIST, "") in found and Binding(Source.LOCATION, "-1") in found


def test_a_location_header_counts() -> None:
    made = {"201": {"description": "", "headers": {"Location": {"schema": {"type": "string"}}}}}
    spec = api({"POST /jobs": {"summary": "Create a job", "responses": made}, "GET /jobs/{jobId}": {}})
    result = ModelBuilder(apply_rules(spec), Decided()).build()
    assert sources(result, "GET /jobs/{jobId}", "jobId")[0] == Binding(Source.LOCATION, "-1")


def test_what_is_made_within_another_thing_has_it_as_parent() -> None:
    spec = api(
        {
            "GET /projects": {"responses": answer(many("Project"))},
            "GET /shots": {"responses": answer(many("Shot"))},
            "GET /shots/{shot_id}": {"responses": answer(ref("Shot"))},
            "POST /projects/{project_id}/shots": {
                "summary": "Create a shot",
                "requestBody": body({"name": {"type": "string"}}),
                "responses": answer(ref("Shot"), "201"),
            },
        },
        Project=thing(id="integer"),
        Shot=thing(id="integer", name="string"),
    )
    result = ModelBuilder(apply_rules(spec), Decided()).build()
    assert result.resources[ResourceName("/shots")].parent == "/projects"


def test_who_decided_is_kept() -> None:
    made = OperationId("POST /user/repos")
    result = ModelBuilder(apply_rules(forge()), Decided({made: Decider.MODEL})).build()
    assert result.creations[made].decided_by is Decider.MODEL
    assert result.retrievals[OperationId("GET /user/repos")].decided_by is Decider.RULES
