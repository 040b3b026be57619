"""The language model that settings and environment name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lobrest.errors import ConfigError
from lobrest.llm import Cassette, OpenAiModel

_KEYS = ("url", "name", "key", "timeout", "concurrency", "price_in", "price_out")


def language_model(table: Mapping[str, Any], environment: Mapping[str, str]) -> OpenAiModel:
    """The model of the table ``[model]`` in ``lobrest.toml``, or of the environment.

    ``url`` and ``name``, else ``LOBREST_MODEL_URL`` and ``LOBREST_MODEL``; the key is ``env:NAME`` in the
    file or ``LOBREST_MODEL_KEY``, never written out. Answers are kept in the user's cache folder.
    """
    unknown = sorted(set(table) - set(_KEYS))
    if unknown:
        raise ConfigError(f"[model] has no setting {unknown[0]!r}", hint=f"known: {', '.join(_KEYS)}")
    url = str(table.get("url") or environment.get("LOBREST_MODEL_URL", ""))
    name = str(table.get("name") or environment.get("LOBREST_MODEL", ""))
    if not url or not name:
        raise ConfigError(
            "no language model is named", hint="set url and name in [model], or use --analyzer rules"
        )
    return OpenAiModel(
        url,
        name,
        key=_key(str(table.get("key") or ""), environment),
        cassette=Cassette(answers_folder(environment)),
        concurrency=int(_number(table, "concurrency", 4)),
        timeout_seconds=_number(table, "timeout", 60),
    )


def answers_folder(environment: Mapping[str, str]) -> Path:
    """Where answers are kept between runs."""
    given = environment.get("XDG_CACHE_HOME")
    return (Path(given) if given else Path.home() / ".cache") / "lobrest" / "answers"


def spent(model: OpenAiModel, table: Mapping[str, Any]) -> str:
    """What was asked and spent, in a line."""
    usage = model.usage
    text = (
        f"{usage.requests} requests to the language model, {usage.cached} answers from the cache, "
        f"{usage.prompt_tokens} + {usage.completion_tokens} tokens"
    )
    if "price_in" in table or "price_out" in table:
        cost = usage.cost(_number(table, "price_in", 0), _number(table, "price_out", 0))
        text += f", cost {cost:.4f}"
    return text


def _key(written: str, environment: Mapping[str, str]) -> str:
    if not written:
        return environment.get("LOBREST_MODEL_KEY", "")
    if not written.startswith("env:"):
        raise ConfigError("the key of [model] must not stand in the file", hint='write key = "env:NAME"')
    name = written.removeprefix("env:")
    if name not in environment:
        raise ConfigError(f"the environment has no {name}, which [model] names as its key")
    return environment[name]


def _number(table: Mapping[str, Any], key: str, default: float) -> float:
    value = table.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise ConfigError(f"{key} of [model] must be a number")
    return float(value)
