"""Operations that would end the party: recognised by what they say they do, and held back unless allowed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from lobrest.model.operation import ApiSpec, Location, Method, Operation, OperationId

_ENDS = re.compile(
    r"\b(log[ _-]?out|sign[ _-]?out|shut[ _-]?down|restart|reboot|power[ _-]?off|maintenance"
    r"|factory[ _-]?reset|__flush__|flush[ _-]?all|purge[ _-]?all|drop[ _-]?database|wipe|self[ _-]?destruct)\b",
    re.IGNORECASE,
)
_COSTS = re.compile(
    r"\b(send[ _-]?(e?mail|sms|message|invitation)s?|pay(ment|out)?s?|charge|refund"
    r"|transfer[ _-]?funds|invoice)\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"^(user|me|self|account|profile|session|current[_-]?user|token|whoami)$", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def held_back(
    spec: ApiSpec,
    *,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    allow: Iterable[str] = (),
) -> Mapping[OperationId, str]:
    """Operations not to be sent, each with the reason.

    ``include`` and ``exclude`` are patterns over ``METHOD /path``, paths, tags and methods;
    ``allow`` lets through what would be held back for safety.
    """
    only, never, allowed = tuple(include), tuple(exclude), tuple(allow)
    kept_items = {one.template.rpartition("/{")[0] for one in spec.operations.values()}
    found: dict[OperationId, str] = {}
    for operation in spec.operations.values():
        path = operation.template.rstrip("/")
        reason = danger(operation, holds_items=path in kept_items or path.endswith("s"))
        if only and not _matches(operation, only):
            found[operation.id] = "not included"
        elif _matches(operation, never):
            found[operation.id] = "excluded"
        elif reason is not None and not _matches(operation, allowed):
            found[operation.id] = reason
    return found


def danger(operation: Operation, *, holds_items: bool = True) -> str | None:
    """Why an operation is held back by default, or None. ``holds_items``: its path is that of a collection."""
    if operation.method in (Method.GET, Method.HEAD, Method.OPTIONS):
        last = operation.template.rstrip("/").rpartition("/")[2]
        return "ends the session" if _ENDS.search(last) and "out" in last.lower() else None
    said = " ".join(
        (
            operation.template.replace("/", " / ").replace("_", " "),
            operation.template,
            _CAMEL.sub(" ", operation.operation_id).replace("_", " "),
            operation.summary,
        )
    )
    if _ENDS.search(said):
        return "could stop the service or end the session"
    if _COSTS.search(
        _CAMEL.sub(" ", operation.operation_id) + " " + operation.template + " " + operation.summary
    ):
        return "could send mail or move money"
    if operation.method is Method.DELETE:
        segments = [part for part in operation.template.split("/") if part]
        parameters = any(one.ref.location is Location.PATH for one in operation.parameters)
        if segments and not parameters:
            if _OWN.match(segments[-1]):
                return "could delete the account or token in use"
            required = any(one.required for one in operation.parameters) or operation.body is not None
            if holds_items and not required:
                return "could delete everything at once"
    return None


def _matches(operation: Operation, patterns: tuple[str, ...]) -> bool:
    names = (
        operation.id,
        operation.template,
        operation.method.value,
        operation.operation_id,
        *operation.tags,
    )
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in names if name)
