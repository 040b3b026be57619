"""The language model of settings and environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lobrest.app.language import answers_folder, language_model, spent
from lobrest.errors import ConfigError


def test_the_file_wins_over_the_environment() -> None:
    environment = {"LOBREST_MODEL_URL": "http://env/v1", "LOBREST_MODEL": "e", "K": "s3cret"}
    named = language_model({"url": "http://file/v1", "key": "env:K", "timeout": 5}, environment)
    assert repr(named) == "OpenAiModel('http://file/v1/chat/completions', 'e')"
    assert repr(language_model({}, environment)).startswith("OpenAiModel('http://env/v1")


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({}, "no language model is named"),
        ({"url": "http://x/v1", "name": "m", "key": "sk-123"}, "must not stand in the file"),
        ({"url": "http://x/v1", "name": "m", "key": "env:MISSING"}, "no MISSING"),
        ({"url": "http://x/v1", "name": "m", "timeout": "long"}, "timeout of"),
        ({"uri": "http://x/v1"}, "no setting 'uri'"),
    ],
)
def test_mistakes_are_named(table: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        language_model(table, {})
    assert "sk-123" not in str(caught.value)


def test_answers_are_kept_in_the_cache_folder() -> None:
    assert answers_folder({"XDG_CACHE_HOME": "somewhere"}) == Path("somewhere/lobrest/answers")
    assert answers_folder({}).parts[-3:] == (".cache", "lobrest", "answers")


def test_what_was_spent_is_a_line() -> None:
    model = language_model({"url": "http://x/v1", "name": "m"}, {})
    assert spent(model, {}) == ("0 requests to the language model, 0 answers from the cache, 0 + 0 tokens")
    assert spent(model, {"price_in": 2}).endswith("cost 0.0000")
