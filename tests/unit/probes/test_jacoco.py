"""The JaCoCo agent's own protocol: against a scripted agent, and a real one where there is one."""

from __future__ import annotations

import asyncio
import shutil
import socket
import struct
import subprocess
import time
from pathlib import Path

import pytest
from benchmarks.bench.cache import default_folder

from lobrest.errors import ProbeError
from lobrest.probes.jacoco import JacocoProbe

HEADER = struct.pack(">BHH", 1, 0xC0C0, 0x1007)


def text(value: str) -> bytes:
    return struct.pack(">H", len(value)) + value.encode()


def told(name: str, marks: list[bool], number: int = 5) -> bytes:
    count = len(marks)
    length = bytes([count]) if count < 128 else bytes([count & 0x7F | 0x80, count >> 7])
    packed = sum(1 << at for at, passed in enumerate(marks) if passed).to_bytes((count + 7) // 8, "little")
    return struct.pack(">Bq", 0x11, number) + text(name) + length + packed


async def asked(answer: bytes) -> tuple[dict, bytes]:
    """What a probe makes of an agent that says this, and what it was asked."""
    request = b""

    async def agent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal request
        request = await reader.readexactly(8)
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(agent, "127.0.0.1", 0)
    async with server:
        probe = JacocoProbe("127.0.0.1", server.sockets[0].getsockname()[1])
        found = await probe.lines()
        await probe.close()
    return found, request


def test_a_dump_is_asked_for_without_a_reset():
    session = b"\x10" + text("host-1") + struct.pack(">qq", 1, 2)
    many = [at % 3 == 0 for at in range(300)]
    dump = HEADER + session + told("a/B", [True, False, True]) + told("a/C", many, 6) + b"\x20"
    found, request = asyncio.run(asked(dump))
    assert request == HEADER + b"\x40\x01\x00"
    assert [mask.bit_count() for mask in found.values()] == [2, 100]
    assert [name.partition("#")[0] for name in found] == ["a/B", "a/C"]


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        HEADER + b"\x99",
        struct.pack(">BHH", 1, 0xBEEF, 1) + b"\x20",
        HEADER + struct.pack(">Bq", 0x11, 1) + text("a") + b"\xff\xff\xff\xff\xff\xff",
        HEADER + told("a/B", [True])[:-1],
        b"",
    ],
)
def test_what_is_no_agent_is_a_named_error(answer: bytes):
    with pytest.raises(ProbeError, match=r"jacoco:127\.0\.0\.1"):
        asyncio.run(asked(answer))


def test_nobody_listens():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(ProbeError, match="does not answer"):
        asyncio.run(JacocoProbe("127.0.0.1", port).lines())


SERVICE = """
public class Service {
    static int deep(int x) { return x > 1 ? x * 2 : x; }
    public static void main(String[] args) throws Exception {
        while (true) {
            int read = System.in.read();
            if (read < 0) return;
            if (read == 'd') System.out.println(deep(read)); else if (read == 'f') System.out.println("flat");
        }
    }
}
"""


def test_a_real_agent(tmp_path: Path):
    java = shutil.which("java")
    agents = sorted(default_folder().rglob("org.jacoco.agent-*-runtime.jar")) if java else []
    if not agents:
        pytest.skip("needs Java and the JaCoCo agent in the benchmark's cache")
    assert java is not None
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    (tmp_path / "Service.java").write_text(SERVICE)
    agent = f"-javaagent:{agents[0]}=output=tcpserver,port={port},includes=Service,inclnolocationclasses=true"
    command = [java, agent, str(tmp_path / "Service.java")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def say(letter: str) -> int:
            process.stdin.write(letter)
            process.stdin.flush()
            assert process.stdout.readline()
            time.sleep(0.1)
            found = asyncio.run(JacocoProbe("127.0.0.1", port).lines())
            return sum(mask.bit_count() for name, mask in found.items() if name.startswith("Service"))

        flat = say("f")
        assert say("f") == flat > 0
        assert say("d") > flat
        process.stdin.close()
        process.wait()
