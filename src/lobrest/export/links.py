"""What flows from which answer into which request, as OpenAPI links: an Overlay 1.0 document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from lobrest.model.operation import ApiSpec, Json, Location, Operation, OperationId
from lobrest.model.resource import Dependency, ResourceModel, Source
from lobrest.report.wording import one_line

_LINKED = (Location.PATH, Location.QUERY, Location.HEADER, Location.COOKIE)


def links_overlay(spec: ApiSpec, model: ResourceModel, *, source: str) -> Json:
    """The overlay: applied to the specification, each creation says which operations its answer leads to."""
    actions: list[Json] = []
    by_operation: dict[OperationId, list[Dependency]] = {}
    for dependency in model.dependencies.values():
        by_operation.setdefault(dependency.parameter.operation, []).append(dependency)
    names = Counter(operation.operation_id for operation in spec.operations.values())
    for creation in model.creations.values():
        creator = spec.operations.get(creation.operation)
        status = _success(creator) if creator is not None else None
        if creator is None or status is None:
            continue
        links: dict[str, Json] = {}
        for consumer, dependencies in by_operation.items():
            parameters = dict(_parameters(creator, dependencies, model, creation.resource))
            if not parameters or consumer == creator.id:
                continue
            operation = spec.operations[consumer]
            unique = operation.operation_id and names[operation.operation_id] == 1
            target: dict[str, Json] = (
                {"operationId": operation.operation_id} if unique else {"operationRef": _reference(operation)}
            )
            links[_link_name(operation, links)] = {**target, "parameters": parameters}
        if links:
            place = f"$.paths['{_escaped(creator.template)}'].{creator.method.lower()}"
            actions.append({"target": f"{place}.responses['{status}']", "update": {"links": links}})
    return {
        "overlay": "1.0.0",
        "info": {"title": f"Links of {one_line(spec.title)}, mined", "version": "1.0.0"},
        "extends": source,
        "actions": actions,
    }


def _parameters(
    creator: Operation, dependencies: list[Dependency], model: ResourceModel, made: str
) -> Iterator[tuple[str, Json]]:
    """Parameters of the consumer that the creator's answer gives, and those that both have in their paths."""
    own = [one for one in dependencies if one.resource == made]
    found = False
    for dependency in own:
        pointer = next(
            (
                one.pointer
                for one in dependency.bindings
                if one.source is Source.RESPONSE and one.pointer and "*" not in one.pointer
            ),
            None,
        )
        if pointer is not None and dependency.parameter.location in _LINKED:
            found = True
            yield _key(dependency), f"$response.body#/{pointer}"
    if not found:
        return
    around = {
        one.resource: one.parameter.pointer
        for one in model.of_operation(creator.id)
        if one.parameter.location is Location.PATH
    }
    for dependency in dependencies:
        shared = around.get(dependency.resource)
        if dependency.resource != made and shared and dependency.parameter.location is Location.PATH:
            yield _key(dependency), f"$request.path.{shared}"


def _key(dependency: Dependency) -> str:
    return f"{dependency.parameter.location.value}.{dependency.parameter.pointer}"


def _success(operation: Operation) -> str | None:
    return next((status for status in sorted(operation.answers) if status.startswith("2")), None)


def _reference(operation: Operation) -> str:
    escaped = operation.template.replace("~", "~0").replace("/", "~1")
    return f"#/paths/{escaped}/{operation.method.lower()}"


def _link_name(operation: Operation, taken: dict[str, Json]) -> str:
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", operation.operation_id or operation.id).strip("-") or "link"
    name, count = stem, 1
    while name in taken:
        count += 1
        name = f"{stem}-{count}"
    return name


def _escaped(path: str) -> str:
    return path.replace("\\", "\\\\").replace("'", "\\'")
