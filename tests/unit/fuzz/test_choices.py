"""Parameters with only a few values."""

from __future__ import annotations

from tests.unit.enhance.world import TEXT, World

from lobrest.fuzz.choices import Choices, Variation, finite
from lobrest.model.corpus import Corpus
from lobrest.model.entry import Arguments
from lobrest.model.operation import ApiSpec, Location, OperationId, ParameterRef
from lobrest.spec.fields import BodyFields

CHANGE = OperationId("PUT /issues/{id}")


def world() -> World:
    made = World()
    made.operation(
        CHANGE,
        body={"state": TEXT, "title": TEXT, "secret": {"type": "boolean"}, "milestone": {"type": "integer"}},
    )
    return made


def ref(name: str) -> ParameterRef:
    return ParameterRef(CHANGE, Location.BODY, name)


def choices(*, states: tuple[str, ...] = ("open", "closed"), times: int = 9) -> Choices:
    spec = world().spec
    requests = tuple(
        Arguments(body={"state": states[one % len(states)]}, has_body=True) for one in range(times)
    )
    corpus = Corpus({CHANGE: requests}, {ref("state"): states, ref("milestone"): (7,)})
    return Choices(spec, BodyFields(spec), corpus, {ref("milestone")})


def test_booleans_and_enumerations_are_finite():
    spec = ApiSpec("x", "1", {}, {"Event": {"enum": ["close", "reopen"]}})
    assert finite({"type": "boolean"}, spec) == finite({"type": ["null", "boolean"]}, spec) == (True, False)
    assert finite({"enum": [1]}, spec) == (1,)
    assert finite({"type": "string"}, spec) == ()


def test_an_enumeration_behind_a_reference_or_beside_null_is_one():
    spec = ApiSpec("x", "1", {}, {"Event": {"enum": ["close", "reopen"]}})
    event = {"$ref": "#/components/schemas/Event"}
    assert finite(event, spec) == ("close", "reopen")
    assert finite({"anyOf": [event, {"type": "null"}]}, spec) == ("close", "reopen")
    assert finite({"allOf": [event]}, spec) == ("close", "reopen")
    assert finite({"anyOf": [event, {"type": "string"}]}, spec) == ()


def test_a_schema_inside_itself_ends():
    spec = ApiSpec("x", "1", {}, {"Loop": {"allOf": [{"$ref": "#/components/schemas/Loop"}]}})
    assert finite({"$ref": "#/components/schemas/Loop"}, spec) == ()


def test_a_handful_of_words_in_the_log_is_a_choice_and_texts_are_none():
    declared = world().spec.operations[CHANGE]
    assert choices().of(declared)[ref("state")] == ("open", "closed")
    assert ref("state") not in choices(times=3).of(declared), "seen too seldom to tell"
    assert ref("state") not in choices(states=("Fix the door", "Paint it")).of(declared)
    assert ref("title") not in choices().of(declared)


def test_variations_set_every_choice_and_name_every_thing_once():
    found = choices().variations(world().spec.operations[CHANGE])
    assert set(found) == {
        Variation(ref("state"), "open"),
        Variation(ref("state"), "closed"),
        Variation(ref("secret"), True),
        Variation(ref("secret"), False),
        Variation(ref("milestone"), 7),
    }
