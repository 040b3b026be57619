from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from lobrest.report.spans import form_spans, json_spans, path_spans, target_spans


def test_json_values_with_their_names_and_places() -> None:
    text = '{ "a": [ {"id": 15, "n\\u00e4me": "x\\"y"} , 2 ], "b":null, "a": "again", "c": true}'
    spans = json_spans(text)
    assert spans is not None
    assert [(span.name, span.text, span.is_string) for span in spans] == [
        ("id", "15", False),
        ("näme", 'x"y', True),
        ("a", "2", False),
        ("a", "again", True),
    ]
    assert [text[span.start : span.end] for span in spans] == ["15", 'x\\"y', "2", "again"]


def test_what_is_no_json_has_no_spans() -> None:
    assert json_spans('{"a": 1,}') is None
    assert json_spans("[" * 100_000) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@settings(deadline=None)
@given(JSON)
def test_spans_hold_exactly_the_strings_and_numbers(value: object) -> None:
    text = json.dumps(value)
    spans = json_spans(text)
    assert spans is not None
    for span in spans:
        written = text[span.start : span.end]
        assert json.loads(f'"{written}"' if span.is_string else written) == (
            span.text if span.is_string else json.loads(span.text)
        )
    blanked = text
    for span in reversed(spans):
        blanked = blanked[: span.start] + ("" if span.is_string else "0") + blanked[span.end :]
    json.loads(blanked)


def test_path_parameters_behind_a_base_path() -> None:
    target = "/api/v4/projects/group%2Fshop/issues/7/notes?page=2"
    spans = path_spans(target, "/projects/{id}/issues/{issue_iid}/notes")
    assert [(span.name, span.text, span.collection) for span in spans] == [
        ("id", "group/shop", "projects"),
        ("issue_iid", "7", "issues"),
    ]
    assert target[spans[0].start : spans[0].end] == "group%2Fshop"


def test_a_template_that_does_not_fit_gives_every_segment() -> None:
    assert [span.text for span in path_spans("/files/a/b/c", "/files/{path}")] == ["files", "a", "b", "c"]
    assert path_spans("/", "/x/{id}") == []


def test_query_values_come_with_their_place() -> None:
    target = "/x?name=a%20b+c&ids[]=4&flag&empty="
    spans = target_spans(target, "/x")
    assert [(span.name, span.text, target[span.start : span.end]) for span in spans] == [
        ("name", "a b c", "a%20b+c"),
        ("ids", "4", "4"),
        ("empty", "", ""),
    ]


def test_form_bodies_are_read_like_queries() -> None:
    assert [(span.name, span.text) for span in form_spans("a=1&b=%C3%A4")] == [("a", "1"), ("b", "ä")]
