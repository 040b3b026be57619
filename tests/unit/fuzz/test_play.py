"""A seed as a conversation: requests as they follow from answers, without a socket."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.enhance.world import (
    APPROVE,
    BRANCHES,
    FIX,
    MERGE,
    OPEN,
    PROJECT,
    REQUEST,
    TEXT,
    World,
    forge,
    ref,
    thing,
)
from tests.unit.fuzz.script import Service, answer, plan_of, play, player_of, sent

from lobrest.enhance.people import People
from lobrest.fuzz.edit import rebuilt
from lobrest.fuzz.knowledge import Patience
from lobrest.fuzz.play import Performance, Reply, Wait
from lobrest.fuzz.repair import Complaint
from lobrest.model.entry import UserId
from lobrest.model.exchange import Failure, Request, Response
from lobrest.model.operation import OperationId
from lobrest.model.resource import Binding, Source
from lobrest.model.seed import Seed
from lobrest.model.slice import Slice


@pytest.fixture
def world() -> World:
    return forge()


class Forge:
    """Remembers what it was asked; answers by method and path, else 200."""

    def __init__(self, **answers: Response | list) -> None:
        self.answers = answers
        self.asked: list[Request] = []

    def __call__(self, request: Request) -> Response | Failure:
        self.asked.append(request)
        known = self.answers.get(request.operation)
        if isinstance(known, list):
            return known.pop(0) if len(known) > 1 else known[0]
        return known if known is not None else answer(200, {})


def script(answers: dict) -> Forge:
    forge = Forge()
    forge.answers = answers
    return forge


def performed(world: World, seed: Seed, service: Service, **more: object) -> tuple[Performance, list]:
    return play(player_of(world), plan_of(world, seed, **more), service)


def requests(asked: list) -> list[str]:
    return [f"{one.method} {one.target}" for one in asked if isinstance(one, Request)]


def read_project(world: World) -> Seed:
    return world.complete(world.entry("GET /projects/{id}", 1, path={"id": PROJECT}))


def test_the_identity_is_taken_from_the_answer_and_not_from_the_log(world: World):
    service = script({"POST /projects": answer(201, {"id": 4711, "iid": 3})})
    _, asked = performed(world, read_project(world), service)
    assert requests(asked) == ["POST /projects", "GET /projects/4711"]


def test_the_number_inside_the_project_and_not_the_global_one(world: World):
    seed = world.complete(world.entry(APPROVE, 1, path={"id": PROJECT, "iid": REQUEST}))
    service = script({"POST /projects": answer(201, {"id": 7}), OPEN: answer(201, {"id": 900, "iid": 1})})
    _, asked = performed(world, seed, service)
    assert requests(asked)[-1] == "POST /projects/7/merge_requests/1/approve"


def test_two_instances_are_two_values(world: World):
    other = thing("/projects", "16")
    seed = world.complete(
        world.entry("GET /projects/{id}", 1, path={"id": PROJECT}),
        world.entry("GET /projects/{id}", 2, path={"id": other}),
    )
    service = script({"POST /projects": [answer(201, {"id": 1}), answer(201, {"id": 2})]})
    _, asked = performed(world, seed, service)
    assert requests(asked)[2:] == ["GET /projects/1", "GET /projects/2"]


def test_without_an_answer_the_value_of_the_log_stays(world: World):
    service = script({"POST /projects": answer(500, {"message": "boom"})})
    performance, asked = performed(world, read_project(world), service)
    assert requests(asked)[-1] == "GET /projects/15"
    assert [one.exchange.status for one in performance.results] == [500, 200]


@pytest.mark.parametrize("failure", list(Failure))
def test_a_request_without_an_answer_does_not_end_the_play(world: World, failure: Failure):
    service = script({"POST /projects": failure})
    performance, asked = performed(world, read_project(world), service, tries=3)
    assert len(performance.results) == 2
    assert len(asked) == 2
    assert performance.results[0].exchange.failure is failure


def test_an_item_of_a_list_for_each_instance_that_was_found(world: World):
    mit, gpl = thing("/licences", "mit"), thing("/licences", "gpl")
    seed = world.complete(
        world.entry("GET /licences/{key}", 1, path={"key": mit}),
        world.entry("GET /licences/{key}", 2, path={"key": gpl}),
    )
    service = script({"GET /licences": answer(200, [{"key": "apache"}, {"key": "bsd"}])})
    _, asked = performed(world, seed, service)
    assert requests(asked)[1:] == ["GET /licences/apache", "GET /licences/bsd"]


def test_a_value_in_a_body_keeps_the_type_it_had(world: World):
    world.operation("POST /moves", body={"to": TEXT, "ids": {"type": "array", "items": {"type": "integer"}}})
    world.refers("POST /moves", "body/to", "/projects")
    world.refers("POST /moves", "body/ids", "/projects")
    entry = world.entry("POST /moves", 1, body={"to": PROJECT})
    entry = replace(
        entry,
        arguments=replace(entry.arguments, body={"to": "15", "ids": [15]}),
        uses={**entry.uses, ref("POST /moves", "body/ids"): PROJECT},
    )
    service = script({"POST /projects": answer(201, {"id": 7})})
    _, asked = performed(world, world.complete(entry), service)
    assert sent(asked[-1]) == {"to": "7", "ids": [7]}


# Another candidate, another person, another try -----------------------------------------------------


def test_another_candidate_is_tried_when_the_first_leads_nowhere(world: World):
    seed = world.complete(world.entry(APPROVE, 1, path={"id": PROJECT, "iid": REQUEST}))
    at = ref(APPROVE, "path/iid")
    last = len(seed.steps) - 1
    wrong_first = {
        (wire.step, wire.parameter): (Binding(Source.RESPONSE, "id"), Binding(Source.RESPONSE, "iid"))
        if (wire.step, wire.parameter) == (last, at)
        else (Binding(Source.RESPONSE, "id"), Binding(Source.RESPONSE, "name"))
        for wire in seed.wires
    }

    def service(request: Request) -> Response:
        if request.operation == OPEN:
            return answer(201, {"id": 900, "iid": 1})
        if request.operation == APPROVE:
            return answer(200 if "/merge_requests/1/" in request.target else 404, {})
        return answer(201, {"id": 7, "name": "main"})

    performance, asked = performed(world, seed, service, candidates=wrong_first, tries=3)
    assert [one.partition("merge_requests/")[2] for one in requests(asked)[-2:]] == [
        "900/approve",
        "1/approve",
    ]
    assert performance.results[-1].exchange.ok
    assert [binding.pointer for wire, binding in performance.results[-1].bound if wire.parameter == at] == [
        "iid"
    ]
    unwilling, asked = performed(world, seed, service, candidates=wrong_first, tries=0)
    assert unwilling.results[-1].exchange.status == 404


def test_a_step_that_is_refused_is_tried_by_somebody_else(world: World):
    def service(request: Request) -> Response:
        allowed = request.method == "POST" or request.actor == "bo"
        return answer(200 if allowed else 403, {"id": 7})

    performance, asked = performed(world, read_project(world), service, tries=2)
    assert [one.actor for one in asked] == ["ann", "ann", "bo"]
    assert performance.results[-1].actor == "bo"
    assert len(performance.results) == 2
    assert len(performance.exchanges) == 3


def test_what_somebody_made_and_others_do_not_see_is_read_by_its_maker(world: World):
    piece = Slice((world.entry("GET /projects/{id}", 1, path={"id": PROJECT}, user="ann"),))
    seed = world.completer(people=People(makers={PROJECT: UserId("bo")})).complete(piece)

    def service(request: Request) -> Response:
        return answer(404 if request.actor == "ann" else 200, {"id": 7})

    performance, asked = performed(world, seed, service, tries=2)
    assert [one.actor for one in asked] == ["bo", "ann", "bo"]
    assert performance.results[-1].exchange.ok


def test_a_service_that_is_not_ready_is_waited_for_and_not_for_ever(world: World):
    seed = world.complete(world.entry(MERGE, 1, path={"id": PROJECT, "iid": REQUEST}))
    not_yet = answer(405, {"message": "merge request is being checked, try again"})
    ready = script({"POST /projects": answer(201, {"id": 1}), OPEN: answer(201, {"iid": 1}),
                    MERGE: [not_yet, not_yet, answer(200, {})]})  # fmt: skip
    performance, asked = performed(world, seed, ready, tries=5)
    waits = [one.seconds for one in asked if isinstance(one, Wait)]
    assert len(waits) == 2
    assert sum(waits) < 3
    assert performance.results[-1].exchange.ok
    never = script({"POST /projects": answer(201, {"id": 1}), OPEN: answer(201, {"iid": 1}), MERGE: not_yet})
    performance, asked = performed(world, seed, never, tries=9)
    assert sum(one.seconds for one in asked if isinstance(one, Wait)) < 5
    assert performance.results[-1].exchange.status == 405


def merging(world: World, answers: object, **more: object) -> tuple[Performance, list]:
    seed = world.complete(world.entry(MERGE, 1, path={"id": PROJECT, "iid": REQUEST}))
    made = {"POST /projects": answer(201, {"id": 1}), OPEN: answer(201, {"iid": 1}), MERGE: answers}
    return performed(world, seed, script(made), **{"tries": 2, **more})


def waits_of(asked: list) -> list[float]:
    return [one.seconds for one in asked if isinstance(one, Wait)]


@pytest.mark.parametrize("status", [404, 405, 409, 422])
def test_what_the_log_shows_to_work_is_waited_for_whatever_the_refusal_says(world: World, status: int):
    """The step uses something that was made a moment ago and has perhaps not settled."""
    refusal = answer(status, {"error": "no"})
    performance, asked = merging(world, [refusal, refusal, answer(200, {})])
    assert waits_of(asked)
    assert performance.results[-1].exchange.ok
    assert performance.results[-1].waited is not None
    assert performance.results[-1].waited.status == status
    assert performance.results[-1].waited.seconds == pytest.approx(sum(waits_of(asked)))
    last = next(one for one in reversed(asked) if isinstance(one, Request))
    first = next(one for one in asked if isinstance(one, Request) and one.operation == MERGE)
    assert last == first  # as it was at first, not as it was mended in vain


def test_an_operation_that_no_log_shows_is_waited_for_once_it_has_worked(world: World):
    seed = world.complete(replace(world.entry(MERGE, 1, path={"id": PROJECT, "iid": REQUEST}), source=None))
    steps = len(seed.steps)
    for expected, waited in ((False, False), (True, True)):
        service = script({"POST /projects": answer(201, {"id": 1}), OPEN: answer(201, {"iid": 1}),
                          MERGE: answer(405, {})})  # fmt: skip
        plan = replace(plan_of(world, seed, tries=2), expected=(expected,) * steps)
        _, asked = play(player_of(world), plan, service)
        assert bool(waits_of(asked)) is waited


def test_the_first_wait_is_about_as_long_as_it_took_before(world: World):
    seed = world.complete(world.entry(MERGE, 1, path={"id": PROJECT, "iid": REQUEST}))
    service = script({"POST /projects": answer(201, {"id": 1}), OPEN: answer(201, {"iid": 1}),
                      MERGE: [answer(405, {}), answer(200, {})]})  # fmt: skip
    known = {(OperationId(MERGE), 405): Patience(helped=2, seconds=3.0)}
    plan = replace(plan_of(world, seed, tries=2), patience=known)
    _, asked = play(player_of(world), plan, service)
    assert waits_of(asked) == [3.0]


def test_where_waiting_never_helped_nobody_waits(world: World):
    seed = world.complete(world.entry(MERGE, 1, path={"id": PROJECT, "iid": REQUEST}))
    service = script({"POST /projects": answer(201, {"id": 1}), OPEN: answer(201, {"iid": 1}),
                      MERGE: answer(405, {})})  # fmt: skip
    known = {(OperationId(MERGE), 405): Patience(futile=3)}
    _, asked = play(player_of(world), replace(plan_of(world, seed, tries=2), patience=known), service)
    assert waits_of(asked) == []


def test_a_refusal_that_names_a_time_is_taken_at_its_word_and_no_longer_than_sensible(world: World):
    _, asked = merging(world, [answer(409, {}, **{"Retry-After": "3"}), answer(200, {})])
    assert waits_of(asked) == [3.0]
    _, asked = merging(world, [answer(409, {}, **{"Retry-After": "86400"}), answer(200, {})])
    assert 3 < sum(waits_of(asked)) < 30


def test_nobody_waits_for_what_depends_on_nothing_or_on_what_was_never_made(world: World):
    seed = world.complete(world.entry("POST /projects", 1, body={"name": "billing"}))
    _, asked = performed(world, seed, script({"POST /projects": answer(409, {"message": "no"})}), tries=2)
    assert waits_of(asked) == []
    service = script({"POST /projects": answer(500), "GET /projects/{id}": answer(404)})
    _, asked = performed(world, read_project(world), service, tries=5)
    assert waits_of(asked) == []


def test_a_refused_request_is_mended_and_what_was_learnt_is_told(world: World):
    taken = answer(409, {"message": {"name": ["has already been taken"]}})
    service = script({"POST /projects": [taken, answer(201, {"id": 7})]})
    seed = world.complete(world.entry("POST /projects", 1, body={"name": "billing"}))
    performance, asked = performed(world, seed, service, tries=2)
    assert [sent(one)["name"] for one in asked] == ["billing", "billing-x00071"]
    (result,) = performance.results
    assert [one.complaint for one in result.findings] == [Complaint.TAKEN]
    assert result.arguments.body["name"] == "billing-x00071"


def test_tries_are_bounded_and_one_result_a_step_is_kept(world: World):
    service = script({"POST /projects": answer(422, {"message": {"name": ["is invalid"]}})})
    for tries in (0, 1, 4):
        performance, asked = performed(world, read_project(world), service, tries=tries)
        assert len(requests(asked)) == 1 + tries + 1
        assert len(performance.results) == 2
        assert len(performance.exchanges) == len(asked)


def test_what_was_broken_on_purpose_is_never_mended(world: World):
    seed = world.complete(world.entry("POST /projects", 1, body={"name": ""}))
    broken = rebuilt(seed, (replace(seed.steps[0], broken=True),), (), (), "test")
    service = script({"POST /projects": answer(422, {"message": {"name": ["can't be blank"]}})})
    _, asked = performed(world, broken, service, tries=5)
    assert len(asked) == 1


def test_what_hangs_on_a_failed_creation_is_not_tried_again(world: World):
    service = script({"POST /projects": answer(500), "GET /projects/{id}": answer(404)})
    _, asked = performed(world, read_project(world), service, tries=5)
    assert len(asked) == 2


def test_a_creation_that_is_there_already_serves(world: World):
    """The default branch came with the new project."""
    main = thing(BRANCHES, "main", PROJECT)
    entry = world.entry(f"GET {BRANCHES}/{{branch}}", 1, path={"id": PROJECT, "branch": main})
    seed = world.complete(entry)
    there = answer(409, {"message": "Branch already exists", "name": "main"})
    service = script({"POST /projects": answer(201, {"id": 7}), f"GET {BRANCHES}": answer(200, []),
                      f"POST {BRANCHES}": there})  # fmt: skip
    _, asked = performed(world, seed, service, tries=4)
    assert requests(asked).count("POST /projects/7/branches") == 1
    assert requests(asked)[-1] == "GET /projects/7/branches/main"


# People ---------------------------------------------------------------------------------------------


def test_a_person_gets_the_name_that_the_service_has_for_whoever_plays(world: World):
    seed = world.complete(world.entry("GET /users/{username}", 1, path={"username": thing("/users", "zoe")}))
    people = {"ann": {"id": 7, "username": "annie", "name": "Ann"}}
    _, asked = performed(world, seed, script({}), people=people)
    assert requests(asked) == ["GET /users/annie"]


def test_without_anything_known_the_name_of_the_credentials_stands_in(world: World):
    seed = world.complete(world.entry("GET /users/{username}", 1, path={"username": thing("/users", "zoe")}))
    _, asked = performed(world, seed, script({}), cast={"ann": "bo"})
    assert requests(asked) == ["GET /users/bo"]


def owned(world: World) -> Seed:
    world.operation("POST /repos", body={"name": TEXT}, required=("name",))
    world.operation("GET /repos/{owner}/{repo}")
    world.resource("/repos", creators=("POST /repos",))
    world.refers("GET /repos/{owner}/{repo}", "path/owner", "/users", "username")
    world.refers("GET /repos/{owner}/{repo}", "path/repo", "/repos", "name")
    zoe = thing("/users", "zoe")
    path = {"owner": zoe, "repo": thing("/repos", "billing", zoe)}
    return world.complete(world.entry("GET /repos/{owner}/{repo}", 1, path=path))


def test_the_owner_is_whom_the_answer_names(world: World):
    made = answer(201, {"name": "billing", "owner": {"id": 1, "username": "acme"}})
    _, asked = performed(world, owned(world), script({"POST /repos": made}))
    assert requests(asked)[-1] == "GET /repos/acme/billing"


def test_else_the_owner_is_whoever_made_it(world: World):
    people = {"ann": {"username": "annie"}, "bo": {"username": "bobby"}}

    def service(request: Request) -> Response:
        made = request.operation == "POST /repos" and request.actor == "bo"
        return answer(201 if made else 403 if request.actor == "ann" else 200, {"name": "billing"})

    _, asked = performed(world, owned(world), service, people=people, tries=2)
    assert requests(asked)[-1] == "GET /repos/bobby/billing"


# Fresh names and races ------------------------------------------------------------------------------


def test_names_to_make_new_are_different_in_every_play(world: World):
    seed = world.complete(world.entry("POST /projects", 1, body={"name": "billing"}))
    fresh = frozenset({(0, ref("POST /projects", "body/name"))})
    _, first = performed(world, seed, script({}), fresh=fresh, token="0001")
    _, second = performed(world, seed, script({}), fresh=fresh, token="0002")
    assert [sent(one[0])["name"] for one in (first, second)] == ["billing-x0001", "billing-x0002"]


def test_concurrent_steps_are_asked_for_at_once(world: World):
    seed = read_project(world)
    steps = (*seed.steps, replace(seed.steps[-1], concurrent=True), seed.steps[-1])
    raced = rebuilt(seed, steps, seed.wires, (), "race")
    conversation = player_of(world).play(plan_of(world, raced))
    asks = []
    replies = None
    while True:
        try:
            ask = next(conversation) if replies is None else conversation.send(replies)
        except StopIteration as ended:
            performance = ended.value
            break
        asks.append(len(ask.requests))
        replies = tuple(Reply(answer(200, {"id": 7}), 0.0) for _ in ask.requests)
    assert asks == [1, 2, 1]
    assert [one.exchange.step for one in performance.results] == [0, 1, 2, 3]


def test_a_play_is_decided_by_its_plan_and_the_answers(world: World):
    seed = world.complete(
        world.entry(OPEN, 1, path={"id": PROJECT}, body={"source_branch": FIX, "title": "t"})
    )

    def service(request: Request) -> Response:
        refuse = request.operation == OPEN
        return answer(422, {"message": "target_branch is missing"}) if refuse else answer(201, {"id": 1})

    first = performed(world, seed, service, tries=4)[1]
    second = performed(world, seed, service, tries=4)[1]
    assert first == second
    assert len(first) > 4


def test_whoever_may_not_do_it_to_their_own_is_replaced_by_somebody_who_has_made_nothing(world: World):
    def service(request: Request) -> Response:
        if request.operation == APPROVE and request.actor == "ann":
            return answer(422, {"message": "approve your own pull is not allowed"})
        return answer(200, {"id": 1, "iid": 1, "name": "x"})

    seed = world.complete(world.entry(APPROVE, 1, path={"id": PROJECT, "iid": REQUEST}))
    performance, _ = performed(world, seed, service, tries=2)
    assert performance.results[-1].exchange.ok
    assert performance.results[-1].actor == "bo"


def test_a_version_is_taken_from_the_last_answer_about_the_thing(world: World):
    world.operation(MERGE, body={"sha": TEXT})
    world.refers(MERGE, "body/sha", "/projects/{id}/merge_requests", "sha")
    read = "GET /projects/{id}/merge_requests/{iid}"
    path = {"id": PROJECT, "iid": REQUEST}
    seed = world.complete(
        world.entry(read, 1, path=path), world.entry(MERGE, 2, path=path, body={"sha": REQUEST})
    )
    service = script({"POST /projects": answer(201, {"id": 1}), OPEN: answer(201, {"iid": 1, "sha": "old"}),
                      read: answer(200, {"iid": 1, "sha": "new"})})  # fmt: skip
    _, asked = performed(world, seed, service)
    assert sent(asked[-1]) == {"sha": "new"}


@pytest.mark.parametrize(("status", "waits"), [(200, 0), (404, 1)])
def test_a_pause_is_made_only_where_the_step_before_has_not_settled(status: int, waits: int):
    world = forge()
    seed = world.complete(world.entry("GET /projects", 1), world.entry("GET /projects", 2))
    first, second = seed.steps
    paused = replace(seed, steps=(first, replace(second, pause=0.5, settled=2)))
    _, asked = play(player_of(world), plan_of(world, paused), lambda _: answer(status, []))
    assert sum(isinstance(one, Wait) for one in asked) == waits
