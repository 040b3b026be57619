"""Path prefixes → parents."""

from __future__ import annotations

from collections.abc import Mapping

from lobrest.model.resource import ResourceName
from lobrest.resources.catalogue import Path


def parent_of(
    name: ResourceName, path: Path, resource_at: Mapping[Path, ResourceName]
) -> ResourceName | None:
    """The nearest resource whose path is a complete prefix, or that the prefix addresses an item of."""
    for length in range(len(path) - 1, 0, -1):
        above = resource_at.get(path[:length])
        if above is not None and above != name:
            return above
    return None


def without_cycles(
    parents: dict[ResourceName, ResourceName | None],
) -> dict[ResourceName, ResourceName | None]:
    """The same relation with every parent that leads back to its child taken away."""
    result: dict[ResourceName, ResourceName | None] = {}
    for name, parent in parents.items():
        seen = {name}
        above = parent
        while above is not None and above not in seen:
            seen.add(above)
            above = result.get(above, parents.get(above))
        result[name] = None if above == name else parent
    return result
