"""A Python service measured by coverage.py while it runs."""

from __future__ import annotations

import asyncio
import importlib.util
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.services.serving import Call, serving

from lobrest.errors import ProbeError
from lobrest.probes.python import PythonFileProbe, UrlProbe

SERVICE = """
import coverage, http.server
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/deep":
            body = b"deep"      # line 6
        else:
            body = b"flat"      # line 8
        coverage.Coverage.current().save()
        self.send_response(200); self.send_header("Content-Length", str(len(body))); self.end_headers()
        self.wfile.write(body)
    def log_message(self, *a): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


@contextmanager
def service(folder: Path, *options: str) -> Iterator[str]:
    if importlib.util.find_spec("coverage") is None:
        pytest.skip("coverage.py is not installed")
    file = folder / "service.py"
    file.write_text(SERVICE)
    command = [
        sys.executable,
        "-m",
        "coverage",
        "run",
        f"--data-file={folder / '.coverage'}",
        *options,
        str(file),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def lines(probe: PythonFileProbe, name: str = "service.py") -> set[int]:
    found = asyncio.run(probe.lines())
    mask = next((mask for file, mask in found.items() if file.endswith(name)), 0)
    return {number for number in range(mask.bit_length()) if mask >> number & 1}


@pytest.mark.parametrize("options", [(), ("--branch",)])
def test_new_lines_show_while_the_service_runs(tmp_path: Path, options: tuple[str, ...]):
    probe = PythonFileProbe(tmp_path / ".coverage")
    assert lines(probe) == set(), "no file yet is no error"
    with service(tmp_path, *options) as url:
        urllib.request.urlopen(f"{url}/").read()
        urllib.request.urlopen(f"{url}/").read()
        flat = lines(probe)
        assert 8 in flat
        assert 6 not in flat
        urllib.request.urlopen(f"{url}/deep").read()
        urllib.request.urlopen(f"{url}/deep").read()
        assert lines(probe) - flat >= {6}
    asyncio.run(probe.close())


def test_a_file_that_is_something_else(tmp_path: Path):
    (tmp_path / ".coverage").write_bytes(b"no database, but long enough to be looked at" * 100)
    with pytest.raises(ProbeError, match="no data file"):
        asyncio.run(PythonFileProbe(tmp_path / ".coverage").lines())


def test_an_address_that_tells():
    def answer(call: Call) -> tuple[int, object]:
        return 200, {"files": {"a.py": {"executed_lines": [1, 2]}}}

    with serving(answer) as url:
        assert asyncio.run(UrlProbe(f"{url}/lines").lines()) == {"a.py": 0b110}
    with pytest.raises(ProbeError, match="does not answer"):
        asyncio.run(UrlProbe(f"{url}/lines").lines())
