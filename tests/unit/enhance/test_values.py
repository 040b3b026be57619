"""Arguments: what the corpus shows, then what the schema allows."""

from __future__ import annotations

import random

import pytest
from tests.unit.enhance.world import BRANCHES, OPEN, TEXT, World, forge, ref

from lobrest.enhance.values import ValueMaker, as_text, is_form
from lobrest.model.corpus import Corpus
from lobrest.model.entry import Arguments
from lobrest.model.operation import OperationId

MAKE = OperationId("POST /projects")


@pytest.fixture
def world() -> World:
    return forge()


def example(**body: object) -> Arguments:
    return Arguments(body=body, has_body=True, media_type="application/json")


def test_a_combination_of_the_corpus_comes_whole(world: World):
    corpus = Corpus(examples={MAKE: (example(name="seen", wiki=True),)})
    assert world.values(corpus).arguments(MAKE).body == {"name": "seen", "wiki": True}


def test_without_a_corpus_the_required_fields_are_there(world: World):
    arguments = world.values().arguments(OperationId(OPEN))
    assert {"source_branch", "target_branch", "title"} <= set(arguments.body)
    assert arguments.media_type == "application/json"
    assert arguments.path["id"]


def test_a_body_that_the_log_does_not_keep_is_made(world: World):
    """An nginx line: the path is there, the body is not."""
    operation = world.spec.operations[OperationId(f"POST {BRANCHES}")]
    shown = Arguments(path={"id": "15"}, body_known=False)
    made = world.values().completed(operation, shown)
    assert made.path == {"id": "15"}
    assert {"branch", "ref"} <= set(made.body)
    assert made.body_known


def test_a_body_that_the_log_keeps_stays(world: World):
    operation = world.spec.operations[MAKE]
    assert world.values().completed(operation, example(name="mine")).body == {"name": "mine"}


def test_a_known_request_gives_the_body_that_is_missing(world: World):
    corpus = Corpus(examples={MAKE: (example(name="seen"),)})
    operation = world.spec.operations[MAKE]
    assert world.values(corpus).completed(operation, Arguments(body_known=False)).body == {"name": "seen"}


def test_values_that_the_log_hides_are_made_anew(world: World):
    world.operation("POST /logins", body={"login": TEXT, "password": TEXT}, query={"code": TEXT})
    operation = world.spec.operations[OperationId("POST /logins")]
    shown = Arguments(
        body={"login": "ann"}, has_body=True, hidden=("body/password", "query/code", "body/pin/no")
    )
    made = world.values().completed(operation, shown)
    assert made.body["login"] == "ann"
    assert len(made.body["password"]) >= 8
    assert made.query["code"]
    assert made.body["pin"]["no"]
    assert made.hidden == ()


def test_path_parameters_that_were_lost_are_made(world: World):
    operation = world.spec.operations[OperationId("GET /projects/{id}")]
    assert world.values().completed(operation, Arguments()).path["id"]


def test_no_body_is_made_where_none_is_declared(world: World):
    operation = world.spec.operations[OperationId("GET /projects")]
    made = world.values().completed(operation, Arguments(body_known=False))
    assert not made.has_body


def test_required_queries_and_headers_are_there_and_optional_headers_are_not(world: World):
    world.operation(
        "GET /search",
        query={"q": TEXT, "page": TEXT},
        header={"X-Tenant": TEXT, "X-Trace": TEXT},
        cookie={"sid": TEXT},
        required=("q", "X-Tenant", "sid"),
    )
    for _ in range(20):
        made = world.values().arguments(OperationId("GET /search"))
        assert "q" in made.query
        assert set(made.header) == {"X-Tenant"}
        assert set(made.cookie) == {"sid"}


def test_a_value_seen_for_a_parameter_is_preferred(world: World):
    corpus = Corpus(values={ref("GET /projects/{id}", "path/id"): ("15",)})
    values = world.values(corpus)
    parameter = world.spec.operations[OperationId("GET /projects/{id}")].parameters[0]
    made = [values.parameter_value(parameter) for _ in range(200)]
    assert 120 < made.count("15") < 200


def test_customary_is_what_every_known_request_has(world: World):
    title, assignee = ref(OPEN, "body/title"), ref(OPEN, "body/assignee")
    corpus = Corpus(examples={OperationId(OPEN): (example(title="a"), example(title="b", assignee="bo"))})
    values = world.values(corpus)
    assert values.is_customary(OperationId(OPEN), title)
    assert not values.is_customary(OperationId(OPEN), assignee)


def test_without_a_corpus_customary_is_what_the_document_requires(world: World):
    values = world.values()
    assert values.is_customary(OperationId(OPEN), ref(OPEN, "body/title"))
    assert not values.is_customary(OperationId(OPEN), ref(OPEN, "body/assignee"))


def test_a_field_as_the_corpus_has_it(world: World):
    values = world.values(Corpus(examples={MAKE: (example(name="seen"),)}))
    assert values.known_value(MAKE, "name", "made") == "seen"
    assert values.known_value(MAKE, "other", "made") == "made"


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (False, "false"), (None, ""), ([1, "b"], "1,b"), (1.5, "1.5"), ("é", "é"),
     ({"a": [1, None]}, '{"a":[1,null]}')],
)  # fmt: skip
def test_values_are_written_as_services_read_them(value: object, text: str):
    assert as_text(value) == text


def test_forms_are_told_from_json():
    assert is_form("application/x-www-form-urlencoded; charset=utf-8")
    assert is_form("multipart/form-data")
    assert not is_form("application/json")
    assert not is_form(None)


def test_what_the_service_misses_is_sent_from_then_on(world: World):
    make = OperationId("POST /notes")
    world.operation(
        make, body={"title": TEXT, "colour": TEXT, "pinned": {"type": "boolean"}}, required=("title",)
    )
    wanted = {ref(make, "body/colour")}
    for corpus in (Corpus(), Corpus(examples={make: (Arguments(body={"title": "x"}, has_body=True),)})):
        values = ValueMaker(world.spec, corpus, random.Random(1), now=0.0, wanted=wanted)
        made = values.completed(world.spec.operations[make], Arguments(body_known=False))
        assert made.body["colour"]
    without = ValueMaker(world.spec, corpus, random.Random(1), now=0.0)
    assert "colour" not in without.completed(world.spec.operations[make], Arguments(body_known=False)).body


def test_a_doubtful_creation_is_tried_in_other_forms_and_in_the_known_one(world: World):
    make = OperationId("POST /notes")
    world.operation(make, body={"title": TEXT, "pinned": {"type": "boolean"}}, required=("title",))
    corpus = Corpus(examples={make: (Arguments(body={"title": "x"}, has_body=True),)})
    doubtful = ValueMaker(world.spec, corpus, random.Random(1), now=0.0, doubtful={make})
    forms = {str(doubtful.arguments(make).body) for _ in range(60)}
    assert forms == {"{'title': 'x'}", "{'title': 'x', 'pinned': True}"}
    sure = ValueMaker(world.spec, corpus, random.Random(1), now=0.0)
    assert {str(sure.arguments(make).body) for _ in range(60)} == {"{'title': 'x'}"}
