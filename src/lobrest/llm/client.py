"""A language model behind any endpoint that speaks the OpenAI chat protocol."""

from __future__ import annotations

import json
import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Final

from lobrest.errors import ModelError
from lobrest.llm.cassette import Cassette
from lobrest.model.operation import Json, Schema

_LARGEST_ANSWER: Final = 1 << 20
_RETRIED: Final = frozenset((408, 409, 425, 429, 500, 502, 503, 504))
_LONGEST_WAIT: Final = 20.0
_FENCE: Final = re.compile(r"^\s*```(?:json)?\s*|\s*```\s*$")
_FORMS: Final = ("json_schema", "json_object", "none")
"""Ways to bind an answer to JSON, the strictest first; an endpoint that refuses one gets the next."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What was spent."""

    requests: int = 0
    cached: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.requests + other.requests,
            self.cached + other.cached,
            self.failed + other.failed,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    def cost(self, per_million_in: float, per_million_out: float) -> float:
        """Money, in whatever the prices are in."""
        return (self.prompt_tokens * per_million_in + self.completion_tokens * per_million_out) / 1e6


class _RefusedError(Exception):
    """The endpoint answered, but not with what can be used; ``final`` where asking again is no use."""

    def __init__(self, reason: str, *, final: bool = False, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.final = final
        self.wait = wait


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The key goes to the endpoint that was named and nowhere else."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class OpenAiModel:
    """Answers prompts in JSON; implements ``ports.LanguageModel``.

    ``base_url`` is what the endpoint documents (``https://host/v1``). The key is sent, never shown or kept.
    Prompts go out in parallel, at most ``concurrency`` at a time; each is tried ``attempts`` times.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        key: str = "",
        cassette: Cassette | None = None,
        concurrency: int = 4,
        timeout_seconds: float = 60.0,
        attempts: int = 3,
        max_tokens: int = 1_000,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ModelError(f"{base_url!r} is no address of a language model", hint="give https://host/v1")
        self._url = base_url.rstrip("/") + "/chat/completions"
        self._model = model
        self._key = key
        self._cassette = cassette
        self._concurrency = max(1, concurrency)
        self._timeout = timeout_seconds
        self._attempts = max(1, attempts)
        self._max_tokens = max_tokens
        self._sleep = sleep
        self._opener = urllib.request.build_opener(_NoRedirect)
        self._form = 0
        self._lock = threading.Lock()
        self.usage = Usage()

    def __repr__(self) -> str:
        return f"OpenAiModel({self._url!r}, {self._model!r})"

    def ask(self, prompts: Sequence[str], *, schema: Schema) -> Sequence[Json]:
        """One answer a prompt, in order, None where there is none; ``ModelError`` when no prompt got any."""
        if not prompts:
            return []
        with ThreadPoolExecutor(max_workers=min(self._concurrency, len(prompts))) as pool:
            outcomes = list(pool.map(lambda prompt: self._one(prompt, schema), prompts))
        answers: list[Json] = [None if isinstance(one, ModelError) else one for one in outcomes]
        failures = [one for one in outcomes if isinstance(one, ModelError)]
        if len(failures) == len(prompts):
            raise failures[0]
        return answers

    def _one(self, prompt: str, schema: Schema) -> Json | ModelError:
        key = ""
        if self._cassette is not None:
            key = self._cassette.key(self._model, prompt, schema)
            kept = self._cassette.find(key)
            if kept is not None:
                self._count(Usage(cached=1))
                return kept
        try:
            answer = self._tried(prompt, schema)
        except _RefusedError as error:
            self._count(Usage(failed=1))
            return ModelError(f"the language model gives no usable answer: {error}", source=self._url)
        if self._cassette is not None:
            self._cassette.keep(key, answer)
        return answer

    def _tried(self, prompt: str, schema: Schema) -> Json:
        last = _RefusedError("it was not asked")
        attempt = 0
        while attempt < self._attempts:
            form = self._form
            try:
                return self._request(prompt, schema, _FORMS[form])
            except _RefusedError as error:
                last = error
                if error.final:
                    if self._loosened(form):
                        continue
                    raise
                attempt += 1
                if attempt < self._attempts:
                    self._sleep(min(_LONGEST_WAIT, error.wait or 0.5 * 2**attempt))
        raise last

    def _loosened(self, refused: int) -> bool:
        """A 400 is most often about ``response_format``: try without the strict form, for good."""
        with self._lock:
            if self._form == refused and refused + 1 < len(_FORMS):
                self._form = refused + 1
            return self._form > refused

    def _request(self, prompt: str, schema: Schema, form: str) -> Json:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": 0,
            "max_tokens": self._max_tokens,
        }
        if form == "json_schema":
            named = {"name": "answers", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif form == "json_object":
            body["response_format"] = {"type": "json_object"}
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, json.dumps(body).encode(), headers, method="POST")
        self._count(Usage(requests=1))
        return self._read(self._send(request))

    def _send(self, request: urllib.request.Request) -> bytes:
        try:
            with self._opener.open(request, timeout=self._timeout) as answer:
                data = self._bounded(answer)
        except urllib.error.HTTPError as error:
            with error:
                wait = _seconds(error.headers.get("Retry-After"))
            raise _RefusedError(
                f"status {error.code}", final=error.code not in _RETRIED, wait=wait
            ) from error
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise _RefusedError(f"{reason or type(error).__name__}") from error
        return data

    def _bounded(self, answer: Any) -> bytes:
        """The body, within its size and, however slowly it drips, within twice the time."""
        ends = time.monotonic() + 2 * self._timeout
        data = b""
        while chunk := answer.read1(1 << 16):
            data += chunk
            if len(data) > _LARGEST_ANSWER:
                raise _RefusedError("its answer is larger than 1 MiB")
            if time.monotonic() > ends:
                raise _RefusedError("its answer takes too long")
        return data

    def _read(self, data: bytes) -> Json:
        try:
            answer = json.loads(data)
            choice = answer["choices"][0]
            content = choice["message"]["content"]
        except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
            raise _RefusedError("its answer is not of the protocol") from error
        spent = answer.get("usage")
        if isinstance(spent, dict):
            self._count(
                Usage(
                    prompt_tokens=_number(spent.get("prompt_tokens")),
                    completion_tokens=_number(spent.get("completion_tokens")),
                )
            )
        if not isinstance(content, str):
            raise _RefusedError("its answer has no text")
        try:
            parsed: Json = json.loads(_FENCE.sub("", content))
        except (ValueError, RecursionError) as error:
            cut = " (it was cut off)" if choice.get("finish_reason") == "length" else ""
            raise _RefusedError(f"its answer is no JSON{cut}") from error
        if parsed is None:
            raise _RefusedError("its answer is empty")
        return parsed

    def _count(self, usage: Usage) -> None:
        with self._lock:
            self.usage += usage


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _seconds(value: str | None) -> float:
    try:
        return max(0.0, float(value)) if value else 0.0
    except ValueError:
        return 0.0
