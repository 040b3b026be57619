"""Creators, listers, resources and dependencies from names, schemas and texts alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lobrest.model.operation import ApiSpec, OperationId, ParameterRef
from lobrest.resources.fields import field_references
from lobrest.resources.landscape import Landscape, Reference
from lobrest.resources.paths import path_references


@dataclass(frozen=True, slots=True)
class Findings:
    """What the rules found: the landscape of resources, and what each parameter refers to."""

    land: Landscape
    references: Mapping[ParameterRef, Reference]


def apply_rules(
    spec: ApiSpec,
    *,
    creates: Mapping[OperationId, bool] | None = None,
    lists: Mapping[OperationId, bool] | None = None,
) -> Findings:
    """The deterministic analysis; verdicts on operations that others gave win over it and shape the rest."""
    land = Landscape(spec, creates=creates, lists=lists)
    references = path_references(land)
    references.update(field_references(land, references))
    return Findings(land, references)
