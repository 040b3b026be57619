"""What a person decides."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.resources.documents import forge

from lobrest.errors import ConfigError
from lobrest.model.operation import Location, OperationId, ParameterRef
from lobrest.model.resource import Binding, Decider, ResourceName, Source
from lobrest.resources import analyse
from lobrest.resources.overrides import Overrides, read_overrides

LOCK = "POST /repos/{owner}/{repo}/issues/{index}/lock"
ISSUES = "POST /repos/{owner}/{repo}/issues"


def test_nothing_is_nothing() -> None:
    assert read_overrides(None, forge()) == Overrides()
    assert read_overrides({}, forge()) == Overrides()


def test_a_person_wins() -> None:
    model = analyse(
        forge(),
        overrides={
            "creates": [{"op": LOCK, "resource": "/locks"}],
            "not_creates": ["POST /user/repos"],
            "retrieves": ["GET /user"],
            "not_retrieves": ["GET /users/search"],
            "dependencies": [
                {"op": ISSUES, "in": "body", "param": "title", "resource": "/user/repos",
                 "bindings": [{"source": "response", "pointer": "name"}]},
                {"op": ISSUES, "in": "body", "param": "milestone", "resource": ""},
            ],
            "parents": [{"path": "/locks", "parent": "/user/repos"}],
        },
    )  # fmt: skip
    lock = model.creations[OperationId(LOCK)]
    assert lock.resource == "/locks" and lock.decided_by is Decider.PERSON
    assert OperationId("POST /user/repos") not in model.creations
    assert OperationId("GET /user") in model.retrievals
    assert OperationId("GET /users/search") not in model.retrievals
    title = model.dependencies[ParameterRef(OperationId(ISSUES), Location.BODY, "title")]
    assert title.bindings == (Binding(Source.RESPONSE, "name"),) and title.decided_by is Decider.PERSON
    assert ParameterRef(OperationId(ISSUES), Location.BODY, "milestone") not in model.dependencies
    locks = model.resources[ResourceName("/locks")]
    assert locks.parent == "/user/repos" and locks.creators == (LOCK,)


def test_a_confirmed_dependency_keeps_its_bindings() -> None:
    item = {"op": "GET /repos/{owner}/{repo}", "in": "path", "param": "repo", "resource": "/user/repos"}
    ref = ParameterRef(OperationId("GET /repos/{owner}/{repo}"), Location.PATH, "repo")
    confirmed = analyse(forge(), overrides={"dependencies": [item]}).dependencies[ref]
    assert confirmed.bindings == analyse(forge()).dependencies[ref].bindings
    assert confirmed.confidence == 1.0


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"typo": []}, "no setting 'typo'"),
        ({"creates": [{"op": "POST /nowhere"}]}, "no operation of the specification"),
        ({"not_creates": "POST /user/repos"}, "must be a list"),
        ({"creates": [5]}, "list of tables"),
        ({"dependencies": [{"op": ISSUES, "param": "x", "resource": "/r"}]}, "lacks 'in'"),
        ({"dependencies": [{"op": ISSUES, "in": "space", "param": "x"}]}, "space"),
        (
            {"dependencies": [{"op": ISSUES, "in": "body", "param": "x", "bindings": [{"source": "s"}]}]},
            "'s'",
        ),
        ({"parents": [{"parent": "/x"}]}, "lacks 'path'"),
    ],
)
def test_mistakes_are_named(table: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        read_overrides(table, forge())
