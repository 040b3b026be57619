"""What one campaign has learnt, for another one of the same service: rules of the service, nothing of the run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from lobrest.app.pipeline import Prepared
from lobrest.app.resume import recall_knowledge
from lobrest.app.storage import open_campaign_store
from lobrest.app.work import WorkFolder
from lobrest.fuzz.knowledge import Knowledge, Tally
from lobrest.logs.secrets import is_secret_name
from lobrest.model import pointer
from lobrest.model.entry import Arguments
from lobrest.model.operation import Json, Location, OperationId, ParameterRef
from lobrest.transport import Credentials

_MOST_TOLD = 4
"""What is carried over counts for so many at most: a service that changed since is believed soon."""


def lessons_of(folder: Path, prepared: Prepared, credentials: Credentials) -> Knowledge:
    """What the campaign of a work folder has learnt, as far as it holds for this specification and these people."""
    store = open_campaign_store(WorkFolder.open(folder).path, readonly=True)
    try:
        learnt = recall_knowledge(store, source=str(folder))
    finally:
        store.close()
    return carried_over(learnt, frozenset(prepared.spec.operations), credentials.names)


def carried_over(
    learnt: Knowledge, operations: Collection[OperationId], actors: Collection[str]
) -> Knowledge:
    """Sources of values, creators, unique fields, recipes, waits and forms of requests that worked.

    Operations that are gone are left out, and so are people whose credentials are not those of now. Of requests
    that worked, secrets and path parameters are left out: those are identities of another run.
    """
    return Knowledge(
        bindings={key: _told(tally) for key, tally in learnt.bindings.items() if key[1] in operations},
        creators={op: _told(tally) for op, tally in learnt.creators.items() if op in operations},
        unique={ref for ref in learnt.unique if ref.operation in operations},
        examples={
            op: [_impersonal(op, one) for one in found]
            for op, found in learnt.examples.items()
            if op in operations
        },
        actors={
            (op, name): _told(tally)
            for (op, name), tally in learnt.actors.items()
            if op in operations and name in actors
        },
        recipes={
            (op, before): _told(tally)
            for (op, before), tally in learnt.recipes.items()
            if op in operations and all(one in operations for one in before)
        },
        patience={key: known for key, known in learnt.patience.items() if key[0] in operations},
    )


def _told(tally: Tally) -> Tally:
    return Tally(min(tally.good, _MOST_TOLD), min(tally.bad, _MOST_TOLD))


def _impersonal(operation: OperationId, arguments: Arguments) -> Arguments:
    """The form of a request: what is secret in it is hidden, to be made anew."""
    hidden = list(arguments.hidden)
    for name in arguments.query:
        if is_secret_name(name):
            hidden.append(f"query/{name}")
            arguments = arguments.without(ParameterRef(operation, Location.QUERY, name))
    for place in _secret_fields(arguments.body):
        hidden.append(f"body/{place}")
        arguments = arguments.without(ParameterRef(operation, Location.BODY, place))
    return replace(arguments, path={}, header={}, cookie={}, hidden=tuple(dict.fromkeys(hidden)))


def _secret_fields(body: Json) -> list[str]:
    found: list[str] = []
    waiting: list[tuple[str, Json]] = [("", body)]
    while waiting:
        place, value = waiting.pop()
        if not isinstance(value, Mapping):
            continue
        for name, inner in value.items():
            inside = f"{place}/{pointer.join(name)}" if place else pointer.join(name)
            if is_secret_name(name):
                found.append(inside)
            else:
                waiting.append((inside, inner))
    return found
