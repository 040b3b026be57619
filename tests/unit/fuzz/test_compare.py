"""Two plays of one seed: what is a difference, and what only looks like one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.enhance.world import PROJECT, World, forge, ref
from tests.unit.fuzz.script import answer, plan_of, play, player_of

from lobrest.fuzz.compare import Aspect, Comparison, Difference, Volatility, confirmed, differences
from lobrest.fuzz.play import Performance
from lobrest.model.exchange import Failure, Request, Response
from lobrest.model.operation import OperationId

READ = "GET /projects/{id}"


def performed(read: Response | Failure, *, number: int = 7, token: str = "0001") -> Performance:
    """A project is made and read; the service gave it the number."""
    world: World = forge()
    seed = world.complete(world.entry(READ, 1, path={"id": PROJECT}))
    fresh = frozenset({(0, ref("POST /projects", "body/name"))})

    def service(request: Request) -> Response | Failure:
        return answer(201, {"id": number}) if request.method == "POST" else read

    plan = replace(plan_of(world, seed, fresh=fresh, token=token), luck="same")
    return play(player_of(world), plan, service)[0]


def compared(
    here: object, there: object, *, volatility: Volatility | None = None
) -> list[tuple[Aspect, str, str, str]]:
    """Differences between two answers to the same reading, on services that count differently."""
    left = performed(answer(200, here), number=7, token="0001")
    right = performed(answer(200, there), number=9001, token="000z")
    return [(one.aspect, one.pointer, one.here, one.there) for one in differences(left, right, volatility)]


@pytest.mark.parametrize(
    ("here", "there"),
    [
        ({"id": 7}, {"id": 9001}),
        ({"iid": 7, "ref": "7"}, {"iid": 9001, "ref": "9001"}),
        ({"user_id": 3, "ownerId": 4}, {"user_id": 5, "ownerId": 6}),
        ({"at": "2026-01-01T00:00:00Z"}, {"at": "2027-05-06T01:02:03.123+02:00"}),
        ({"day": "2026-01-01"}, {"day": "2026-01-02"}),
        ({"at": 1_770_000_000}, {"at": 1_770_000_555}),
        ({"url": "http://a.example/p/billing-x0001"}, {"url": "https://b:99/p/billing-x000z"}),
        ({"say": "made billing-x0001 today"}, {"say": "made billing-x000z today"}),
        ({"sha": "0f" * 20}, {"sha": "a1" * 20}),
        ({"n": "3f2b8c1e-0000-4000-a000-000000000000"}, {"n": "99999999-0000-4000-a000-000000000000"}),
        ({"tags": ["a", "b"]}, {"tags": ["b", "a"]}),
        ([{"id": 1, "k": "x"}, {"id": 2, "k": "y"}], [{"id": 5, "k": "y"}, {"id": 4, "k": "x"}]),
        ({"by": {"7": "ann"}}, {"by": {"9001": "ann"}}),
        ({"n": 1, "deep": [[{"a": None}]]}, {"n": 1, "deep": [[{"a": None}]]}),
    ],
)
def test_identities_moments_hosts_and_order_are_no_differences(here: object, there: object):
    assert compared(here, there) == []


@pytest.mark.parametrize(
    ("here", "there", "expected"),
    [
        ({"stars": 0}, {"stars": 1}, (Aspect.VALUE, "stars", "0", "1")),
        ({"ok": True}, {"ok": False}, (Aspect.VALUE, "ok", "True", "False")),
        ({"ok": True}, {"ok": 1}, (Aspect.SHAPE, "ok", "boolean", "number")),
        ({"a": 1, "b": 2}, {"a": 1}, (Aspect.SHAPE, "b", "number", "absent")),
        ({"a": 1}, {"a": 1, "b": []}, (Aspect.SHAPE, "b", "absent", "list")),
        ({"a": None}, {"a": "x"}, (Aspect.SHAPE, "a", "null", "text")),
        ({"o": {"state": "open"}}, {"o": {"state": "shut"}}, (Aspect.VALUE, "o/state", "open", "shut")),
        (
            [{"k": "x"}, {"k": "y"}],
            [{"k": "y"}, {"k": "z"}],
            (Aspect.VALUE, "*/k", "x", "z"),
        ),
        ([1], [1, 2], (Aspect.VALUE, "*/length", "1", "2")),
        ({"a/b": 1}, {"a/b": 2}, (Aspect.VALUE, "a~1b", "1", "2")),
        ({"at": "2026-01-01"}, {"at": "tomorrow"}, (Aspect.VALUE, "at", "2026-01-01", "tomorrow")),
        ("billing-x0001 is here", "billing-x000z is there", (Aspect.VALUE, "", "billing-x0001 is here",
                                                             "billing-x000z is there")),
    ],
)  # fmt: skip
def test_what_is_different_is_told_with_its_place(here: object, there: object, expected: tuple):
    assert compared(here, there) == [expected]


def test_of_lists_that_are_not_the_same_the_form_is_compared():
    assert compared([{"k": "x", "n": 1}], [{"k": "y"}, {"k": "z"}]) == [
        (Aspect.VALUE, "*/length", "1", "2"),
        (Aspect.SHAPE, "*/n", "number", "absent"),
    ]


def test_a_changed_status_says_it_all():
    found = differences(performed(answer(200, {"a": 1})), performed(answer(500, {"b": 2})))
    assert [(one.aspect, one.here, one.there, one.step) for one in found] == [
        (Aspect.STATUS, "200", "500", 1)
    ]
    (found,) = differences(performed(answer(200, {})), performed(Failure.TIMEOUT))
    assert found.there == "none (timeout)"


def test_another_media_type_is_another_shape():
    here = Response(200, (("Content-Type", "application/json; charset=utf-8"),), b"{}")
    there = Response(200, (("Content-Type", "text/html"),), b"<p>")
    (found,) = differences(performed(here), performed(there))
    assert (found.aspect, found.here, found.there) == (Aspect.SHAPE, "application/json", "text/html")


def test_bodies_that_are_no_json_are_texts_and_those_that_are_no_text_are_not_read():
    plain = (("Content-Type", "text/plain"),)
    (found,) = differences(performed(Response(200, plain, b"one")), performed(Response(200, plain, b"two")))
    assert (found.aspect, found.here, found.there) == (Aspect.VALUE, "one", "two")
    assert not differences(
        performed(Response(200, plain, b"\xff1")), performed(Response(200, plain, b"\xff2"))
    )


def test_what_one_service_shows_by_itself_is_volatile_from_then_on():
    volatility = Volatility()
    volatility.learn(
        differences(performed(answer(200, {"load": 0.1})), performed(answer(200, {"load": 0.7})))
    )
    assert compared({"load": 1.0, "size": 1}, {"load": 2.0, "size": 2}, volatility=volatility) == [
        (Aspect.VALUE, "size", "1", "2")
    ]
    # Its form is still looked at.
    assert compared({"load": 1.0}, {"load": "high"}, volatility=volatility) == [
        (Aspect.SHAPE, "load", "number", "text")
    ]


def test_what_is_inside_something_that_comes_and_goes_is_volatile_too():
    volatility = Volatility()
    volatility.learn(
        differences(performed(answer(200, {"job": None})), performed(answer(200, {"job": {"state": "new"}})))
    )
    assert compared({"job": {"state": "old"}}, {"job": {"state": "new"}}, volatility=volatility) == []


def test_a_status_that_changed_once_is_not_volatile_for_ever():
    volatility = Volatility()
    volatility.learn(differences(performed(answer(200, {})), performed(answer(409, {}))))
    assert differences(performed(answer(200, {})), performed(answer(500, {})), volatility)


def test_items_of_a_growing_list_are_compared_by_form():
    volatility = Volatility()
    volatility.learn(
        differences(performed(answer(200, [{"n": 1}])), performed(answer(200, [{"n": 1}, {"n": 2}])))
    )
    assert compared([{"n": 1}], [{"n": 5}, {"n": 6}], volatility=volatility) == []
    assert compared([{"n": 1}], [{"n": "5"}], volatility=volatility) == [
        (Aspect.SHAPE, "*/n", "number", "text")
    ]


def test_a_difference_counts_when_it_shows_twice():
    def one(there: str, step: int = 1) -> Difference:
        return Difference(OperationId(READ), Aspect.STATUS, "", "200", there, step)

    assert confirmed([one("500"), one("404")], [one("500")]) == [one("500")]
    assert confirmed([one("500", 1)], [one("500", 2)]) == []


def test_answers_nested_without_end_are_survived():
    def nested(value: int) -> object:
        inner: object = value
        for _ in range(200):
            inner = [inner]
        return inner

    assert compared(nested(1), nested(2)) == []


def test_a_comparison_counts_flows_and_blames_the_first_changed_status():
    here, there = performed(answer(200, {})), performed(answer(500, {}))
    status = Difference(OperationId(READ), Aspect.STATUS, "", "200", "500", 0)
    value = Difference(OperationId(READ), Aspect.VALUE, "a", "1", "2", 1)
    comparison = Comparison()
    comparison.settled(here, there, [status, value])
    comparison.settled(here, there, [status])
    comparison.settled(here, there, [])
    assert (comparison.flows, comparison.different, comparison.following) == (3, 2, 1)
    (only,) = comparison.ranked()
    assert (only.difference, only.flows) == (status, 2)


def test_the_gravest_comes_first():
    here, there = performed(answer(200, {})), performed(answer(200, {}))
    comparison = Comparison()
    for aspect in (Aspect.VALUE, Aspect.SHAPE, Aspect.STATUS):
        comparison.settled(here, there, [Difference(OperationId(READ), aspect, "x", "1", "2", 1)])
    assert [one.difference.aspect for one in comparison.ranked()] == list(Aspect)
