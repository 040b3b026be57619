"""What is there, and the questions about it."""

from __future__ import annotations

from tests.unit.resources.documents import forge

from lobrest.model.operation import OperationId
from lobrest.resources.landscape import Landscape


def land() -> Landscape:
    return Landscape(forge())


def test_people_are_found() -> None:
    people = land().people
    assert people is not None and people.name == "/admin/users"


def test_names_lead_to_the_nearest_resource() -> None:
    here = land()
    route = here.catalogue.routes[OperationId("POST /repos/{owner}/{repo}/issues")]
    named = here.named(("milestone",), route)
    assert named is not None and named.name == "/repos/{owner}/{repo}/milestones"
    assert here.named(("default", "branch"), route) is here.named(("branch",), route)
    assert here.named(("unicorn",), route) is None
    assert here.named((), route) is None


def test_what_lives_inside_what() -> None:
    here = land()
    branch = here.resources[here.resource_at[("repos", "{}", "{}", "branches")]]
    repository = here.resources[here.resource_at[("user", "repos")]]
    assert here.inside(branch, repository)
    assert not here.inside(repository, branch)


def test_own_resources() -> None:
    here = land()
    own = {name: here.own(route) for name, route in here.catalogue.routes.items()}
    forks = own[OperationId("POST /repos/{owner}/{repo}/forks")]
    locked = own[OperationId("POST /repos/{owner}/{repo}/issues/{index}/lock")]
    assert forks is not None and forks.name == "/user/repos"
    assert locked is not None and locked.name == "/repos/{owner}/{repo}/issues"


def test_verdicts_of_others_win() -> None:
    creating, locking = (
        OperationId("POST /user/repos"),
        OperationId("POST /repos/{owner}/{repo}/issues/{index}/lock"),
    )
    searching = OperationId("GET /users/search")
    here = Landscape(forge(), creates={creating: False, locking: True}, lists={searching: False})
    assert creating not in here.making and locking in here.making
    assert searching not in here.listing
    assert here.making[locking].reason == "decided from outside"


def test_a_verdict_on_a_named_creation_takes_its_last_parameter() -> None:
    getting = OperationId("DELETE /repos/{owner}/{repo}")
    assert Landscape(forge(), creates={getting: True}).making[getting].chosen == "repo"
