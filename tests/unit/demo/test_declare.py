from __future__ import annotations

from msgspec import Struct

from lobrest.demo.declare import Call, delete, get, post


class Question(Struct):
    word: str = ""


class Thing(Struct):
    id: int


def make_big_thing(call: Call[Question, Thing]) -> list[Thing]:
    return [call.body]


def drop_thing(call: Call[None, None]) -> None:
    assert call


def test_the_signature_is_the_declaration():
    route = post("/things/{id}/parts/{part}", make_big_thing, "Make", errors=(409,))
    assert (route.method, route.status, route.errors) == ("POST", 201, (409,))
    assert (route.query, route.body, route.answer) == (Question, Thing, list[Thing])
    assert route.operation_id == "makeBigThing"
    assert route.parameters == ("id", "part")


def test_nothing_in_and_nothing_out():
    route = delete("/things/{id}", drop_thing, "Drop")
    assert (route.status, route.query, route.body, route.answer) == (204, None, None, None)
    assert get("/things", make_big_thing, "List").status == 200
