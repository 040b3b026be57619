"""The server of the dashboard: addresses, live updates, what pages may ask to be done."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from http import HTTPStatus
from importlib.resources import files
from typing import Final

from aiohttp import web
from aiohttp.typedefs import Handler

from lobrest.app.control import Wish
from lobrest.app.rerun import Ending, missing_users, of_bug, of_play
from lobrest.app.target import origin
from lobrest.errors import LobrestError, UsageError
from lobrest.model.reproducer import Reproducer
from lobrest.report.html import asset
from lobrest.report.wording import duration, number
from lobrest.web import pages
from lobrest.web.access import HEADERS, guard
from lobrest.web.site import MissingError, Site
from lobrest.web.watched import Pulse, Watched

Page = Callable[[Site, Watched, pages.Query], str]

_LOOK_EVERY_SECONDS: Final = 1.0
_MOST_LISTENERS: Final = 24
_TYPES: Final = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

_PAGES: Final[dict[str, Page]] = {
    "": pages.overview,
    "bugs": pages.bugs,
    "bugs/{number}": pages.bug,
    "requests": pages.requests,
    "requests/{number}": pages.request,
    "operations": pages.operations,
    "operation": pages.operation,
    "flows": pages.flows,
    "seeds": pages.seeds,
    "seeds/{name}": pages.seed,
    "resources": pages.resources,
    "unreached": pages.unreached,
    "logs": pages.logs,
    "time": pages.time,
    "search": pages.search,
}


def application(site: Site) -> web.Application:
    """The dashboard, ready to be served."""
    server = _Server(site)
    app = web.Application(middlewares=[guard(site.access), server.explained], client_max_size=1 << 16)
    app.router.add_get("/", server.home)
    app.router.add_get("/compare", server.compare)
    app.router.add_get("/static/{name}", server.static)
    app.router.add_get("/replays/{number}", server.replay)
    for path, page in _PAGES.items():
        app.router.add_get(f"/c/{{campaign}}/{path}", server.page(page))
    app.router.add_get("/c/{campaign}/events", server.events)
    app.router.add_get("/c/{campaign}/bugs/{number}/as/{form}", server.bug_file)
    app.router.add_post("/c/{campaign}/control", server.control)
    for what in ("bugs", "plays"):
        app.router.add_get(f"/c/{{campaign}}/{what}/{{number}}/replay", server.confirm)
        app.router.add_post(f"/c/{{campaign}}/{what}/{{number}}/replay", server.start_replay)
    app.on_shutdown.append(server.close)
    return app


async def serve(site: Site, *, port: int, ready: Callable[[str], None]) -> None:
    """Serve on this machine until cancelled; ``ready`` is told the address with the token.

    Raises ``UsageError`` where the port is taken.
    """
    runner = web.AppRunner(application(site), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        listener = web.TCPSite(runner, "127.0.0.1", port)
        try:
            await listener.start()
        except OSError as error:
            raise UsageError(
                f"port {port} cannot be used: {error.strerror}", hint="give --port another number"
            ) from error
        ready(f"http://127.0.0.1:{runner.addresses[0][1]}/?token={site.access.token}")
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


class _Server:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._closing = asyncio.Event()
        self._listeners = 0
        self._assets: dict[str, str] = {
            "report.css": asset("report.css"),
            "report.js": asset("report.js"),
            **{name: _static(name) for name in ("app.css", "app.js", "icon.svg")},
        }

    async def close(self, _: web.Application) -> None:
        """Let listeners go, end what was started."""
        self._closing.set()
        await self._site.replays.close()

    @web.middleware
    async def explained(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """What goes wrong is said on a page."""
        try:
            return await handler(request)
        except MissingError as error:
            return self._problem(HTTPStatus.NOT_FOUND, str(error))
        except web.HTTPNotFound:
            return self._problem(HTTPStatus.NOT_FOUND, "There is no such page.")
        except LobrestError as error:
            return self._problem(HTTPStatus.CONFLICT, str(error))

    def _problem(self, status: HTTPStatus, text: str) -> web.Response:
        return _html(self._site.page("problem.html.j2", text=text, title=status.phrase), status)

    # Pages ------------------------------------------------------------------------------------------------

    def page(self, build: Page) -> Handler:
        """A page of a campaign, made on a thread: live updates go on meanwhile."""

        async def handler(request: web.Request) -> web.StreamResponse:
            watched = self._watched(request)
            query = {**request.query, **request.match_info}
            return _html(await asyncio.to_thread(build, self._site, watched, query))

        return handler

    async def home(self, _: web.Request) -> web.StreamResponse:
        """All campaigns; where there is but one, that one."""
        if len(self._site.campaigns) == 1:
            raise web.HTTPSeeOther(f"/c/{self._site.campaigns[0].number}/")
        return _html(await asyncio.to_thread(pages.home, self._site))

    async def compare(self, _: web.Request) -> web.StreamResponse:
        """Campaigns beside each other."""
        return _html(await asyncio.to_thread(pages.compare, self._site))

    async def bug_file(self, request: web.Request) -> web.StreamResponse:
        """A bug in another form, to be saved."""
        name, text = await asyncio.to_thread(pages.bug_file, self._watched(request), dict(request.match_info))
        return web.Response(
            body=text.encode("utf-8", "replace"),
            content_type="application/octet-stream",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    async def static(self, request: web.Request) -> web.StreamResponse:
        """Styles and scripts, which come with the program."""
        name = request.match_info["name"]
        if name not in self._assets:
            raise MissingError("There is no such file.")
        return web.Response(text=self._assets[name], content_type=_TYPES[name.rpartition(".")[2]])

    async def events(self, request: web.Request) -> web.StreamResponse:
        """How far a campaign is, told whenever that changes."""
        watched = self._watched(request)
        if self._listeners >= _MOST_LISTENERS:
            return web.Response(status=HTTPStatus.SERVICE_UNAVAILABLE, text="too many pages are open\n")
        answer = web.StreamResponse(headers={**HEADERS, "Content-Type": "text/event-stream"})
        await answer.prepare(request)
        self._listeners += 1
        last = b""
        try:
            while not self._closing.is_set():
                pulse = await asyncio.to_thread(watched.pulse)
                told = json.dumps(_told(pulse)).encode()
                if told != last:
                    await answer.write(b"data: " + told + b"\n\n")
                    last = told
                else:
                    await answer.write(b": still here\n\n")
                try:
                    await asyncio.wait_for(self._closing.wait(), _LOOK_EVERY_SECONDS)
                except TimeoutError:
                    continue
        except ConnectionError:
            pass  # whoever listened has gone
        finally:
            self._listeners -= 1
        return answer

    # What pages ask for -----------------------------------------------------------------------------------

    async def control(self, request: web.Request) -> web.StreamResponse:
        """Pause, go on or stop."""
        watched = self._watched(request)
        form = await request.post()
        try:
            wish = Wish(str(form.get("wish", "")))
        except ValueError:
            raise UsageError("a campaign can be paused, resumed or stopped, and nothing else") from None
        watched.steer(wish)
        raise web.HTTPSeeOther(f"/c/{watched.number}/")

    async def confirm(self, request: web.Request) -> web.StreamResponse:
        """What would be sent, and where: nothing is, before somebody says so."""
        watched = self._watched(request)
        reproducer, title, back = await asyncio.to_thread(self._steps, watched, request)
        page = self._site.page(
            "confirm.html.j2",
            watched,
            steps=reproducer.steps,
            what=title,
            back=back,
            target=self._target(watched),
            missing=missing_users(reproducer, self._site.credentials),
            action=request.path,
            here="bugs" if "/bugs/" in request.path else "requests",
            title="Run again",
        )
        return _html(page)

    async def start_replay(self, request: web.Request) -> web.StreamResponse:
        """Begin, and show how it goes."""
        watched = self._watched(request)
        reproducer, title, back = await asyncio.to_thread(self._steps, watched, request)
        target = self._target(watched)
        origin(target)  # says what is wrong with it
        missing = missing_users(reproducer, self._site.credentials)
        if missing:
            raise UsageError(f"there are no credentials for {', '.join(missing)}", hint="start with --auth")
        if self._site.replays.busy:
            raise UsageError("other runs are under way", hint="wait for them")
        begun = self._site.replays.start(
            reproducer, self._site.credentials, target=target, title=title, origin=back
        )
        raise web.HTTPSeeOther(f"/replays/{begun}")

    async def replay(self, request: web.Request) -> web.StreamResponse:
        """How a run goes, or went."""
        text = request.match_info["number"]
        run = self._site.replays.runs.get(int(text)) if text.isdecimal() and len(text) < 9 else None
        if run is None:
            raise MissingError("There is no such run any more.")
        page = self._site.page(
            "replay.html.j2",
            run=run,
            back=self._site.replays.origins[int(text)],
            under_way=run.ending is Ending.UNDER_WAY,
            title=run.title,
        )
        return _html(page)

    def _steps(self, watched: Watched, request: web.Request) -> tuple[Reproducer, str, str]:
        text = request.match_info["number"]
        found = int(text) if text.isdecimal() and len(text) < 12 else -1
        if "/bugs/" in request.path:
            bug = watched.browser.bug(found)
            if bug is None:
                raise MissingError("There is no such bug.")
            return of_bug(bug), f"Bug {bug.number}", f"/c/{watched.number}/bugs/{bug.number}"
        play = watched.browser.play(found)
        exchanges = watched.browser.exchanges_of_play(play) if play is not None else ()
        if play is None or not exchanges:
            raise MissingError("There is no such play, or its requests were not kept.")
        back = f"/c/{watched.number}/requests/{exchanges[0].id}"
        return of_play([one.exchange for one in exchanges]), f"Play {play.execution}", back

    def _target(self, watched: Watched) -> str:
        return self._site.target or watched.stored().target

    def _watched(self, request: web.Request) -> Watched:
        return self._site.campaign(request.match_info["campaign"])


def _told(pulse: Pulse) -> dict[str, str | int]:
    left = max(0.0, pulse.budget - pulse.seconds)
    return {
        "state": pulse.state.value,
        "requests": number(pulse.requests),
        "covered": number(pulse.covered),
        "bugs": number(pulse.bugs),
        "rate": f"{pulse.rate:.0f}",
        "left": duration(round(left)) if pulse.budget else "",
        "newest": pulse.newest,
        "current": pulse.current[:120],
    }


def _html(text: str, status: HTTPStatus = HTTPStatus.OK) -> web.Response:
    return web.Response(
        body=text.encode("utf-8", "replace"), content_type="text/html", charset="utf-8", status=status
    )


def _static(name: str) -> str:
    return files("lobrest.web").joinpath("static", name).read_text("utf-8")
