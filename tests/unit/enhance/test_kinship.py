"""Operations that take the same body."""

from __future__ import annotations

import random

from tests.unit.enhance.world import TEXT, World, forge

from lobrest.enhance.kinship import Kinship
from lobrest.enhance.values import ValueMaker
from lobrest.model.corpus import Corpus
from lobrest.model.entry import Arguments
from lobrest.model.operation import OperationId

OURS, THEIRS, OTHER = map(OperationId, ("POST /my/hooks", "POST /their/hooks", "POST /notes"))


def world() -> World:
    made = forge()
    made.operation(OURS, body={"url": TEXT, "kind": TEXT})
    made.operation(THEIRS, body={"kind": TEXT, "url": TEXT})
    made.operation(OTHER, body={"text": TEXT, "url": TEXT})
    made.operation("POST /one", body={"text": TEXT})
    made.operation("POST /another", body={"text": TEXT})
    made.operation("GET /plain")
    return made


def test_equal_fields_make_kin_whatever_their_order():
    kin = Kinship(world().spec)
    assert kin.of(OURS) == (THEIRS,)
    assert kin.of(THEIRS) == (OURS,)
    assert kin.of(OTHER) == ()


def test_one_shared_field_is_too_little_and_no_body_is_nothing():
    kin = Kinship(world().spec)
    assert kin.of(OperationId("POST /one")) == ()
    assert kin.of(OperationId("GET /plain")) == ()


def test_what_one_was_sent_the_other_is_sent_too():
    made = world()
    body = {"url": "http://127.0.0.1/hook", "kind": "push"}
    corpus = Corpus(examples={THEIRS: (Arguments(body=body, has_body=True, media_type="application/json"),)})
    values = ValueMaker(made.spec, corpus, random.Random(1), now=0.0)
    assert values.arguments(OURS).body == body
    assert values.arguments(OTHER).body != body
