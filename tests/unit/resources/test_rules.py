"""All rules together."""

from __future__ import annotations

from tests.unit.resources.documents import forge

from lobrest.model.operation import Location
from lobrest.resources.rules import apply_rules


def test_paths_and_fields_are_found_and_reasons_given() -> None:
    findings = apply_rules(forge())
    locations = {ref.location for ref in findings.references}
    assert {Location.PATH, Location.QUERY, Location.BODY} <= locations
    assert all(one.reason and 0 < one.confidence <= 1 for one in findings.references.values())
    assert all(one.resource in findings.land.resources for one in findings.references.values())


def test_the_same_document_gives_the_same_findings() -> None:
    assert apply_rules(forge()).references == apply_rules(forge()).references
