"""Operations that take the same body: what one of them was sent, the others can be sent too."""

from __future__ import annotations

from lobrest.model.operation import ApiSpec, Operation, OperationId
from lobrest.spec.fields import properties_of

_LEAST_FIELDS = 2


class Kinship:
    """Kin of operations by the schema of their bodies, for one service."""

    def __init__(self, spec: ApiSpec) -> None:
        self._spec = spec
        self._key_of: dict[OperationId, str] = {}
        self._kin: dict[str, list[OperationId]] = {}
        for operation in spec.operations.values():
            key = self._key(operation)
            if key:
                self._key_of[operation.id] = key
                self._kin.setdefault(key, []).append(operation.id)

    def of(self, operation: OperationId) -> tuple[OperationId, ...]:
        """The others with the same body."""
        key = self._key_of.get(operation)
        return tuple(one for one in self._kin.get(key, ()) if one != operation) if key else ()

    def _key(self, operation: Operation) -> str:
        preferred = operation.body.preferred() if operation.body else None
        if preferred is None:
            return ""
        schema = preferred[1]
        reference = schema.get("$ref")
        if isinstance(reference, str):
            return reference
        names = sorted(properties_of(self._spec, schema))
        return " ".join(names) if len(names) >= _LEAST_FIELDS else ""
