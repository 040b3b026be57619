"""Who the credentials belong to, asked from the service itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from lobrest.errors import CredentialsError
from lobrest.model.exchange import Request, Response
from lobrest.model.operation import ApiSpec, Json, Location, Method, Operation
from lobrest.model.resource import ResourceModel
from lobrest.ports import Transport
from lobrest.spec.router import Router

_SELF = re.compile(
    r"^(user|me|self|myself|current[_-]?user|profile|account|whoami|authenticated)$", re.IGNORECASE
)
_MOST_TRIED = 4


def self_operations(spec: ApiSpec, model: ResourceModel) -> list[Operation]:
    """Operations that answer with the acting user: no identifiers, a telling last segment."""
    found: list[tuple[int, Operation]] = []
    people = {resource.rsplit("/", 1)[-1] for resource in model.acting_users}
    for operation in spec.operations.values():
        if operation.method is not Method.GET or "{" in operation.template:
            continue
        if any(one.required for one in operation.parameters if one.ref.location is not Location.HEADER):
            continue
        segments = [part for part in operation.template.split("/") if part]
        if not segments or not _SELF.match(segments[-1]):
            continue
        schema = operation.success_schema()
        if schema is not None and spec.resolve(schema).get("type") == "array":
            continue
        near = any(segment in people or segment.rstrip("s") in people for segment in segments)
        found.append((len(segments) - 2 * near, operation))
    return [operation for _, operation in sorted(found, key=lambda one: (one[0], one[1].template))][
        :_MOST_TRIED
    ]


async def ask_people(
    spec: ApiSpec,
    model: ResourceModel,
    router: Router,
    transport: Transport,
    names: Sequence[str],
    *,
    base_path: str,
) -> dict[str, Json]:
    """What the service says about the owner of each credential, as far as it says it.

    Raises ``CredentialsError`` where it says of every one that it is none.
    """
    people: dict[str, Json] = {}
    refused: set[str] = set()
    operations = self_operations(spec, model)
    for name in names:
        statuses: set[int] = set()
        for operation in operations:
            target = router.expand(operation, {}, base_path)
            outcome = await transport.send(
                Request(operation.id, "GET", target, (("Accept", "application/json"),), None, name)
            )
            statuses.add(outcome.status if isinstance(outcome, Response) else 0)
            document = _document(outcome) if isinstance(outcome, Response) else None
            if document is not None:
                people[name] = document
                break
        if statuses == {401}:
            refused.add(name)
    if names and refused == set(names):
        raise CredentialsError("the service refuses every credential", hint="check --auth")
    return people


def _document(response: Response) -> Json:
    if not 200 <= response.status < 300:
        return None
    try:
        document: Json = msgspec.json.decode(response.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return document if isinstance(document, dict) else None
