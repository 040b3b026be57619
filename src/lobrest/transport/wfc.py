"""Authentication files in the Web Fuzzing Commons format, in YAML, JSON or TOML.

Both generations of its ``token`` section are read: ``extractFrom``/``extractSelector``/``sendIn``/
``sendName``/``sendTemplate``, and before it ``extractFromField``/``httpHeaderName``/``headerPrefix``.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import yaml

from lobrest.errors import ConfigError
from lobrest.model.exchange import Headers
from lobrest.transport.credential import Credential, basic_username, expand
from lobrest.transport.login import Login, Place, TokenRule

_LARGEST: Final = 1 << 20


def read_wfc(path: Path, *, environment: Mapping[str, str]) -> tuple[Credential, ...]:
    """The users of an authentication file, in its order; ``env:NAME`` values are looked up.

    Raises ``ConfigError`` with the place for whatever cannot be used.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except FileNotFoundError as error:
        raise ConfigError("no such authentication file", source=str(path)) from error
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", source=str(path)) from error
    if len(content) > _LARGEST:
        raise ConfigError("is too large for an authentication file", source=str(path))
    document = _parse(content, path)
    entries = document.get("auth") if isinstance(document, dict) else None
    if not isinstance(entries, list) or not entries:
        raise ConfigError(
            "has no list 'auth' of users", source=str(path), hint="see Web Fuzzing Commons, auth.yaml"
        )
    template = document.get("authTemplate") or {}
    return tuple(
        _User(_merged(template, entry), f"{path}: auth/{position}", environment).credential()
        for position, entry in enumerate(entries)
    )


def _parse(content: bytes, path: Path) -> Any:
    """The document with every scalar as text, so that a password 0123 stays what was written.

    Parsers quote the text around a mistake; that may be a secret, so only the line is passed on.
    """
    try:
        text = content.decode("utf-8-sig")
        if path.suffix.lower() == ".toml":
            return _texts(tomllib.loads(text))
        if path.suffix.lower() == ".json":
            return _texts(json.loads(text))
        return yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise ConfigError("is not YAML", source=str(path), line=line) from None
    except json.JSONDecodeError as error:
        raise ConfigError("is not JSON", source=str(path), line=error.lineno) from None
    except (ValueError, RecursionError, yaml.YAMLError):
        raise ConfigError("cannot be parsed", source=str(path), hint="UTF-8 YAML, JSON or TOML") from None


