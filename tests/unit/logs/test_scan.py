"""One block to columns."""

from __future__ import annotations

import pickle

import pytest
from tests.unit.logs.forge import line, model, spec

from lobrest.logs.columns import unpack
from lobrest.logs.formats import FORMATS, detect
from lobrest.logs.plan import make_plan
from lobrest.logs.scan import Block, Scanner, templated
from lobrest.model.slice import Profile
from lobrest.spec import Router

SPEC = spec()


def scanner():
    return Scanner(make_plan(SPEC, model(), Profile.DEFAULT), Router(SPEC), b"k")


def block(*lines, number=0, before=0):
    data = b"\n".join(lines) + b"\n"
    return Block(number, before, data, "json", detect(data).options)


LINES = (
    line("GET", "/api/projects/1?page=2"),
    line("GET", "/api/projects/1?page=2", user="bob"),
    line("POST", "/api/projects/1/merges", 201, body={"source": "a", "target": "b"}),
    line("POST", "/api/projects/1/issues", 201, body={"title": "x"}),
    line("GET", "/api/projects/1", 403),
    line("GET", "/nowhere"),
)


def test_columns_are_parallel_and_tables_hold_things_once():
    columns = scanner().scan(block(*LINES))
    assert len(columns.times) == len(columns.actors) == len(columns.statuses) == 4
    assert columns.lines.tolist() == [0, 1, 2, 3]
    assert columns.requests.tolist() == [0, 0, 1, 2]
    assert columns.actors.tolist() == [0, 1, 0, 0]
    new = columns.additions
    assert len(new.operations) == len(new.sets) == 3
    assert [place for place, _ in new.creations] == [2]
    assert unpack(new.details[0])[0].target == "/api/projects/1?page=2"
    assert columns.unknown == {"GET /nowhere": 1}


def test_what_a_scanner_has_met_has_its_number_in_the_next_block():
    held = scanner()
    first, second = held.scan(block(*LINES, number=7)), held.scan(block(*LINES, number=8))
    assert first.vocabulary == second.vocabulary == 7
    assert second.requests.tolist() == first.requests.tolist()
    assert second.actors.tolist() == first.actors.tolist()
    new = second.additions
    assert (new.actors, new.instances, new.details, new.creations) == ([], [], [], [])
    third = held.scan(block(line("GET", "/api/projects/9", user="cid"), number=9))
    assert third.requests.tolist() == [3]
    assert len(third.additions.operations) == 1


def test_a_full_vocabulary_is_followed_by_an_empty_one(monkeypatch):
    monkeypatch.setattr("lobrest.logs.vocabulary._MOST_REQUESTS", 1)
    held = scanner()
    assert held.scan(block(*LINES, number=3)).vocabulary == 3
    again = held.scan(block(*LINES, number=4))
    assert again.vocabulary == 4
    assert again.requests.tolist() == [0, 0, 1, 2]


def test_a_scanner_travels_to_another_process_and_gives_the_same():
    first = scanner()
    again = pickle.loads(pickle.dumps(first))
    one, two = first.scan(block(*LINES)), again.scan(block(*LINES))
    assert one.additions.instances == two.additions.instances
    assert one.additions.actors == two.additions.actors
    assert one.corpus.build() == two.corpus.build()


def test_a_block_of_any_format_travels_to_another_process():
    for known in FORMATS:
        again = pickle.loads(pickle.dumps(Block(0, 0, b"x\n", known.name, detect(b"x\n").options)))
        assert again.format_name == known.name
    shaped = block(*LINES)
    assert pickle.loads(pickle.dumps(shaped)) == shaped


def test_deep_in_a_log_the_corpus_looks_at_fewer_requests():
    many = [line("GET", f"/api/projects/{number}") for number in range(300)]
    early = scanner().scan(block(*many)).corpus.build()
    late = scanner().scan(block(*many, number=1, before=1 << 30)).corpus.build()
    assert len(early.examples["GET /projects/{id}"]) == 48
    assert len(late.examples.get("GET /projects/{id}", ())) <= 1


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a/15/b", "/a/{}/b"),
        ("/x/454d52bd-3a6d-4d09-b108-aa694d19054e", "/x/{}"),
        ("/g%2Fp/615c209542fa63d5", "/{}/{}"),
        ("/plain/words", "/plain/words"),
        ("/" + "/".join("abcdefghijklmnop"), "/a/b/c/d/e/f/g/h/i/j/k/…"),
    ],
)
def test_unknown_paths_are_counted_as_templates(path, expected):
    assert templated(path) == expected
