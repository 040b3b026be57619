"""What a campaign learns about its service."""

from __future__ import annotations

import pytest

from lobrest.fuzz.knowledge import ANY, Knowledge, Patience, Pooled, Tally, form_of
from lobrest.model.corpus import Corpus
from lobrest.model.entry import Arguments
from lobrest.model.operation import OperationId
from lobrest.model.resource import Binding, ResourceName, Source

IID, ID, NUMBER = (Binding(Source.RESPONSE, name) for name in ("iid", "id", "number"))
THINGS = ResourceName("/things")
MAKE = OperationId("POST /things")


def told(knowledge: Knowledge, binding: Binding, *outcomes: bool) -> None:
    for success in outcomes:
        knowledge.bound(THINGS, MAKE, "iid", binding, success=success)


def ordered(knowledge: Knowledge, producer: OperationId = MAKE) -> tuple[Binding, ...]:
    return knowledge.ordered(THINGS, producer, "iid", [ID, IID, NUMBER])


def test_the_order_of_the_analysis_stands_until_something_is_known():
    assert ordered(Knowledge()) == (ID, IID, NUMBER)


def test_what_leads_to_success_rises_and_what_fails_sinks():
    knowledge = Knowledge()
    told(knowledge, IID, True)
    told(knowledge, ID, False)
    assert ordered(knowledge) == (IID, NUMBER, ID)


def test_a_source_that_has_proved_itself_stands_alone():
    knowledge = Knowledge()
    told(knowledge, IID, True, True)
    assert ordered(knowledge) == (IID,)
    told(knowledge, IID, False, False, False)
    assert ordered(knowledge) == (IID,)


def test_lessons_are_about_one_producer():
    knowledge = Knowledge()
    told(knowledge, IID, True, True)
    assert ordered(knowledge, OperationId("POST /other")) == (ID, IID, NUMBER)


def test_creators_are_scored_by_their_successes():
    knowledge = Knowledge()
    for success in (True, True, False):
        knowledge.created(MAKE, success=success)
    knowledge.created(OperationId("POST /imports"), success=False)
    scores = knowledge.creator_scores()
    assert scores[MAKE] == pytest.approx(3 / 5)
    assert scores[OperationId("POST /imports")] < 0.5 < scores[MAKE]
    assert Tally().rate == 0.5


def test_what_the_service_took_is_an_example_and_there_are_not_too_many():
    knowledge = Knowledge()
    for number in range(100):
        knowledge.worked(MAKE, Arguments(body={"name": number}, has_body=True))
        knowledge.worked(MAKE, Arguments(body={"name": number}, has_body=True))
    kept = knowledge.examples[MAKE]
    assert len(kept) < 50
    assert kept[-1].body == {"name": 99}
    assert len({one.body["name"] for one in kept}) == len(kept)


def test_the_log_is_believed_before_the_campaign():
    knowledge = Knowledge()
    knowledge.worked(MAKE, Arguments(query={"a": 1}))
    other = OperationId("POST /other")
    knowledge.worked(other, Arguments(query={"b": 1}))
    mined = Corpus(examples={MAKE: (Arguments(query={"mined": 1}),)})
    corpus = knowledge.corpus(mined)
    assert corpus.examples[MAKE] == (Arguments(query={"mined": 1}),)
    assert corpus.examples[other] == (Arguments(query={"b": 1}),)


def test_live_instances_are_pooled_within_bounds():
    knowledge = Knowledge()
    for number in range(100):
        knowledge.keep(Pooled(THINGS, {"id": number}, "/things", "ann"))
    assert len(knowledge.pool[THINGS]) < 60
    assert knowledge.pool[THINGS][-1].document == {"id": 99}


# Waiting --------------------------------------------------------------------------------------------


def test_waiting_begins_with_what_it_took_last_time():
    knowledge = Knowledge()
    knowledge.waited(MAKE, 405, 3.0, success=True)
    waits = knowledge.patience[MAKE, 405].waits(told=False)
    assert waits[0] == pytest.approx(3.0)
    assert sum(waits) > 6  # somewhat longer may be needed under load


def test_a_wait_that_was_enough_is_tried_a_little_shorter_and_grows_again_when_it_is_not():
    once = Patience().after(2.0, success=True)
    again = once.after(2.0, success=True)
    assert 1.0 < again.seconds < once.seconds
    assert again.after(3.0, success=True).seconds == 3.0


