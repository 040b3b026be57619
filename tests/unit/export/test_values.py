"""Values of a step, with holes."""

from __future__ import annotations

import pytest

from lobrest.export.values import Hole, Text, gathered, json_with_holes, text_of, values_of
from lobrest.model.operation import OperationId
from lobrest.model.reproducer import Encoding, ReproStep

HOLES = frozenset({"id", "name"})


def test_path_query_and_body_by_name():
    step = ReproStep(
        OperationId("PUT /projects/{id}/files/{path}"),
        "PUT",
        "/api/v1/projects/{{id}}/files/a%2Fb/c?q=1&q={{name}}x&empty=",
        body='{"owner": {{id}}, "title": "to {{name}}", "tags": ["{{unknown}}"]}',
        body_encoding=Encoding.JSON,
    )
    values = values_of(step, HOLES)
    assert values.path == {"id": Text((Hole("id"),)), "path": "a/b/c"}
    assert gathered(values.query) == {"q": ["1", Text((Hole("name"), "x"))], "empty": ""}
    assert values.body == {
        "owner": Hole("id"),
        "title": Text(("to ", Hole("name"))),
        "tags": ["{{unknown}}"],
    }


def test_two_parameters_in_one_segment():
    step = ReproStep(OperationId("GET /compare/{base}...{head}"), "GET", "/compare/main...{{name}}")
    assert values_of(step, HOLES).path == {"base": "main", "head": Text((Hole("name"),))}


def test_a_form_is_a_body_and_other_text_is_not():
    form = ReproStep(OperationId("POST /a"), "POST", "/a", body="a=1&b={{name}}", body_encoding=Encoding.URL)
    assert values_of(form, HOLES).body == {"a": "1", "b": Text((Hole("name"),))}
    broken = ReproStep(OperationId("POST /a"), "POST", "/a", body='{"a":', body_encoding=Encoding.JSON)
    assert not values_of(broken, HOLES).has_body


@pytest.mark.parametrize("text", ["", "plain", "{{other}}", "lobrest", "{}", "\u202e"])
def test_text_without_a_hole_stays_text(text: str):
    assert text_of(text, HOLES) == text


def test_a_text_that_looks_like_our_mark_is_text():
    assert json_with_holes('["lobrestid", {{id}}]', HOLES) == ["lobrestid", Hole("id")]
