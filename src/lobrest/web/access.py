"""Who may use the dashboard: whoever knows the token, from this machine, through pages of its own."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_OWN_SITES: Final = ("same-origin", "none", "")


@dataclass(frozen=True, slots=True)
class Access:
    """The token of one start of the dashboard, and what is derived from it."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)

    def cookie_name(self, port: int) -> str:
        """Cookies do not tell ports apart: two dashboards must not take each other's."""
        return f"lobrest-{port}"

    @property
    def ticket(self) -> str:
        """What forms carry, so that no other page can send them."""
        return hmac.new(self.token.encode(), b"form", hashlib.sha256).hexdigest()

    def knows(self, given: str) -> bool:
        """Is that the token?"""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())

    def is_own_form(self, given: str) -> bool:
        """Does a form come from a page of ours?"""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.ticket.encode())


def guard(access: Access) -> Middleware:
    """The middleware that lets nobody else in and marks every answer."""

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            answer = await _let_in(request, handler, access)
        except web.HTTPException as error:
            error.headers.update(HEADERS)
            raise
        if not answer.prepared:
            for name, value in HEADERS.items():
                answer.headers.setdefault(name, value)
        return answer

    return guarded


async def _let_in(request: web.Request, handler: Handler, access: Access) -> web.StreamResponse:
    port = _port(request)
    # A foreign name that resolves to this machine is how other sites would get in.
    if request.host.lower() not in {f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]")}:
        return refused(HTTPStatus.MISDIRECTED_REQUEST, "The dashboard answers on 127.0.0.1 only.")
    given = request.query.get("token")
    if given is not None and request.method == "GET":
        if not access.knows(given):
            return refused(HTTPStatus.FORBIDDEN, "That is not the token of this dashboard.")
        answer = web.HTTPSeeOther(request.path)
        answer.set_cookie(access.cookie_name(port), access.token, httponly=True, samesite="Strict", path="/")
        raise answer
    if not access.knows(request.cookies.get(access.cookie_name(port), "")):
        return refused(
            HTTPStatus.FORBIDDEN, "Open the address that `lobrest ui` has printed: it has the token."
        )
    if request.method not in ("GET", "HEAD"):
        own_origin = request.headers.get("Origin", f"http://{request.host}") == f"http://{request.host}"
        if not own_origin or request.headers.get("Sec-Fetch-Site", "") not in _OWN_SITES:
            return refused(HTTPStatus.FORBIDDEN, "Another page has sent this.")
        form = await request.post()
        if not access.is_own_form(str(form.get("ticket", ""))):
            return refused(HTTPStatus.FORBIDDEN, "The form is out of date: reload the page.")
    return await handler(request)


def refused(status: HTTPStatus, text: str) -> web.Response:
    """A plain refusal."""
    return web.Response(status=status, text=f"{status.value} {status.phrase}\n\n{text}\n")


def _port(request: web.Request) -> int:
    transport = request.transport
    name = transport.get_extra_info("sockname") if transport is not None else None
    return int(name[1]) if isinstance(name, tuple) else 0
