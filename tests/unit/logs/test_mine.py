"""The corpus."""

from __future__ import annotations

from lobrest.logs.mine import EXAMPLES, VALUES, CorpusBuilder, combination
from lobrest.model.entry import Arguments
from lobrest.model.operation import Location, OperationId, ParameterRef

OPERATION = OperationId("POST /a")


def body(**fields):
    return Arguments(body=fields, has_body=True)


def ref(name, place=Location.BODY):
    return ParameterRef(OPERATION, place, name)


def test_values_by_place_most_frequent_first_with_their_types():
    builder = CorpusBuilder()
    builder.add(OPERATION, body(a=1, b={"c": [True, "x"]}), whole=True)
    builder.add(OPERATION, body(a="1"), whole=True)
    builder.add(OPERATION, body(a=2), whole=True, count=5)
    builder.add(OPERATION, Arguments(path={"id": "7"}, query={"q": ["u", "v"]}), whole=True)
    values = builder.build().values
    assert values[ref("a")] == (2, 1, "1")
    assert values[ref("b/c/*")] == (True, "x")
    assert values[ref("b/c")] == ([True, "x"],)
    assert values[ref("id", Location.PATH)] == ("7",)
    assert values[ref("q", Location.QUERY)] == ("u", "v")


def test_examples_show_every_combination_first():
    builder = CorpusBuilder()
    for number in range(200):
        builder.add(OPERATION, body(a=number), whole=True)
    for number in range(10):
        builder.add(OPERATION, body(a=1, **{f"x{number}": 1}), whole=True)
    examples = builder.build().examples[OPERATION]
    assert len(examples) == EXAMPLES
    assert len({combination(example) for example in examples[:11]}) == 11


def test_everything_is_bounded():
    builder = CorpusBuilder()
    for number in range(2000):
        builder.add(OPERATION, body(a=number, big="x" * 5000), whole=True)
    values = builder.build().values
    assert len(values[ref("a")]) == VALUES
    assert ref("big") not in values


def test_a_request_with_more_than_the_log_tells_is_no_example():
    builder = CorpusBuilder()
    builder.add(OPERATION, body(a=1), whole=False)
    builder.add(OPERATION, Arguments(body_known=False), whole=True)
    corpus = builder.build()
    assert corpus.examples == {}
    assert corpus.values[ref("a")] == (1,)


def test_an_object_that_lost_a_part_is_no_value_but_its_parts_are():
    builder = CorpusBuilder()
    builder.add(
        OPERATION,
        Arguments(body={"user": {"name": "ann"}}, has_body=True, hidden=("body/user/password",)),
        whole=True,
    )
    values = builder.build().values
    assert values[ref("user/name")] == ("ann",)
    assert ref("user") not in values


def test_joined_builders_equal_one():
    whole, first, second = CorpusBuilder(), CorpusBuilder(), CorpusBuilder()
    for number in range(30):
        arguments = body(a=number % 7, **({"b": 1} if number % 3 else {}))
        whole.add(OPERATION, arguments, whole=True)
        (first if number < 15 else second).add(OPERATION, arguments, whole=True)
    first.join(second)
    assert first.build() == whole.build()
