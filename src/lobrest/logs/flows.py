"""Values that an answer gave and a later request sent: evidence for the resource analysis."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from lobrest.logs.arguments import ArgumentReader, Detail
from lobrest.logs.plan import OperationPlan
from lobrest.model import pointer
from lobrest.model.operation import Json

_MOST_VALUES = 50_000
_MOST_FLOWS = 20_000
_MOST_LEAVES = 200
_LARGEST = 1 << 17


class FlowFinder:
    """Counts which answer fields' values came back in which parameters, in the order of one block."""

    def __init__(self, flows: dict[tuple[int, str, int, str, str], int]) -> None:
        self._flows = flows
        self._given: dict[str, tuple[int, str]] = {}

    def response(self, plan: OperationPlan, text: bytes | str) -> None:
        """Remember the values of an answer."""
        if len(text) > _LARGEST:
            return
        try:
            answer = msgspec.json.decode(text)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return
        if len(self._given) > _MOST_VALUES:
            self._given.clear()
        for place, value in pointer.leaves(answer, limit=_MOST_LEAVES):
            if _telling(value):
                general = "/".join("*" if part.isdigit() else part for part in place.split("/"))
                # The first answer that showed a value made it; later ones only repeat it.
                self._given.setdefault(str(value), (plan.index, general))

    def request(
        self, plan: OperationPlan, path: Mapping[str, str], detail: Detail, reader: ArgumentReader
    ) -> None:
        """Count the values of a request that an answer gave before."""
        if not self._given:
            return
        for name, value in path.items():
            self._count(plan, "path", name, value)
        if "?" not in detail.target and not detail.body:
            return
        query, body, _ = reader.values(plan.operation, detail)
        for name, held in query.items():
            self._count(plan, "query", name, held)
        for place, held in pointer.leaves(body, limit=_MOST_LEAVES):
            self._count(
                plan, "body", "/".join("*" if part.isdigit() else part for part in place.split("/")), held
            )

    def _count(self, plan: OperationPlan, location: str, name: str, value: Json) -> None:
        if not _telling(value):
            return
        source = self._given.get(str(value))
        if source is None:
            return
        key = (*source, plan.index, location, name)
        if key in self._flows or len(self._flows) < _MOST_FLOWS:
            self._flows[key] = self._flows.get(key, 0) + 1


def _telling(value: Json) -> bool:
    """Is the value rare enough that meeting it twice means something?"""
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return value > 20
    return isinstance(value, str) and (
        (4 <= len(value) <= 200 and not value.isalpha()) or (value.isdigit() and int(value[:18]) > 20)
    )
