"""Tools and services that a user gives in a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.bench.cache import Cache
from benchmarks.bench.measurement import readable
from benchmarks.bench.peer import Task
from benchmarks.bench.peers import tools
from benchmarks.bench.peers.command import read_commands
from benchmarks.bench.problem import BenchError
from benchmarks.bench.service import Credential
from benchmarks.bench.services import service
from benchmarks.bench.services.zou import cleaned


def task(tmp_path: Path) -> Task:
    return Task(
        cache=Cache(tmp_path),
        document=tmp_path / "openapi.json",
        origin="http://127.0.0.1:8080",
        base_path="/api",
        credentials=(Credential("ana", "Bearer s3cret"),),
        credentials_file=tmp_path / "users.json",
        json_logs=(tmp_path / "one.log", tmp_path / "two.log"),
        combined_logs=(),
        seconds=600,
        seed=3,
        out=tmp_path / "out",
    )


def test_a_command_is_filled_word_by_word(tmp_path: Path) -> None:
    file = tmp_path / "peers.toml"
    file.write_text(
        '[restler]\ncommand = ["restler", "--spec", "{spec}", "-h={header}", "{minutes}", "{logs}"]\n'
    )
    (given,) = read_commands(file)
    command = [str(word) for word in given.command(task(tmp_path))]
    assert command[0] == "restler"
    assert command[2:5] == [str(tmp_path / "openapi.json"), "-h=Authorization: Bearer s3cret", "10"]
    assert [Path(word).name for word in command[5:]] == ["one.log", "two.log"]


def test_a_kept_command_tells_no_secret_and_no_place(tmp_path: Path) -> None:
    words = ["/usr/bin/st", "run", str(tmp_path / "openapi.json"), "-H", "Authorization: Bearer s3cret"]
    assert readable(words, task(tmp_path)) == "st run openapi.json -H Authorization: <ana>"


def test_a_file_without_command_is_said(tmp_path: Path) -> None:
    file = tmp_path / "peers.toml"
    file.write_text("[restler]\npath = 1\n")
    with pytest.raises(BenchError, match=r"\[restler\] has no command"):
        tools(["lobrest"], file)


def test_a_running_service_needs_an_address_and_a_document(tmp_path: Path) -> None:
    file = tmp_path / "shop.toml"
    file.write_text('url = "http://127.0.0.1:9/"\n')
    with pytest.raises(BenchError, match="no spec"):
        service(str(file))
    file.write_text(
        'url = "http://127.0.0.1:9/"\nspec = "shop.json"\nlogs = ["a.log"]\n'
        '[[user]]\nname = "ana"\nvalue = "Bearer x"\n'
    )
    given = service(str(file))
    assert given.name == "shop"
    assert given.logs("json") == (tmp_path / "a.log",)


def test_swagger_leftovers_become_request_bodies() -> None:
    operation = {
        "parameters": [
            {"in": "formData", "name": "file", "type": "file", "required": True},
            {"in": "query", "name": "page", "type": "integer"},
        ]
    }
    done = cleaned({"paths": {"/x": {"post": operation}}})["paths"]["/x"]["post"]
    assert done["parameters"] == [{"in": "query", "name": "page", "schema": {"type": "integer"}}]
    form = done["requestBody"]["content"]["multipart/form-data"]["schema"]
    assert form["properties"] == {"file": {"type": "string", "format": "binary"}}
    assert form["required"] == ["file"]
