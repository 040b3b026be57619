"""Refusals as real services write them: which field, what is wrong, what is sent instead."""

from __future__ import annotations

import json
import random

import pytest
from tests.unit.enhance.world import TEXT, World, ref

from lobrest.fuzz.repair import Complaint, Repairer, complaint_of, findings, freshened
from lobrest.model.corpus import Corpus
from lobrest.model.entry import Arguments
from lobrest.model.exchange import Response
from lobrest.model.operation import OperationId
from lobrest.spec.fields import BodyFields

MAKE = "POST /users"
SENT = {"username": "annabel", "email": "ann@example.org", "role": "boss"}


def world_of() -> World:
    world = World()
    world.operation(
        MAKE,
        body={
            "username": TEXT,
            "email": TEXT,
            "password": TEXT,
            "role": TEXT,
            "name": TEXT,
            "color": TEXT,
            "visibility": TEXT,
            "age": {"type": "integer"},
            "source_branch": TEXT,
        },
        query={"page": TEXT},
        required=("username", "email"),
    )
    return world


def answer(body: object, status: int = 422) -> Response:
    return Response(status, (), body if isinstance(body, bytes) else json.dumps(body).encode())


def read(body: object, sent: dict | None = None) -> dict[str, Complaint]:
    world = world_of()
    operation = world.spec.operations[OperationId(MAKE)]
    declared = (*operation.parameters, *BodyFields(world.spec).of(operation))
    arguments = Arguments(body=sent if sent is not None else SENT, has_body=True)
    return {one.parameter.pointer: one.complaint for one in findings(answer(body), declared, arguments)}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        # GitLab
        ({"error": "email is missing, password is missing"},
         {"email": Complaint.MISSING, "password": Complaint.MISSING}),
        ({"message": {"username": ["has already been taken"]}}, {"username": Complaint.TAKEN}),
        ({"message": {"password": ["is too short (minimum is 8 characters)"]}},
         {"password": Complaint.TOO_SHORT}),
        ({"message": {"name": ["can't be blank", "is too short (minimum is 1 character)"]}},
         {"name": Complaint.MISSING}),
        ({"error": "visibility does not have a valid value"}, {"visibility": Complaint.INVALID}),
        ({"error": "age is invalid"}, {"age": Complaint.INVALID}),
        # Gitea, Forgejo
        ({"message": "user already exists [name: annabel]", "url": "http://127.0.0.1/api/swagger"},
         {"username": Complaint.TAKEN}),
        ({"message": "e-mail already in use [email: ann@example.org]"}, {"email": Complaint.TAKEN}),
        ({"message": "[Username]: Required"}, {"username": Complaint.MISSING}),
        ({"message": "[Email]: MaxSize"}, {"email": Complaint.TOO_LONG}),
        # FastAPI, pydantic
        ({"detail": [{"loc": ["body", "password"], "msg": "field required", "type": "value_error.missing"}]},
         {"password": Complaint.MISSING}),
        ({"detail": [{"type": "missing", "loc": ["body", "password"], "msg": "Field required", "input": {}}]},
         {"password": Complaint.MISSING}),
        ({"detail": [{"loc": ["query", "page"], "msg": "Input should be a valid integer"}]},
         {"page": Complaint.INVALID}),
        ({"detail": [{"loc": ["body", "color"], "msg": "Extra inputs are not permitted"}]},
         {"color": Complaint.UNWELCOME}),
        ({"detail": [{"loc": ["body", "name"], "msg": "String should have at least 3 characters"}]},
         {"name": Complaint.TOO_SHORT}),
        ({"detail": [{"loc": ["body", "name"], "msg": "String should have at most 10 characters"}]},
         {"name": Complaint.TOO_LONG}),
        # Rails
        ({"errors": {"email": ["is invalid"], "username": ["has already been taken"]}},
         {"email": Complaint.INVALID, "username": Complaint.TAKEN}),
        ({"errors": ["Password can't be blank"]}, {"password": Complaint.MISSING}),
        # Spring
        ({"timestamp": "2024-01-01T00:00:00Z", "status": 400, "error": "Bad Request",
          "errors": [{"field": "email", "rejectedValue": None, "defaultMessage": "must not be null",
                      "message": "must not be null"}], "path": "/users"}, {"email": Complaint.MISSING}),
        ({"errors": [{"field": "password", "defaultMessage": "must not be blank"}]},
         {"password": Complaint.MISSING}),
        # Django REST framework
        ({"password": ["This field is required."], "role": ["\"boss\" is not a valid choice."]},
         {"password": Complaint.MISSING, "role": Complaint.INVALID}),
        ({"username": ["user with this username already exists."]}, {"username": Complaint.TAKEN}),
        ({"name": ["Ensure this field has no more than 20 characters."]}, {"name": Complaint.TOO_LONG}),
        ({"name": ["Ensure this field has at least 3 characters."]}, {"name": Complaint.TOO_SHORT}),
        ({"username": ["This field may not be blank."]}, {"username": Complaint.MISSING}),
        # Kinto
        ({"code": 400, "errno": 107, "error": "Invalid parameters", "message": "name in body: Required",
          "details": [{"location": "body", "name": "name", "description": "Required"}]},
         {"name": Complaint.MISSING}),
        # express-validator, Joi, ajv
        ({"errors": [{"type": "field", "msg": "Invalid value", "path": "email", "location": "body"}]},
         {"email": Complaint.INVALID}),
        ({"message": '"password" is required'}, {"password": Complaint.MISSING}),
        ({"message": "body must have required property 'password'"}, {"password": Complaint.MISSING}),
        ({"message": "\"color\" is not allowed"}, {"color": Complaint.UNWELCOME}),
        # Go
        ({"error": "Key: 'Form.Email' Error:Field validation for 'Email' failed on the 'required' tag"},
         {"email": Complaint.MISSING}),
        ({"error": "json: cannot unmarshal string into Go struct field Form.age of type int"},
         {"age": Complaint.INVALID}),
        ({"message": "unknown field \"color\""}, {"color": Complaint.UNWELCOME}),
        # plain text
        (b"email: malformed address", {"email": Complaint.INVALID}),
        ({"message": "source_branch does not exist"}, {"source_branch": Complaint.INVALID}),
    ],
)  # fmt: skip
def test_what_real_services_say(body: object, found: dict):
    assert read(body) == found


