"""Flows as one Postman collection, format 2.1: a folder a flow. newman runs it."""

from __future__ import annotations

from collections.abc import Sequence

from lobrest.export.flow import Flow
from lobrest.model.operation import Json
from lobrest.report.postman import collection, step_items
from lobrest.report.scripts import variables_of


def postman_suite(flows: Sequence[Flow], *, service: str) -> str:
    """The collection; a request's test fails where it is not answered 2XX as it was before."""
    actors = variables_of(actor for flow in flows for actor in flow.actors)
    folders: list[Json] = [
        {
            "name": flow.name,
            "description": flow.title,
            "item": step_items(flow.steps, flow.fresh, actors),
        }
        for flow in flows
    ]
    about = "Run a folder as a whole: its requests take identities from the answers before them."
    return collection(f"Business flows of {service}", about, folders, actors.values())
