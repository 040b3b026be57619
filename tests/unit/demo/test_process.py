from __future__ import annotations

import json
import socket
from urllib.request import Request, urlopen

import pytest

from lobrest.demo.process import DemoProcess, DemoStartError


def test_inside_it_serves_and_afterwards_it_is_gone():
    demo = DemoProcess(faults="off")
    with demo:
        headers = {
            h["name"]: h["value"] for h in json.loads(demo.auth.read_text())["auth"][1]["fixedHeaders"]
        }
        with urlopen(Request(f"{demo.url}/user", headers=headers)) as answer:
            assert json.loads(answer.read())["username"] == "alice"
        with urlopen(demo.spec) as answer:
            assert answer.status == 200
        assert all(path.is_file() for path in demo.logs)
        url, auth = demo.url, demo.auth
    assert not auth.exists()
    with pytest.raises(OSError, match="refused"):
        urlopen(url)
    with pytest.raises(RuntimeError, match="not running"):
        assert demo.url


def test_what_went_wrong_is_told():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(DemoStartError, match="cannot listen"), DemoProcess(port=taken.getsockname()[1]):
            pass