@pytest.mark.parametrize(
    "body",
    [{"message": "400 Bad Request"}, {}, [], b"", b"<html>", {"message": None}, {"error": {"code": 7}}, "no"],
)
def test_where_no_field_is_named_nothing_is_found(body: object):
    assert read(body) == {}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("has already been taken", Complaint.TAKEN),
        ("already exists", Complaint.TAKEN),
        ("UNIQUE constraint failed", Complaint.TAKEN),
        ("does not exist", Complaint.INVALID),
        ("not found", Complaint.INVALID),
        ("is required", Complaint.MISSING),
        ("cannot be null", Complaint.MISSING),
        ("must be at most 20 characters", Complaint.TOO_LONG),
        ("exceeds the limit", Complaint.TOO_LONG),
        ("hello", None),
        ("", None),
    ],
)
def test_complaints(text: str, complaint: Complaint | None):
    assert complaint_of(text) == complaint


def repaired(
    body: object, sent: dict, *, bound: tuple[str, ...] = (), tries: int = 0, corpus: Corpus | None = None
) -> Arguments | None:
    world = world_of()
    chance = random.Random(1)
    repairer = Repairer(world.spec, BodyFields(world.spec), world.values(corpus), chance)
    repair = repairer.repaired(
        world.spec.operations[OperationId(MAKE)],
        Arguments(body=sent, has_body=True, query={"page": "1"}),
        answer(body),
        bound=frozenset(ref(MAKE, f"body/{one}") for one in bound),
        token="00a7",
        tries=tries,
    )
    return repair.arguments if repair else None


def test_a_missing_field_is_added():
    mended = repaired({"error": "password is missing"}, SENT)
    assert len(mended.body["password"]) >= 8
    assert {**mended.body, "password": ""} == {**SENT, "password": ""}


def test_a_missing_field_comes_from_a_request_that_once_worked():
    known = Arguments(body={"role": "guest"}, has_body=True)
    corpus = Corpus(examples={OperationId(MAKE): (known,)})
    assert repaired({"error": "role is missing"}, {"email": "a@b.c"}, corpus=corpus).body["role"] == "guest"


def test_a_taken_name_is_made_new_and_stays_recognisable():
    mended = repaired({"message": {"username": ["has already been taken"]}}, SENT)
    assert mended.body["username"] == "annabel-x00a7"
    mail = repaired({"message": {"email": ["has already been taken"]}}, SENT)
    assert mail.body["email"] == "ann-x00a7@example.org"


def test_a_field_too_short_grows_and_one_too_long_shrinks():
    short = repaired(
        {"message": {"password": ["is too short (minimum is 12 characters)"]}}, {"password": "abc"}
    )
    assert len(short.body["password"]) >= 12
    long = repaired({"message": {"name": ["is too long (maximum is 10 characters)"]}}, {"name": "n" * 50})
    assert 1 <= len(long.body["name"]) <= 10


def test_an_unwelcome_field_is_left_out_even_where_it_is_bound():
    body = {"detail": [{"loc": ["body", "color"], "msg": "extra fields not permitted"}]}
    assert repaired(body, {**SENT, "color": "red"}).body == SENT
    assert repaired(body, {**SENT, "color": "red"}, bound=("color",)).body == SENT


@pytest.mark.parametrize(
    "text",
    [
        "role must be one of: guest, owner, maintainer",
        "role must be one of ['guest', 'owner', 'maintainer']",
        'role: value is not valid, should be either "guest", "owner" or "maintainer"',
        "role is not in [guest|owner|maintainer]",
    ],
)
def test_a_choice_is_taken_from_the_message(text: str):
    assert repaired({"message": text}, SENT).body["role"] in ("guest", "owner", "maintainer")


def test_bound_fields_are_left_alone():
    body = {"message": {"username": ["has already been taken"], "email": ["is invalid"]}}
    assert repaired(body, SENT, bound=("username", "email")).body == SENT


def test_where_nothing_is_named_fewer_fields_are_tried_first():
    mended = repaired({"message": "no"}, {**SENT, "color": "red"}, bound=("role",))
    assert mended.body == SENT
    assert mended.query == {}


def test_then_a_combination_that_is_known_to_work():
    known = Arguments(body={"username": "k", "email": "k@b.c", "age": 7}, has_body=True)
    corpus = Corpus(examples={OperationId(MAKE): (known,)})
    mended = repaired({"message": "no"}, {"role": "boss"}, bound=("role",), tries=1, corpus=corpus)
    assert mended.body == {"username": "k", "email": "k@b.c", "age": 7, "role": "boss"}


def test_an_answer_that_is_hostile_is_survived():
    deep: object = "x"
    for _ in range(200):
        deep = [deep]
    for body in ({"errors": deep}, {"errors": {"a": {"b": [None, 1, {"loc": {}}]}}}, b"\xff" * 100):
        repaired(body, SENT)
    repaired({"detail": [{"loc": [["x"]], "msg": "required"}, {"field": {"a": 1}, "message": "x"}]}, SENT)
    repaired({"message": "name " * 50_000 + "required"}, SENT)


def test_fresh_values_are_like_the_old_ones():
    assert freshened("billing", "0a1b") == "billing-x0a1b"
    assert freshened("billing-x0000", "0a1b") == "billing-x0a1b"
    assert freshened("a@b.org", "0a1b") == "a-x0a1b@b.org"
    assert freshened(freshened("a@b.org", "0000"), "0a1b") == "a-x0a1b@b.org"
    assert freshened(7, "0a1b") > 7
    assert freshened(True, "0a1b") is True
    assert freshened(None, "0a1b") is None
    assert len(freshened("x" * 200, "0a1b")) < 60


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("billing", "billing-x00ab"),
        ("billing-x00aa", "billing-x00ab"),
        ("deploy_env", "deploy_env_x00ab"),
        ("DEPLOY_ENV", "DEPLOY_ENV_X00AB"),
        ("DEPLOY_ENV_X00AA", "DEPLOY_ENV_X00AB"),
        ("ann@example.org", "ann-x00ab@example.org"),
        (["a@b.org", 3], ["a-x00ab@b.org", 3 + int("00ab", 36) + 1]),
    ],
)
def test_what_is_made_new_is_written_in_the_letters_it_was_written_in(old: object, new: object):
    assert freshened(old, "00ab") == new


def open_world() -> World:
    world = World()
    world.operation(
        MAKE,
        body={
            "config": {"type": "object", "additionalProperties": TEXT},
            "emails": {"type": "array", "items": TEXT},
            "repo_name": TEXT,
        },
    )
    return world


def mended(said: object, sent: dict) -> dict:
    world = open_world()
    fields = BodyFields(world.spec)
    repairer = Repairer(world.spec, fields, world.values(), random.Random(0))
    repair = repairer.repaired(
        world.spec.operations[OperationId(MAKE)],
        Arguments(body=sent, has_body=True),
        answer({"message": said} if isinstance(said, str) else said),
        bound=frozenset(),
        token="00ab",
        tries=0,
    )
    assert repair is not None
    return repair.arguments.body


def test_a_name_that_is_missed_inside_an_open_field_is_put_there():
    body = mended("Missing config option: url", {"config": {"secret": "x"}})
    assert body["config"]["secret"] == "x"
    assert body["config"]["url"].startswith("http")


def test_a_taken_value_in_a_list_is_made_new():
    assert mended("Email address has been used: a@b.org", {"emails": ["a@b.org"]}) == {
        "emails": ["a-x00ab@b.org"]
    }


def test_a_name_that_is_taken_is_found_by_its_last_word():
    assert mended("The repository with the same name already exists.", {"repo_name": "billing"}) == {
        "repo_name": "billing-x00ab"
    }


def test_several_fields_that_are_empty_are_missing():
    assert complaint_of("both rule_name and branch_name are empty") is Complaint.MISSING


def test_a_path_into_an_open_field_says_what_is_missed_there():
    said = {
        "details": [
            {"location": "body", "name": "config.password", "description": "config.password: Required"}
        ]
    }
    body = mended(said, {"config": {"age": 3}})
    assert body["config"]["age"] == 3
    assert len(body["config"]["password"]) >= 8
