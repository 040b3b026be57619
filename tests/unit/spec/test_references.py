"""References: inside, outside, nowhere and in circles."""

from __future__ import annotations

import pytest

from lobrest.model.operation import Json, Warning
from lobrest.spec.references import References, Target, escape

ROOT: Json = {
    "definitions": {"A": {"type": "string"}, "B": {"$ref": "#/definitions/A"}, "C/D": {"type": "object"}},
    "loop": {"one": {"$ref": "#/loop/two"}, "two": {"$ref": "#/loop/one"}},
    "list": [{"x": 1}],
}


def follow(reference: Json, **documents: bytes) -> tuple[Target | None, list[Warning]]:
    warnings: list[Warning] = []

    def fetch(address: str) -> bytes:
        if address not in documents:
            raise OSError("not found")
        return documents[address]

    references = References(ROOT, fetch=fetch if documents else None, warnings=warnings)
    return references.follow(reference, place="/here"), warnings


def test_a_chain_is_followed_to_its_end() -> None:
    target, warnings = follow("#/definitions/B")
    assert target == Target({"type": "string"}, "", "/definitions/A")
    assert not warnings


@pytest.mark.parametrize("pointer", ["#/definitions/C~1D", "#/definitions/C%2FD", "#/list/0"])
def test_escaped_and_numbered_parts(pointer: str) -> None:
    target, _ = follow(pointer)
    assert (target is None) is (pointer == "#/definitions/C%2FD")


def test_a_bare_name_means_the_definitions() -> None:
    target, warnings = follow("#A")
    assert target is not None and target.pointer == "/definitions/A"
    assert not warnings


@pytest.mark.parametrize(
    ("reference", "says"),
    [
        ("#/definitions/Z", "leads nowhere"),
        ("#/loop/one", "in a circle"),
        (12, "is no text"),
        ("other.yaml#/A", "was not followed"),
        ("https://example.test/api.json", "was not followed"),
        ("/etc/passwd", "was not followed"),
    ],
)
def test_what_leads_nowhere_is_one_warning(reference: Json, says: str) -> None:
    target, warnings = follow(reference)
    assert target is None
    assert len(warnings) == 1 and says in warnings[0].message and warnings[0].place == "/here"


def test_the_same_complaint_is_made_once() -> None:
    warnings: list[Warning] = []
    references = References(ROOT, fetch=None, warnings=warnings)
    for _ in range(3):
        references.locate("#/nowhere", place="/x")
    assert len(warnings) == 1


def test_other_documents_are_followed_only_when_asked() -> None:
    target, warnings = follow("other.yaml#/A", **{"other.yaml": b"A: {type: integer}"})
    assert target is not None and target.value == {"type": "integer"} and target.document == "other.yaml"
    assert not warnings


def test_a_document_that_cannot_be_fetched_or_read_is_a_warning() -> None:
    _, missing = follow("gone.yaml", **{"other.yaml": b""})
    _, broken = follow("other.yaml", **{"other.yaml": b"a: ["})
    assert "cannot be fetched" in missing[0].message
    assert "cannot be fetched" in broken[0].message


def test_relative_addresses_are_relative_to_their_document() -> None:
    documents = {"dir/a.yaml": b"X: {$ref: 'b.yaml#/Y'}", "dir/b.yaml": b"Y: {type: boolean}"}
    target, _ = follow("dir/a.yaml#/X", **documents)
    assert target is not None and target.value == {"type": "boolean"}


def test_escape() -> None:
    assert escape("a/b~c") == "a~1b~0c"
