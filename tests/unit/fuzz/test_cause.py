"""Failures are told by what caused them, not by where they showed."""

from __future__ import annotations

from tests.unit.enhance.world import APPROVE, OPEN, PROJECT, REQUEST, forge
from tests.unit.fuzz.script import answer, plan_of, play, player_of

from lobrest.fuzz.cause import Cause, cause_of
from lobrest.model.exchange import Failure, Request, Response


def cause(answers: dict[str, Response | Failure]) -> Cause:
    world = forge()
    seed = world.complete(world.entry(APPROVE, 1, path={"id": PROJECT, "iid": REQUEST}))

    def service(request: Request) -> Response | Failure:
        return answers.get(request.operation, answer(200, {"id": 7, "iid": 1, "name": "x"}))

    performance, _ = play(player_of(world), plan_of(world, seed), service)
    return cause_of(performance, len(performance.results) - 1)


def test_a_step_that_was_refused_itself_is_its_own_cause():
    found = cause({APPROVE: answer(403, {"message": "not your own"})})
    assert (found.operation, found.status, found.said, found.inherited) == (
        APPROVE, 403, "not your own", False,
    )  # fmt: skip


def test_what_hangs_on_a_failed_creation_fails_because_of_it():
    found = cause({OPEN: answer(422, {"message": "branch is empty"}), APPROVE: answer(404, {})})
    assert (found.operation, found.status, found.inherited) == (OPEN, 422, True)
    assert str(found) == f"422 branch is empty ({OPEN})"


def test_the_first_of_a_chain_is_to_blame():
    found = cause({"POST /projects": Failure.TIMEOUT, OPEN: answer(404), APPROVE: answer(404)})
    assert (found.operation, found.status, found.said, found.step) == ("POST /projects", 0, "no answer", 0)
