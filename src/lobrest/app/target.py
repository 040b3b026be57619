"""The service that was named: where requests go, and under which path."""

from __future__ import annotations

from urllib.parse import urlsplit

from lobrest.errors import TargetError, UsageError
from lobrest.model.operation import ApiSpec

_LOOPBACK = ("127.", "localhost", "[::1]", "::1")


def base_path(target: str, spec: ApiSpec) -> str:
    """The path in front of every operation: the target's, with the specification's where it lacks it."""
    given = urlsplit(target).path.rstrip("/")
    declared = spec.base_paths[0] if spec.base_paths else ""
    if not declared or given.endswith(declared):
        return given
    return given + declared


def origin(target: str) -> str:
    """Scheme, host and port."""
    parts = urlsplit(target)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise UsageError(f"{target!r} is not the URL of a service", hint="write --target http://host:port")
    return f"{parts.scheme}://{parts.netloc}"


def refuse_production(target: str, spec: ApiSpec, *, allowed: bool) -> None:
    """Stop before load is sent to a host that the specification names as the service's own public address."""
    host = urlsplit(target).hostname or ""
    if allowed or host.startswith(_LOOPBACK):
        return
    declared = {urlsplit(server).hostname for server in spec.servers}
    if host in declared:
        raise TargetError(
            f"{host} is the address that the specification gives, so it may be production",
            hint="test a copy of the service, or add --i-know",
        )
