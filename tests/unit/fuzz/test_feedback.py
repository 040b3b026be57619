"""What is new about a performance."""

from __future__ import annotations

from tests.unit.enhance.world import PROJECT, forge
from tests.unit.fuzz.script import answer, plan_of, play, player_of

from lobrest.fuzz.feedback import Feedback
from lobrest.fuzz.play import Performance
from lobrest.model.exchange import Failure, Request, Response

WORLD = forge()
SEED = WORLD.complete(
    WORLD.entry("POST /projects", 1, body={"name": "p"}, creates=PROJECT),
    WORLD.entry("GET /projects/{id}", 2, path={"id": PROJECT}),
)


def performed(made: Response | Failure, read: Response | Failure) -> Performance:
    def service(request: Request) -> Response | Failure:
        return made if request.method == "POST" else read

    return play(player_of(WORLD), plan_of(WORLD, SEED), service)[0]


GOOD = performed(answer(201, {"id": 1}), answer(200, {"id": 1}))


def test_the_first_success_of_an_operation_is_told_once():
    feedback = Feedback()
    gain, first = feedback.told(GOOD)
    assert set(first) == {"POST /projects", "GET /projects/{id}"}
    assert gain > 20
    again, second = feedback.told(GOOD)
    assert second == ()
    assert again == 0.0


def test_new_statuses_shapes_and_messages_count_and_old_ones_do_not():
    feedback = Feedback()
    feedback.told(GOOD)
    refused = performed(answer(201, {"id": 1}), answer(404, {"message": "no project 7"}))
    gain, _ = feedback.told(refused)
    assert gain >= 1.0
    other_number = performed(answer(201, {"id": 1}), answer(404, {"message": "no project 8"}))
    assert feedback.told(other_number)[0] == 0.0
    other_reason = performed(answer(201, {"id": 1}), answer(404, {"message": "hidden"}))
    assert feedback.told(other_reason)[0] > 0.0
    other_shape = performed(answer(201, {"id": 1}), answer(200, {"id": 1, "more": []}))
    assert feedback.told(other_shape)[0] > 0.0


def test_a_pair_of_successes_and_a_deeper_flow_are_new():
    feedback = Feedback()
    feedback.told(performed(answer(201, {"id": 1}), answer(404)))
    assert feedback.deepest == 1
    feedback.told(GOOD)
    assert feedback.deepest == 2
    assert feedback.pairs == {("POST /projects", "GET /projects/{id}")}


def test_statuses_and_refusals_are_counted():
    feedback = Feedback()
    for _ in range(3):
        feedback.told(performed(answer(409, {"message": "taken 5"}), Failure.CLOSED))
    assert feedback.statuses["POST /projects"] == {409: 3}
    assert feedback.statuses["GET /projects/{id}"] == {0: 3}
    assert feedback.refusals["POST /projects"] == {"409 taken <n>": 3}


def test_endless_variety_stays_bounded():
    feedback = Feedback()
    for number in range(400):
        word = "".join(chr(97 + int(digit)) for digit in str(number))
        feedback.told(performed(answer(201, {word: 1}), answer(400, {"message": word})))
    assert len(feedback.shapes["POST /projects"]) <= 50
    assert len(feedback.refusals["GET /projects/{id}"]) <= 300
