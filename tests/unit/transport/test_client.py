from __future__ import annotations

import asyncio
import resource
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from aiohttp import web
from tests.unit.transport.hostile_server import BEHAVIOURS, HostileServer, hostile_server

from lobrest.errors import CredentialsError, TargetError, UsageError
from lobrest.model.exchange import Failure, Headers, Request, Response
from lobrest.model.operation import OperationId
from lobrest.transport import Credential, Credentials, HttpTransport, Limits, Timeouts, read_credentials
from lobrest.transport.login import Login, Place, TokenRule

QUICK = Timeouts(connect=10, read=0.3, total=0.6)
PATIENT = Timeouts(connect=20, read=20, total=20)
ANN = Credential("ann", headers=(("Authorization", "Bearer abcdefgh"),))


def request(
    target: str,
    method: str = "GET",
    *,
    headers: Headers = (),
    body: bytes | None = None,
    actor: str = "",
) -> Request:
    return Request(OperationId(f"{method} {target}"), method, target, headers, body, actor)


def visit(
    story: Callable[[HostileServer, HttpTransport], Awaitable[None]],
    *users: Credential,
    limits: Limits | None = None,
    rate: float | None = None,
    concurrency: int = 16,
    timeouts: Timeouts = PATIENT,
) -> None:
    """Run a story with the hostile server and a transport to it."""

    async def run() -> None:
        async with hostile_server() as server:
            transport = HttpTransport(
                server.url,
                Credentials.of(users),
                timeouts=timeouts,
                limits=limits,
                rate=rate,
                concurrency=concurrency,
            )
            try:
                await story(server, transport)
            finally:
                await transport.close()

    asyncio.run(run())


async def answered(transport: HttpTransport, sent: Request) -> Response:
    answer = await transport.send(sent)
    assert isinstance(answer, Response), answer
    return answer


OUTCOMES = {
    "/endless": 200,
    "/endless-chunks": 200,
    "/trickle": Failure.TIMEOUT,
    "/failing-trickle": 500,
    "/silent": Failure.TIMEOUT,
    "/too-short": Failure.CLOSED,
    "/too-long": Failure.PROTOCOL,
    "/negative-length": Failure.PROTOCOL,
    "/two-lengths": Failure.PROTOCOL,
    "/huge-length": Failure.PROTOCOL,
    "/bad-chunk": Failure.PROTOCOL,
    "/cut-chunk": Failure.CLOSED,
    "/not-http": Failure.PROTOCOL,
    "/closed": Failure.CLOSED,
    "/reset": Failure.CLOSED,
    "/closes-on-reuse": 200,
    "/redirect-loop": 302,
    "/redirect-elsewhere": 307,
    "/bad-charset": 200,
    "/many-headers": Failure.PROTOCOL,
    "/long-header": Failure.PROTOCOL,
    "/interim": Failure.TIMEOUT,
    "/bomb": 200,
    "/nested-bomb": 200,
    "/zipped": 200,
    "/false-zip": 200,
    "/no-content-with-body": Failure.PROTOCOL,
    "/stray-no-content": Failure.PROTOCOL,
    "/reset-content": 205,
    "/stray-reset-content": Failure.PROTOCOL,
    "/upgrade": 101,
    "/busy-once": 200,
    "/always-busy": 429,
    "/echo": 200,
}


def test_every_behaviour_has_an_expected_outcome() -> None:
    assert OUTCOMES.keys() == BEHAVIOURS.keys()


@pytest.mark.parametrize("path", OUTCOMES)
def test_misbehaviour_is_an_answer_or_a_kind_of_failure_and_the_next_request_is_fine(path: str) -> None:
    async def story(server: HostileServer, transport: HttpTransport) -> None:
        for method in ("GET", "POST"):
            outcome = await transport.send(request(path, method, body=b"{}" if method == "POST" else None))
            if path != "/closes-on-reuse":
                assert (outcome.status if isinstance(outcome, Response) else outcome) == OUTCOMES[path]
            assert (await answered(transport, request("/plain"))).body == b'{"ok": true}'

    slow = OUTCOMES[path] is Failure.TIMEOUT or path == "/failing-trickle"
    visit(story, limits=Limits(body=10_000, retry_after=0.01), timeouts=QUICK if slow else PATIENT)


@pytest.mark.parametrize("path", ["/endless", "/endless-chunks", "/bomb", "/nested-bomb"])
def test_bodies_are_cut_at_the_limit(path: str) -> None:
    async def story(server: HostileServer, transport: HttpTransport) -> None:
        answer = await answered(transport, request(path))
        assert (len(answer.body), answer.truncated) == (100_000, True)

    visit(story, limits=Limits(body=100_000))


def test_a_hostile_service_does_not_make_memory_grow() -> None:
    """After a first round, further rounds over everything at once need no more memory."""
    quick = [path for path, outcome in OUTCOMES.items() if outcome is not Failure.TIMEOUT]
    quick = [path for path in quick if path not in ("/failing-trickle", "/many-headers", "/always-busy")]

    async def story(server: HostileServer, transport: HttpTransport) -> None:
        async def round_of(count: int) -> int:
            for _ in range(count):
                await asyncio.gather(*(transport.send(request(path)) for path in quick))
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        before = await round_of(4)
        after = await round_of(8)
        unit = 1024 if sys.platform == "darwin" else 1
        assert (after - before) / unit < 8 * 1024  # KiB

    visit(story, limits=Limits(body=200_000))


def test_the_request_goes_out_as_it_was_made() -> None:
    async def story(server: HostileServer, transport: HttpTransport) -> None:
        headers = (("X-A", "1"), ("x-a", "2"), ("Content-Type", "text/plain; charset=x"), ("Host", "evil"))
        await answered(
            transport, request("/a%2Fb/../c//d?q=%zz&r#f g", "PROPFIND", headers=headers, body=b"hi")
        )
        await answered(transport, request("/x", "GET", body=b"also with a body"))
        await answered(transport, request("/y", "DELETE"))
        odd, get, delete = server.calls
        assert (odd.method, odd.target) == ("PROPFIND", "/a%2Fb/../c//d?q=%zz&r%23f%20g")
        assert odd.all("x-a") == ["1", "2"]
        assert odd.all("content-type") == ["text/plain; charset=x"]
        assert odd.all("host") == [server.url.removeprefix("http://")]
        assert odd.body == b"hi"
        assert get.body == b"also with a body"
        assert get.all("content-type") == []
        assert delete.all("user-agent")[0].startswith("lobrest/")
        assert server.connections == 1

    visit(story)


def test_a_method_that_cannot_be_sent_is_a_failure() -> None:
    async def story(server: HostileServer, transport: HttpTransport) -> None:
        assert await transport.send(request("/x", "GET /y HTTP/1.1\r\n\r\nPOST")) is Failure.PROTOCOL
        assert server.calls == []

    visit(story)


def test_credentials_are_sent_and_not_kept() -> None:
    async def story(server: HostileServer, transport: HttpTransport) -> None:
        sent = request("/echo", headers=(("Authorization", "Bearer other"),), actor="ann")
        answer = await answered(transport, sent)
        assert server.calls[0].all("authorization") == ["Bearer abcdefgh"]
        assert b"abcdefgh" not in answer.body
        assert "abcdefgh" not in repr(answer)
        assert "topsecret" not in repr(answer)
        await answered(transport, request("/echo"))
        assert server.calls[1].all("authorization") == []

    visit(story, ANN)


def test_a_users_cookie_joins_the_requests_own() -> None:
    async def story(server: HostileServer, transport: HttpTransport) -> None:
        await answered(transport, request("/echo", headers=(("Cookie", "theme=dark"),), actor="bob"))
        assert server.calls[0].all("cookie") == ["theme=dark; sid=12345678"]

    visit(story, Credential("bob", headers=(("Cookie", "sid=12345678"),)))


def test_an_actor_without_credentials_is_a_mistake() -> None:
    async def story(server: HostileServer, transport: HttpTransport) -> None:
        with pytest.raises(UsageError, match="'nobody'"):
            await transport.send(request("/x", actor="nobody"))

    visit(story)


def test_writes_are_not_repeated_when_the_connection_breaks_and_reads_once() -> None:
    async def story(server: HostileServer, transport: HttpTransport) -> None:
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            await answered(transport, request("/plain"))
            server.hits.clear()
            assert await transport.send(request("/closed", method)) is Failure.CLOSED
            assert server.hits["/closed"] == 1
        server.hits.clear()
        assert await transport.send(request("/closed", "GET")) is Failure.CLOSED
        assert server.hits["/closed"] == 2

    visit(story)


def test_waits_that_do_not_help_end() -> None:
    async def story(server: HostileServer, transport: HttpTransport) -> None:
        for _ in range(5):
            assert (await answered(transport, request("/always-busy"))).status == 429
        assert transport.counts["waits"] == 6
        assert server.hits["/always-busy"] == 11

    visit(story, limits=Limits(retry_after=0.01))


def test_no_more_requests_at_once_than_allowed() -> None:
    async def story(server: HostileServer, transport: HttpTransport) -> None:
        await asyncio.gather(*(answered(transport, request("/plain")) for _ in range(50)))
        assert server.connections <= 3

    visit(story, concurrency=3)


def test_the_rate_holds_requests_back() -> None:
    async def story(server: HostileServer, transport: HttpTransport) -> None:
        await answered(transport, request("/plain"))
        second = asyncio.create_task(transport.send(request("/plain")))
        await asyncio.wait({second}, timeout=0.05)
        assert server.hits["/plain"] == 1
        second.cancel()
        await asyncio.wait({second})

    visit(story, rate=0.001)


def test_failures_are_counted_by_kind() -> None:
    async def story(server: HostileServer, transport: HttpTransport) -> None:
        await transport.send(request("/silent"))
        await transport.send(request("/not-http"))
        assert transport.counts["failure:timeout"] == 1
        assert transport.counts["failure:protocol"] == 1

    visit(story, timeouts=QUICK)


@pytest.mark.parametrize(
    "target", ["", "localhost:80", "ftp://x/", "http://", "http://x:99999/", "http://[::1"]
)
def test_a_target_must_be_an_http_url(target: str) -> None:
    with pytest.raises(UsageError):
        HttpTransport(target, Credentials())


def test_a_target_with_a_password_is_refused_without_showing_it() -> None:
    with pytest.raises(UsageError) as caught:
        HttpTransport("http://ann:hunter2@host/", Credentials())
    assert "hunter2" not in str(caught.value)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.mark.parametrize("host", ["127.0.0.1", "no-such-host.invalid"])
def test_a_service_that_is_not_there_is_an_error_at_the_probe_and_a_failure_later(host: str) -> None:
    async def run() -> None:
        transport = HttpTransport(f"http://{host}:{free_port()}", Credentials())
        try:
            with pytest.raises(TargetError, match=host) as caught:
                await transport.probe()
            assert caught.value.exit_status == 3
            assert await transport.send(request("/x", "POST")) is Failure.CONNECT
        finally:
            await transport.close()

    asyncio.run(run())


def test_a_probe_tells_what_answered() -> None:
    async def story(server: HostileServer, transport: HttpTransport) -> None:
        reached = await transport.probe()
        assert (reached.status, reached.refused) == (200, ())

    visit(story, ANN)


class Guarded:
    """A service with a login whose tokens can be ended."""

    def __init__(self) -> None:
        self.logins = 0
        self.valid = ""

    async def login(self, call: web.Request) -> web.Response:
        self.logins += 1
        if (await call.json()).get("password") != "right":
            return web.json_response({"error": "wrong"}, status=401)
        self.valid = f"token-{self.logins}"
        return web.json_response({"auth": {"token": self.valid}})

    async def secret(self, call: web.Request) -> web.Response:
        given = call.headers.get("Authorization", "") or f"Bearer {call.query.get('key')}"
        return web.json_response({"seen": given}, status=200 if given == f"Bearer {self.valid}" else 401)

    async def never(self, call: web.Request) -> web.Response:
        return web.json_response({}, status=401)


def guarded_visit(story: Callable[[Guarded, HttpTransport], Awaitable[None]], *users: Credential) -> None:
    async def run() -> None:
        service = Guarded()
        app = web.Application()
        app.router.add_post("/login", service.login)
        app.router.add_get("/secret", service.secret)
        app.router.add_get("/never", service.never)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        transport = HttpTransport(f"http://{host}:{port}/api", Credentials.of(users))
        try:
            await story(service, transport)
        finally:
            await transport.close()
            await runner.cleanup()

    asyncio.run(run())


def member(name: str, password: str = "right", sent_in: Place = Place.HEADER) -> Credential:
    name_of = "Authorization" if sent_in is Place.HEADER else "key"
    template = "Bearer {token}" if sent_in is Place.HEADER else "{token}"
    rule = TokenRule(Place.BODY, "/auth/token", sent_in, name_of, template)
    body = f'{{"password": "{password}"}}'.encode()
    return Credential(
        name, login=Login("POST", "/login", (("Content-Type", "application/json"),), body, rule)
    )


def test_the_login_happens_once_when_first_needed() -> None:
    async def story(service: Guarded, transport: HttpTransport) -> None:
        answers = await asyncio.gather(*(transport.send(request("/secret", actor="ann")) for _ in range(8)))
        assert [answer.status for answer in answers if isinstance(answer, Response)] == [200] * 8
        assert service.logins == 1
        assert all("token-1" not in repr(answer) for answer in answers)

    guarded_visit(story, member("ann"))


def test_an_ended_login_is_renewed_once() -> None:
    async def story(service: Guarded, transport: HttpTransport) -> None:
        await answered(transport, request("/secret", actor="ann"))
        service.valid = "something else"
        answers = await asyncio.gather(*(transport.send(request("/secret", actor="ann")) for _ in range(8)))
        assert [answer.status for answer in answers if isinstance(answer, Response)] == [200] * 8
        assert service.logins == 2

    guarded_visit(story, member("ann"))


def test_an_operation_that_is_always_refused_does_not_log_in_for_ever() -> None:
    async def story(service: Guarded, transport: HttpTransport) -> None:
        for _ in range(10):
            assert (await answered(transport, request("/never", actor="ann"))).status == 401
        assert service.logins == 3

    guarded_visit(story, member("ann"))


def test_a_token_can_go_into_the_query() -> None:
    async def story(service: Guarded, transport: HttpTransport) -> None:
        assert (await answered(transport, request("/secret?a=1", actor="ann"))).status == 200

    guarded_visit(story, member("ann", sent_in=Place.QUERY))


def test_refused_logins_are_named_and_all_refused_is_an_error() -> None:
    async def some(service: Guarded, transport: HttpTransport) -> None:
        assert (await transport.probe()).refused == ("bob",)
        assert (await answered(transport, request("/secret", actor="bob"))).status == 401

    async def all_refused(service: Guarded, transport: HttpTransport) -> None:
        with pytest.raises(CredentialsError, match="bob") as caught:
            await transport.probe()
        assert "hunter2" not in str(caught.value)

    guarded_visit(some, member("ann"), member("bob", "hunter2"))
    guarded_visit(all_refused, member("bob", "hunter2"))


def test_an_authentication_file_works_from_end_to_end(tmp_path: Path) -> None:
    file = tmp_path / "auth.yaml"
    file.write_text(
        """
auth:
- name: ann
  loginEndpointAuth:
    payloadUserPwd: {username: ann, password: env:PW, usernameField: name, passwordField: password}
authTemplate:
  loginEndpointAuth:
    endpoint: /login
    verb: POST
    contentType: application/json
    token: {extractFrom: body, extractSelector: /auth/token, sendIn: header, sendName: Authorization,
            sendTemplate: "Bearer {token}"}
"""
    )
    users = read_credentials([str(file)], environment={"PW": "right"})

    async def story(service: Guarded, transport: HttpTransport) -> None:
        assert (await answered(transport, request("/secret", actor="ann"))).status == 200

    guarded_visit(story, *users)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that nobody vouches for, with its key."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl is not installed")
    file = tmp_path_factory.mktemp("certificate") / "both.pem"
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = [program, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject]
    subprocess.run(
        [*command, "-keyout", str(file), "-out", str(file) + ".crt"], check=True, capture_output=True
    )
    file.write_text(file.read_text() + Path(str(file) + ".crt").read_text())
    return file


def test_a_certificate_is_checked_unless_that_is_not_wanted(certificate: Path) -> None:
    async def run() -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        async with hostile_server(context) as server:
            checking = HttpTransport(server.url, Credentials())
            trusting = HttpTransport(server.url, Credentials(), verify=False)
            try:
                with pytest.raises(TargetError, match="certificate is not to be trusted: self-signed"):
                    await checking.probe()
                assert await checking.send(request("/x")) is Failure.CONNECT
                assert (await trusting.probe()).status == 200
            finally:
                await checking.close()
                await trusting.close()

    asyncio.run(run())


def test_tls_spoken_to_a_service_that_has_none() -> None:
    async def story(server: HostileServer, transport: HttpTransport) -> None:
        wrong = HttpTransport(
            server.url.replace("http:", "https:"), Credentials(), timeouts=Timeouts(0.3, 1, 1)
        )
        with pytest.raises(TargetError, match="no answer from https:"):
            await wrong.probe()
        assert await wrong.send(request("/x")) is Failure.CONNECT
        await wrong.close()

    visit(story)