def test_waiting_in_vain_is_given_up_sooner_and_sooner():
    patience = Patience()
    totals = []
    for _ in range(5):
        totals.append(sum(patience.waits(told=False)))
        patience = patience.after(totals[-1], success=False)
    assert totals == sorted(totals, reverse=True)
    assert totals[0] > 1
    assert totals[-1] == 0


def test_an_answer_that_says_too_early_is_believed_a_little_however_often_it_was_in_vain():
    patience = Patience(futile=50)
    assert len(patience.waits(told=True)) == 1
    assert patience.waits(told=False) == ()


def test_no_wait_is_without_bound():
    patience = Patience().after(10_000.0, success=True)
    assert sum(patience.waits(told=True)) < 60
    assert len(Patience(helped=1, futile=9, seconds=1.0).waits(told=True)) == 1


def test_what_a_plan_holds_does_not_change_under_it():
    knowledge = Knowledge()
    held = knowledge.patience
    knowledge.waited(MAKE, 404, 1.0, success=True)
    assert not held
    assert knowledge.patience[MAKE, 404].helped == 1


# Forms of creations ---------------------------------------------------------------------------------

PLAIN = Arguments(body={"name": "a"}, has_body=True)
FILLED = Arguments(body={"name": "b", "init": True}, has_body=True)


def served(knowledge: Knowledge, arguments: Arguments, *, good: int, bad: int) -> None:
    for success in [True] * good + [False] * bad:
        knowledge.served(MAKE, arguments, success=success)


def test_names_do_not_make_a_form_but_switches_do():
    assert form_of(PLAIN) == form_of(Arguments(body={"name": "other"}, has_body=True))
    off = Arguments(body={"name": "b", "init": False}, has_body=True)
    assert len({form_of(PLAIN), form_of(FILLED), form_of(off)}) == 3
    assert form_of(Arguments()) == ""


def test_the_form_that_serves_best_is_the_one_that_is_sent():
    knowledge = Knowledge()
    knowledge.worked(MAKE, PLAIN)
    knowledge.worked(MAKE, FILLED)
    assert knowledge.corpus(Corpus()).examples[MAKE] == (PLAIN, FILLED)
    served(knowledge, PLAIN, good=4, bad=6)
    assert knowledge.corpus(Corpus()).examples[MAKE] == (PLAIN, FILLED)  # nothing is known of the other
    served(knowledge, FILLED, good=9, bad=1)
    assert knowledge.corpus(Corpus()).examples[MAKE] == (FILLED,)


def test_a_creation_is_doubtful_while_no_form_of_it_serves():
    knowledge = Knowledge()
    served(knowledge, PLAIN, good=1, bad=1)
    assert not knowledge.doubtful()
    served(knowledge, PLAIN, good=3, bad=5)
    assert knowledge.doubtful() == {MAKE}
    served(knowledge, FILLED, good=9, bad=1)
    assert not knowledge.doubtful()


def test_bodies_that_worked_stand_beside_a_log_that_keeps_none_and_not_beside_one_that_does():
    knowledge = Knowledge()
    knowledge.worked(MAKE, FILLED)
    silent, telling = Arguments(body_known=False), PLAIN
    assert knowledge.corpus(Corpus(examples={MAKE: (silent,)})).examples[MAKE] == (silent, FILLED)
    assert knowledge.corpus(Corpus(examples={MAKE: (telling,)})).examples[MAKE] == (telling,)


def test_many_requests_of_one_form_leave_room_for_others():
    knowledge = Knowledge()
    knowledge.worked(MAKE, FILLED)
    for number in range(100):
        knowledge.worked(MAKE, Arguments(body={"name": str(number)}, has_body=True))
    assert FILLED in knowledge.examples[MAKE]
    assert len(knowledge.examples[MAKE]) < 20


def test_where_waiting_never_helps_the_next_operation_is_waited_for_less():
    knowledge = Knowledge()
    lengths = []
    for number in range(6):
        new = knowledge.patience.get((OperationId(f"GET /{number}"), 404), Patience())
        lengths.append(len(new.waits(told=False, elsewhere=knowledge.patience.get((ANY, 404)))))
        knowledge.waited(OperationId(f"GET /{number}"), 404, 1.0, success=False)
    assert lengths[0] == 3
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[-1] == 0
    assert len(Patience().waits(told=True, elsewhere=knowledge.patience[ANY, 404])) == 1
    assert len(Patience().waits(told=False, elsewhere=knowledge.patience.get((ANY, 405)))) == 3
    helped = Patience(helped=1, futile=0, seconds=0.4)
    assert helped.waits(told=False, elsewhere=knowledge.patience[ANY, 404])[0] == 0.4
