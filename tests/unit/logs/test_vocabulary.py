"""Requests by number."""

from __future__ import annotations

import pytest
from tests.unit.logs.forge import model, spec

from lobrest.logs.arguments import ArgumentReader
from lobrest.logs.columns import unpack
from lobrest.logs.formats.batch import Extra
from lobrest.logs.formats.record import Actor, Body
from lobrest.logs.instances import InstanceReader
from lobrest.logs.plan import make_plan
from lobrest.logs.shapes import ShapeRouter
from lobrest.logs.users import Identifier
from lobrest.logs.vocabulary import PathRead, Vocabulary
from lobrest.model.slice import Profile
from lobrest.spec import Router

SPEC = spec()
PLAN = make_plan(SPEC, model(), Profile.DEFAULT)
SHAPES = ShapeRouter(SPEC, Router(SPEC))


@pytest.fixture
def vocabulary():
    arguments = ArgumentReader(SPEC)
    return Vocabulary(
        0, PLAN, SHAPES.match, InstanceReader(arguments, Identifier(b"k")), arguments, Identifier(b"k")
    )


def add(vocabulary, method, target, extra=None, kind=Body.UNKNOWN, good=True):
    operation, arguments = SHAPES.match(method, target.partition("?")[0])
    plan = PLAN.operations[PLAN.index_of[operation.id]]
    path = PathRead(plan, arguments, tuple(arguments[use.ref.pointer] for use in plan.path_uses))
    return vocabulary.request(method, target, path, extra, kind, good=good)


def test_a_request_is_its_method_target_and_body(vocabulary):
    body = Extra('{"title":"x"}', Body.TEXT, "application/json")
    numbers = [
        add(vocabulary, "GET", "/api/projects/1"),
        add(vocabulary, "GET", "/api/projects/1"),
        add(vocabulary, "GET", "/api/projects/1?page=2"),
        add(vocabulary, "GET", "/api/projects/1", kind=Body.TEXT),
        add(vocabulary, "POST", "/api/projects/1/issues", body),
        add(
            vocabulary,
            "POST",
            "/api/projects/1/issues",
            Extra('{"title":"x"}', Body.TEXT, "application/json"),
        ),
        add(
            vocabulary,
            "POST",
            "/api/projects/1/issues",
            Extra('{"title":"y"}', Body.TEXT, "application/json"),
        ),
    ]
    assert numbers == [0, 0, 1, 2, 3, 3, 4]
    new = vocabulary.additions()
    assert [detail.target for detail in unpack(new.details[0])].count("/api/projects/1") == 2
    assert [place for place, _ in new.creations] == [3, 4]
    assert new.instances == [(0, "1", -1)]
    assert len(vocabulary.additions().operations) == 0


def test_an_answer_is_not_held(vocabulary):
    answered = Extra('{"name":"x"}', Body.TEXT, "application/json", b'{"id":5,"path":"g/x"}')
    assert add(vocabulary, "POST", "/api/projects", answered) == 0
    assert add(vocabulary, "POST", "/api/projects", answered) == 1
    _, seen = vocabulary.additions().creations[0]
    assert seen.names == ("5", "g/x")


def test_where_an_answer_points_to(vocabulary):
    uses = vocabulary.located("GET", "https://h.example/api/projects/9/issues/4?x=1")
    assert vocabulary.additions().instances == [(0, "9", -1), (1, "4", 0)]
    assert uses == (0, 1)
    assert vocabulary.located("GET", "/nowhere") is None


def test_senders_are_numbered_by_identity(vocabulary):
    one, two = Actor(name="ann", address="a"), Actor(name="ann", address="a", cookie="c")
    assert [vocabulary.sender(one), vocabulary.sender(two), vocabulary.sender(Actor(name="bob"))] == [0, 0, 1]
    assert len(vocabulary.additions().actors) == 2


def test_it_is_full_at_some_time(vocabulary, monkeypatch):
    assert not vocabulary.full
    monkeypatch.setattr("lobrest.logs.vocabulary._MOST_TEXT", 20)
    add(vocabulary, "GET", "/api/projects/1?page=2")
    assert vocabulary.full
