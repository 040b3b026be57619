from __future__ import annotations

import json
from pathlib import Path

import pytest

from lobrest.errors import ConfigError
from lobrest.transport.credential import Credential
from lobrest.transport.login import Login, Place, TokenRule
from lobrest.transport.wfc import read_wfc


def read(tmp_path: Path, text: str, name: str = "auth.yaml", **environment: str) -> tuple[Credential, ...]:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return read_wfc(file, environment=environment)


def login_of(user: Credential) -> Login:
    assert user.login is not None
    return user.login


def test_fixed_headers_of_several_users(tmp_path: Path) -> None:
    text = """
auth:
  - name: FOO
    fixedHeaders:
      - name: Authorization
        value: " some static token"
  - name: BAR
    fixedHeaders:
      - {name: X-Id, value: 0123}
      - {name: X-Key, value: env:KEY}
"""
    foo, bar = read(tmp_path, text, KEY="k")
    assert foo.headers == (("Authorization", "some static token"),)
    assert (bar.name, bar.headers) == ("BAR", (("X-Id", "0123"), ("X-Key", "k")))


TEMPLATE = """
auth:
  - name: foo
    loginEndpointAuth:
      payloadRaw: '{"username": "foo", "password": "123"}'
  - name: bar
    loginEndpointAuth:
      contentType: application/x-www-form-urlencoded
      payloadUserPwd: {username: bar, password: 0456&, usernameField: login, passwordField: pwd}
authTemplate:
  loginEndpointAuth:
    endpoint: /login
    verb: POST
    contentType: application/json
    expectCookies: true
"""


def test_the_template_fills_what_an_entry_lacks(tmp_path: Path) -> None:
    foo, bar = read(tmp_path, TEMPLATE)
    assert login_of(foo) == Login(
        "POST",
        "/login",
        (("Content-Type", "application/json"),),
        b'{"username": "foo", "password": "123"}',
        cookies=True,
    )
    assert login_of(bar).body == b"login=bar&pwd=0456%26"
    assert login_of(bar).headers == (("Content-Type", "application/x-www-form-urlencoded"),)
    assert bar.username == "bar"


def test_the_token_rules_of_today(tmp_path: Path) -> None:
    entry = {
        "name": "ann",
        "loginEndpointAuth": {
            "externalEndpointURL": "https://id.example/token",
            "verb": "PUT",
            "headers": [{"name": "X-App", "value": "1"}],
            "payloadUserPwd": {
                "username": "ann",
                "password": "env:PW",
                "usernameField": "u",
                "passwordField": "p",
            },
            "token": {
                "extractFrom": "header",
                "extractSelector": "X-Token",
                "sendIn": "query",
                "sendName": "key",
                "sendTemplate": "k-{token}",
            },
        },
    }
    (ann,) = read(
        tmp_path, json.dumps({"schemaVersion": "1", "auth": [entry], "configs": {}}), "a.json", PW="s"
    )
    login = login_of(ann)
    assert login.token == TokenRule(Place.HEADER, "X-Token", Place.QUERY, "key", "k-{token}")
    assert (login.method, login.endpoint) == ("PUT", "https://id.example/token")
    assert login.headers == (("X-App", "1"), ("Content-Type", "application/json"))
    assert login.body == b'{"u": "ann", "p": "s"}'


def test_the_token_rules_of_before(tmp_path: Path) -> None:
    text = """
auth:
- name: ann
  loginEndpointAuth:
    endpoint: /login
    verb: POST
    payloadRaw: x
    token: {extractFromField: /token/authToken, httpHeaderName: Authorization, headerPrefix: "Bearer "}
"""
    (ann,) = read(tmp_path, text)
    assert login_of(ann).token == TokenRule(
        Place.BODY, "/token/authToken", Place.HEADER, "Authorization", "Bearer {token}"
    )


def test_toml_is_read_too(tmp_path: Path) -> None:
    text = '[[auth]]\nname = "ann"\n[[auth.fixedHeaders]]\nname = "X"\nvalue = "y"\n'
    assert read(tmp_path, text, "auth.toml")[0].headers == (("X", "y"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no list 'auth'"),
        ("auth: []", "no list 'auth'"),
        ("- 1", "no list 'auth'"),
        ("auth: [hunter2]", "not a mapping"),
        ("auth: [{name: a}]", "neither fixedHeaders nor"),
        ("auth: [{name: a, createUsers: {}}]", "createUsers is not supported"),
        ("auth: [{fixedHeaders: {name: X, value: hunter2}}]", "not a list"),
        ("auth: [{fixedHeaders: [{value: hunter2}]}]", "name is missing"),
        ("auth: [{fixedHeaders: [{name: X, value: [hunter2]}]}]", "not text"),
        ("auth: [{loginEndpointAuth: {endpoint: login, expectCookies: true}}]", "slash"),
        ("auth: [{loginEndpointAuth: {endpoint: /login}}]", "neither token nor"),
        ("auth: [{loginEndpointAuth: {externalEndpointURL: 'ftp://x', expectCookies: true}}]", "not an http"),
        ("auth: [{loginEndpointAuth: {endpoint: /l, token: {extractSelector: a, sendIn: moon}}}]", "sendIn"),
        (
            "auth: [{loginEndpointAuth: {endpoint: /l, expectCookies: true, contentType: text/xml, "
            "payloadUserPwd: {username: a, password: hunter2}}}]",
            "text/xml",
        ),
        ("auth: [{fixedHeaders: [{name: X, value: hunter2}]}\n  b: 'hunter2", "not YAML"),
        ("\x00", "cannot be parsed"),
    ],
)
def test_what_is_wrong_is_said_without_secrets(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        read(tmp_path, text)
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None or "hunter2" not in str(caught.value.__cause__)


@pytest.mark.parametrize(("name", "text"), [("a.json", "{"), ("a.toml", "=")])
def test_broken_files_of_other_kinds(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(ConfigError):
        read(tmp_path, text, name)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_wfc(tmp_path, environment={})


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="too large"):
        read(tmp_path, "#" * (1 << 21))
