"""Which operation a request is, by the benchmark's own matcher."""

from __future__ import annotations

import pytest
from benchmarks.bench.specification import Matcher, base_path, operations, served_at, without

DOCUMENT = {
    "swagger": "2.0",
    "basePath": "/api/v1",
    "paths": {
        "/repos/search": {"get": {"tags": ["repository"]}},
        "/repos/{owner}": {"get": {}},
        "/repos/{owner}/{repo}": {"get": {"tags": ["repository"]}, "parameters": []},
        "/repos/{owner}/{repo}/contents/{filepath}": {"get": {}, "put": {}},
        "/repos/{owner}/{repo}/compare/{base}...{head}": {"get": {}},
        "/repos/{owner}/{repo}/issues/{index}.diff": {"get": {}},
        "/repos/{owner}/{repo}/issues/{index}": {"get": {}},
        "/repos/{owner}/{repo}/git/commits/{sha}": {"get": {}},
        "/repos/{owner}/{repo}/git/commits/{sha}.{diffType}": {"get": {}},
        "/markdown": {"post": {}},
    },
}


@pytest.fixture
def matcher() -> Matcher:
    return Matcher(operations(DOCUMENT), base_path(DOCUMENT))


@pytest.mark.parametrize(
    ("method", "uri", "template"),
    [
        ("GET", "/api/v1/repos/search?q=x", "/repos/search"),
        ("GET", "/api/v1/repos/alice", "/repos/{owner}"),
        ("GET", "/api/v1/repos/alice/search", "/repos/{owner}/{repo}"),
        ("GET", "/api/v1/repos/alice%2Fx/y", "/repos/{owner}/{repo}"),
        ("GET", "/api/v1/repos/a/b/contents/src/main.go", "/repos/{owner}/{repo}/contents/{filepath}"),
        ("GET", "/api/v1/repos/a/b/compare/main...fix", "/repos/{owner}/{repo}/compare/{base}...{head}"),
        ("GET", "/api/v1/repos/a/b/issues/3.diff", "/repos/{owner}/{repo}/issues/{index}.diff"),
        ("GET", "/api/v1/repos/a/b/issues/3", "/repos/{owner}/{repo}/issues/{index}"),
        ("GET", "/api/v1/repos/a/b/issues/3/", "/repos/{owner}/{repo}/issues/{index}"),
        ("GET", "/api/v1/%72epos/search", "/repos/search"),
        ("POST", "/api/v1/markdown", "/markdown"),
        ("GET", "/api/v1/repos/a/b/git/commits/0a1b", "/repos/{owner}/{repo}/git/commits/{sha}"),
        (
            "GET",
            "/api/v1/repos/a/b/git/commits/0a1b.diff",
            "/repos/{owner}/{repo}/git/commits/{sha}.{diffType}",
        ),
    ],
)
def test_a_request_is_the_most_literal_operation(
    matcher: Matcher, method: str, uri: str, template: str
) -> None:
    found = matcher.match(method, uri)
    assert found is not None
    assert found.template == template


@pytest.mark.parametrize(
    ("method", "uri"),
    [
        ("DELETE", "/api/v1/repos/a/b"),
        ("GET", "/repos/a/b"),
        ("GET", "/api/v10/repos/a"),
        ("GET", "/api/v1/repos/a/b/unknown"),
        ("GET", "/api/v1/repos/a/b/c/d"),
    ],
)
def test_a_foreign_request_is_none(matcher: Matcher, method: str, uri: str) -> None:
    assert matcher.match(method, uri) is None


def test_an_untagged_operation_belongs_to_its_first_segment() -> None:
    assert {one.module for one in operations(DOCUMENT)} == {"repository", "repos", "markdown"}


def test_held_back_operations_leave_no_empty_path() -> None:
    rest = without(DOCUMENT, ["POST /markdown", "PUT /repos/{owner}/{repo}/contents/{filepath}"])
    assert "/markdown" not in rest["paths"]
    assert list(rest["paths"]["/repos/{owner}/{repo}/contents/{filepath}"]) == ["get"]
    assert "/markdown" in DOCUMENT["paths"]


def test_every_version_says_where_it_is_served() -> None:
    assert base_path(served_at(DOCUMENT, "http://127.0.0.1:8000", "/api/v1")) == "/api/v1"
    newer = served_at({"openapi": "3.1.0", "paths": {}}, "http://127.0.0.1:8000", "/api")
    assert newer["servers"] == [{"url": "http://127.0.0.1:8000/api"}]
    assert base_path(newer) == "/api"
