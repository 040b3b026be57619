"""The service that was named: where requests go, and under which path."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from lobrest.errors import TargetError, UsageError
from lobrest.model.operation import ApiSpec


def base_path(target: str, spec: ApiSpec) -> str:
    """The path in front of every operation: the target's, with the specification's where it lacks it."""
    given = urlsplit(target).path.rstrip("/")
    declared = spec.base_paths[0] if spec.base_paths else ""
    if not declared or given.endswith(declared):
        return given
    return given + declared


def origin(target: str) -> str:
    """Scheme, host and port."""
    try:
        parts = urlsplit(target)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets that do not close, a port that is none
        usable = False
    if not usable:
        raise UsageError(f"{target!r} is not the URL of a service", hint="write --target http://host:port")
    return f"{parts.scheme}://{parts.netloc}"


def refuse_production(target: str, spec: ApiSpec, *, allowed: bool) -> None:
    """Stop before load is sent to a host that the specification names as the service's own public address."""
    host = _host(origin(target))
    if allowed or _is_this_machine(host):
        return
    if host in {_host(server) for server in spec.servers}:
        raise TargetError(
            f"{host} is the address that the specification gives, so it may be production",
            hint="test a copy of the service, or add --i-know",
        )


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
