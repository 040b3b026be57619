"""The service over HTTP."""

from __future__ import annotations

import msgspec
from aiohttp import web

from lobrest.demo.company import founded
from lobrest.demo.faults import Faults, parse_faults
from lobrest.demo.service import Request, Service

LARGEST_BODY = 1024 * 1024


def create_app(faults: str | Faults = "on", *, salt: str = "") -> web.Application:
    """A fresh forge as an application: the service under its base path, its document at `/openapi.json`.

    `faults` is `on`, `off`, names separated by commas, or the value itself; unknown names raise `ValueError`.
    """
    service = Service(founded(salt), faults if isinstance(faults, Faults) else parse_faults(faults))

    async def document(request: web.Request) -> web.Response:
        server = f"{request.scheme}://{request.host}"
        return web.Response(
            body=msgspec.json.encode(service.document(server)), content_type="application/json"
        )

    async def health(_: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    async def everything_else(request: web.Request) -> web.Response:
        try:
            body = await request.read()
        except web.HTTPRequestEntityTooLarge:
            return web.json_response({"message": "413 Request Entity Too Large"}, status=413)
        reply = service.answer(
            Request(
                request.method,
                request.rel_url.raw_path,
                request.rel_url.raw_query_string,
                {name.lower(): value for name, value in request.headers.items()},
                body,
            )
        )
        return web.Response(status=reply.status, body=reply.body, headers=reply.headers)

    app = web.Application(client_max_size=LARGEST_BODY)
    app.router.add_get("/openapi.json", document)
    app.router.add_get("/-/health", health)
    app.router.add_route("*", "/{path:.*}", everything_else)
    return app