def _texts(value: Any) -> Any:
    """The same document as the YAML reader would give it: scalars as text, no nulls."""
    if isinstance(value, dict):
        return {key: _texts(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [_texts(item) for item in value]
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _merged(template: Any, entry: Any) -> Any:
    """The entry, with what it lacks taken from the template."""
    if not isinstance(template, dict) or not isinstance(entry, dict):
        return entry
    both = {key: _merged(template[key], entry[key]) for key in template.keys() & entry.keys()}
    return {**template, **entry, **both}


class _User:
    """One entry of ``auth``, read field by field with its place in the file."""

    def __init__(self, entry: Any, place: str, environment: Mapping[str, str]) -> None:
        self._place = place
        self._environment = environment
        self._entry = self._mapping(entry, "the entry")

    def credential(self) -> Credential:
        """The user it describes."""
        entry = self._entry
        headers = self._headers(entry.get("fixedHeaders"), "fixedHeaders")
        login = self._login(entry["loginEndpointAuth"]) if "loginEndpointAuth" in entry else None
        if not headers and login is None:
            hint = "createUsers is not supported" if "createUsers" in entry else None
            raise self._wrong("has neither fixedHeaders nor loginEndpointAuth", hint)
        username = self._username() or basic_username(headers)
        return Credential(self._text(entry, "name", default=""), headers, login, username)

    def _username(self) -> str | None:
        login = self._entry.get("loginEndpointAuth")
        payload = login.get("payloadUserPwd") if isinstance(login, dict) else None
        return self._text(payload, "username", default="") or None if isinstance(payload, dict) else None

    def _login(self, value: Any) -> Login:
        section = self._mapping(value, "loginEndpointAuth")
        endpoint = self._text(section, "externalEndpointURL", default="")
        if endpoint and not endpoint.startswith(("http://", "https://")):
            raise self._wrong("externalEndpointURL is not an http or https URL")
        if not endpoint:
            endpoint = self._text(section, "endpoint")
            if not endpoint.startswith("/"):
                raise self._wrong(
                    "endpoint does not begin with a slash", "for another server: externalEndpointURL"
                )
        headers = self._headers(section.get("headers"), "headers")
        media_type = self._text(section, "contentType", default="")
        body = self._payload(section, media_type)
        if body is not None:
            headers = (*headers, ("Content-Type", media_type or "application/json"))
        token = self._token(section["token"]) if "token" in section else None
        cookies = self._text(section, "expectCookies", default="false").lower() == "true"
        if token is None and not cookies:
            raise self._wrong("loginEndpointAuth has neither token nor expectCookies")
        method = self._text(section, "verb", default="POST").upper()
        return Login(method, endpoint, headers, body, token, cookies)

    def _payload(self, section: dict[str, Any], media_type: str) -> bytes | None:
        if "payloadRaw" in section:
            return self._text(section, "payloadRaw").encode()
        if "payloadUserPwd" not in section:
            return None
        payload = self._mapping(section["payloadUserPwd"], "payloadUserPwd")
        fields = {
            self._text(payload, "usernameField", default="username"): self._text(payload, "username"),
            self._text(payload, "passwordField", default="password"): self._text(payload, "password"),
        }
        if "form-urlencoded" in media_type:
            return urlencode(fields).encode()
        if media_type and "json" not in media_type:
            raise self._wrong(f"payloadUserPwd cannot be written as {media_type}", "use payloadRaw")
        return json.dumps(fields).encode()

    def _token(self, value: Any) -> TokenRule:
        section = self._mapping(value, "token")
        if "extractSelector" not in section:
            return self._earlier_token(section)
        found_in = self._text(section, "extractFrom", default="body").lower()
        sent_in = self._text(section, "sendIn", default="header").lower()
        if found_in not in ("body", "header") or sent_in not in ("header", "query"):
            raise self._wrong("extractFrom is body or header, sendIn is header or query")
        template = self._text(section, "sendTemplate", default="{token}")
        if "{token}" not in template:
            raise self._wrong("sendTemplate has no {token}")
        selector = self._text(section, "extractSelector")
        return TokenRule(Place(found_in), selector, Place(sent_in), self._text(section, "sendName"), template)

    def _earlier_token(self, section: dict[str, Any]) -> TokenRule:
        found_in = Place.HEADER if "extractFromHeader" in section else Place.BODY
        selector = self._text(
            section, "extractFromHeader" if found_in is Place.HEADER else "extractFromField"
        )
        before = self._text(section, "headerPrefix", default="")
        after = self._text(section, "headerPostfix", default="")
        name = self._text(section, "httpHeaderName", default="Authorization")
        return TokenRule(found_in, selector, Place.HEADER, name, f"{before}{{token}}{after}")

    def _headers(self, value: Any, name: str) -> Headers:
        if value is None:
            return ()
        if not isinstance(value, list):
            raise self._wrong(f"{name} is not a list")
        sections = [self._mapping(item, name) for item in value]
        return tuple((self._text(item, "name"), self._text(item, "value").strip()) for item in sections)

    def _mapping(self, value: Any, name: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self._wrong(f"{name} is not a mapping")
        return value

    def _text(self, section: dict[str, Any], key: str, *, default: str | None = None) -> str:
        value = section.get(key, default)
        if value is None or (value == "" and default is None):
            raise self._wrong(f"{key} is missing")
        if not isinstance(value, str):
            raise self._wrong(f"{key} is not text")
        return expand(value, self._environment, source=self._place)

    def _wrong(self, message: str, hint: str | None = None) -> ConfigError:
        return ConfigError(message, source=self._place, hint=hint)
