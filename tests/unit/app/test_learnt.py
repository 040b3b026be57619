"""What one campaign may tell another."""

from __future__ import annotations

import json

from lobrest.app.learnt import carried_over
from lobrest.fuzz.knowledge import Knowledge, Patience, Pooled, Tally
from lobrest.model.entry import Arguments
from lobrest.model.operation import Location, OperationId, ParameterRef
from lobrest.model.resource import Binding, ResourceName, Source

MAKE, GONE = OperationId("POST /users"), OperationId("GET /gone")
USERS = ResourceName("/users")
ID = Binding(Source.RESPONSE, "id")
NAME = ParameterRef(MAKE, Location.BODY, "name")


def learnt() -> Knowledge:
    knowledge = Knowledge(
        bindings={(USERS, MAKE, "id", ID): Tally(100, 1), (USERS, GONE, "id", ID): Tally(1, 1)},
        creators={MAKE: Tally(7, 50), GONE: Tally()},
        unique={NAME, ParameterRef(GONE, Location.BODY, "name")},
        actors={(MAKE, "ann"): Tally(9, 0), (MAKE, "bo"): Tally(0, 9)},
        recipes={(MAKE, (GONE,)): Tally(1, 0), (MAKE, ()): Tally(1, 0)},
        patience={(MAKE, 409): Patience(1, 0, 0.5)},
    )
    knowledge.worked(
        MAKE,
        Arguments(
            path={"id": "4711"},
            query={"private_token": "s3cret", "page": 1},
            header={"X-Run": "4711"},
            cookie={"session": "s3cret"},
            body={"name": "n", "password": "s3cret", "profile": {"api_key": "s3cret", "lang": "de"}},
            has_body=True,
        ),
    )
    knowledge.keep(Pooled(USERS, {"id": 4711}, "/users", "ann"))
    return knowledge


def test_rules_of_the_service_are_carried_over_and_count_little() -> None:
    told = carried_over(learnt(), {MAKE}, {"ann"})
    assert told.bindings == {(USERS, MAKE, "id", ID): Tally(4, 1)}
    assert told.creators == {MAKE: Tally(4, 4)}
    assert told.unique == {NAME}
    assert told.recipes == {(MAKE, ()): Tally(1, 0)}
    assert told.patience == {(MAKE, 409): Patience(1, 0, 0.5)}


def test_only_people_who_are_there_again_are_remembered() -> None:
    assert carried_over(learnt(), {MAKE}, {"ann", "eve"}).actors == {(MAKE, "ann"): Tally(4, 0)}


def test_identities_and_secrets_of_a_run_stay_there() -> None:
    told = carried_over(learnt(), {MAKE}, {"ann"})
    assert told.pool == {}
    (form,) = told.examples[MAKE]
    assert form.body == {"name": "n", "profile": {"lang": "de"}}
    assert form.query == {"page": 1}
    assert set(form.hidden) == {"query/private_token", "body/password", "body/profile/api_key"}
    text = json.dumps([form.path, form.query, form.header, form.cookie, form.body])
    assert "4711" not in text
    assert "s3cret" not in text
