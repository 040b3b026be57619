"""The service that was named: where requests go, and under which path."""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from lobrest.errors import TargetError, UsageError
from lobrest.model.operation import ApiSpec

_VARIABLE: Final = re.compile(r"\{[^{}]*\}")


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


def refuse_production(
    target: str,
    spec: ApiSpec,
    *,
    allowed: bool,
    logged: Collection[str] = (),
    more_logged: bool = False,
) -> None:
    """Stop before load is sent to a host that may be production: one the specification or the logs name.

    ``logged`` are host names of the logs; with ``more_logged`` there were too many to name them all, and
    then a neighbour in the same domain is refused as well. This machine is never production.
    """
    host = _host(origin(target))
    if allowed or _is_this_machine(host):
        return
    named = (
        "the address that the specification gives"
        if any(_covers(_host(server), host) for server in spec.servers)
        else "a host that the logs name"
        if _is_logged(host, {_bare(one) for one in logged}, more=more_logged)
        else None
    )
    if named is not None:
        raise TargetError(
            f"{host} is {named}, so it may be production",
            hint="test a copy of the service, or add --i-know",
        )


def _is_logged(host: str, logged: Collection[str], *, more: bool) -> bool:
    if host in logged:
        return True
    domain = host.partition(".")[2]
    return more and "." in domain and any(one.partition(".")[2] == domain for one in logged)


def _covers(server: str, host: str) -> bool:
    """Is it the host of a declared server? ``{region}.acme.org`` stands for any region."""
    if "{" not in server:
        return bool(server) and server == host
    literal = [re.escape(part) for part in _VARIABLE.split(server)]
    # A server that is nothing but a variable says nothing about where production is.
    return any(part.strip("\\.") for part in literal) and bool(re.fullmatch("[^.]+".join(literal), host))


def _host(url: str) -> str:
    try:
        return _bare(urlsplit(url).hostname or "")
    except ValueError:
        return ""


def _bare(host: str) -> str:
    """Equal for equal hosts: a name may be written with capitals and with the dot of the root."""
    return host.lower().rstrip(".")


def _is_this_machine(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified
