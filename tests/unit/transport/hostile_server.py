"""A service that misbehaves on the wire: the path says how. Raw sockets, because no framework would do it."""

from __future__ import annotations

import asyncio
import functools
import gzip
import ssl
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

Handler = Callable[["HostileServer", "Call", asyncio.StreamWriter], Awaitable[None]]


class Call:
    """One request as it came in."""

    def __init__(self, head: bytes, body: bytes) -> None:
        lines = head.decode("latin-1").split("\r\n")
        self.method, self.target, _ = lines[0].split(" ", 2)
        pairs = [line.partition(":") for line in lines[1:] if line]
        self.headers = [(name, value.strip()) for name, _, value in pairs]
        self.body = body

    def all(self, name: str) -> list[str]:
        """Every value of a header."""
        return [value for key, value in self.headers if key.lower() == name]


class HostileServer:
    """Counts what it sees and answers as asked."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.hits: Counter[str] = Counter()
        self.connections = 0
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection until either side has had enough."""
        self.connections += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = 0
                for line in head.lower().split(b"\r\n"):
                    if line.startswith(b"content-length:"):
                        length = int(line.partition(b":")[2])
                call = Call(head[:-4], await reader.readexactly(length))
                if len(self.calls) < 1000:
                    self.calls.append(call)
                path = call.target.partition("?")[0]
                self.hits[path] += 1
                await BEHAVIOURS.get(path, plain)(self, call, writer)
                await writer.drain()
                if writer.is_closing():
                    return
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def hostile_server(tls: ssl.SSLContext | None = None) -> AsyncIterator[HostileServer]:
    """A server on a free port of the loopback."""
    hostile = HostileServer()
    _bomb()  # packed before anybody waits for it
    tasks: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await hostile.serve(reader, writer)
        except asyncio.CancelledError:
            writer.transport.abort()
        finally:
            tasks.discard(task)

    server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    hostile.url = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
    try:
        yield hostile
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def answer(body: bytes, *, status: str = "200 OK", headers: str = "") -> bytes:
    """A well-formed answer."""
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n".encode("latin-1") + body


async def plain(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(answer(b'{"ok": true}', headers="Content-Type: application/json\r\n"))


async def endless(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        writer.write(b"x" * 65536)
        await writer.drain()


async def endless_chunks(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")
        await writer.drain()


async def trickle(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.05)


async def failing_trickle(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 500 Oops\r\nContent-Length: 1000\r\n\r\nx")
    await writer.drain()
    await asyncio.sleep(30)


async def silent(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(30)


async def too_short(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
    writer.close()


async def too_long(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokand more that nobody announced\r\n\r\n")


async def negative_length(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello")


async def two_lengths(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")
    writer.close()


async def huge_length(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999999\r\n\r\nhello")
    writer.close()


async def bad_chunk(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n")


async def cut_chunk(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel")
    writer.close()


async def not_http(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-OpenSSH_9.2p1\r\n" + b"\x00\xff" * 400)
    writer.close()


async def closed(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.close()


async def reset(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def closes_on_reuse(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    """Answers a first request of a path, closes without a word on the second, answers the third."""
    if server.hits["/closes-on-reuse"] == 2:
        writer.close()
    else:
        await plain(server, call, writer)


async def redirect_loop(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(answer(b"", status="302 Found", headers=f"Location: {call.target}\r\n"))


async def redirect_elsewhere(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(answer(b"", status="307 Temporary Redirect", headers="Location: http://192.0.2.1/\r\n"))


async def bad_charset(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    headers = "Content-Type: application/json; charset=klingon-8\r\nX-Name: caf\xe9\xff\r\n"
    writer.write(answer(b"\xff\xfe{\x80broken", headers=headers))


async def many_headers(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(100_000):
        writer.write(b"X-%d: y\r\n" % number)
        if number % 1000 == 0:
            await writer.drain()
        if writer.is_closing():
            return
    writer.write(b"Content-Length: 0\r\n\r\n")


async def long_header(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while True:
        writer.write(b"y" * 65536)
        await writer.drain()


async def interim(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
        await writer.drain()
        await asyncio.sleep(0.01)


@functools.cache
def _bomb() -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    pieces = [packer.compress(b"\0" * (1 << 20)) for _ in range(60)]
    return b"".join([*pieces, packer.flush()])


async def bomb(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(answer(_bomb(), headers="Content-Encoding: gzip\r\n"))


async def nested_bomb(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(answer(gzip.compress(_bomb()), headers="Content-Encoding: gzip, gzip\r\n"))


async def zipped(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(answer(gzip.compress(b'{"zipped": 1}'), headers="Content-Encoding: gzip\r\n"))


async def false_zip(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(answer(b"no gzip at all", headers="Content-Encoding: gzip\r\n"))


async def no_content_with_body(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello")


async def stray_no_content(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 204 No Content\r\n\r\nhello")


async def reset_content(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b'HTTP/1.1 205 Reset Content\r\nContent-Length: 14\r\n\r\n{"late": true}')


async def stray_reset_content(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n[]\n")


async def upgrade(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\nxxxx")


async def busy_once(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    if server.hits["/busy-once"] == 1:
        writer.write(answer(b"slow down", status="429 Too Many Requests", headers="Retry-After: 0\r\n"))
    else:
        await plain(server, call, writer)


async def always_busy(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    headers = "Retry-After: 86400\r\n"
    writer.write(answer(b"slow down", status="429 Too Many Requests", headers=headers))


async def echo(server: HostileServer, call: Call, writer: asyncio.StreamWriter) -> None:
    seen = "\n".join(f"{name}: {value}" for name, value in call.headers).encode("latin-1")
    headers = f"Set-Cookie: sid=topsecret; HttpOnly\r\nX-Echo: {''.join(call.all('authorization'))}\r\n"
    writer.write(answer(seen + b"\n\n" + call.body, headers=headers))


BEHAVIOURS: dict[str, Handler] = {
    "/endless": endless,
    "/endless-chunks": endless_chunks,
    "/trickle": trickle,
    "/failing-trickle": failing_trickle,
    "/silent": silent,
    "/too-short": too_short,
    "/too-long": too_long,
    "/negative-length": negative_length,
    "/two-lengths": two_lengths,
    "/huge-length": huge_length,
    "/bad-chunk": bad_chunk,
    "/cut-chunk": cut_chunk,
    "/not-http": not_http,
    "/closed": closed,
    "/reset": reset,
    "/closes-on-reuse": closes_on_reuse,
    "/redirect-loop": redirect_loop,
    "/redirect-elsewhere": redirect_elsewhere,
    "/bad-charset": bad_charset,
    "/many-headers": many_headers,
    "/long-header": long_header,
    "/interim": interim,
    "/bomb": bomb,
    "/nested-bomb": nested_bomb,
    "/zipped": zipped,
    "/false-zip": false_zip,
    "/no-content-with-body": no_content_with_body,
    "/stray-no-content": stray_no_content,
    "/reset-content": reset_content,
    "/stray-reset-content": stray_reset_content,
    "/upgrade": upgrade,
    "/busy-once": busy_once,
    "/always-busy": always_busy,
    "/echo": echo,
}
