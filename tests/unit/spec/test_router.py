"""From requests to operations and back."""

from __future__ import annotations

import json

import pytest

from lobrest.model.operation import ApiSpec, OperationId
from lobrest.spec import Router, load_spec


def spec_of(*operations: str, servers: tuple[str, ...] = (), kinds: dict[str, str] | None = None) -> ApiSpec:
    paths: dict[str, dict[str, object]] = {}
    for operation in operations:
        method, template = operation.split(" ", 1)
        declared = [
            {"name": name, "in": "path", "required": True, "schema": {"type": kind}}
            for name, kind in (kinds or {}).items()
            if "{" + name + "}" in template
        ]
        paths.setdefault(template, {})[method.lower()] = {
            "parameters": declared,
            "responses": {"200": {"description": "ok"}},
        }
    document = {"openapi": "3.0.0", "servers": [{"url": url} for url in servers], "paths": paths}
    return load_spec(json.dumps(document).encode())


def matched(router: Router, request: str) -> tuple[str, dict[str, str]] | None:
    method, path = request.split(" ", 1)
    match = router.match(method, path)
    return (match.operation.id, match.path_arguments) if match else None


def test_a_literal_beats_a_parameter() -> None:
    router = Router(spec_of("GET /users/search", "GET /users/{id}", "DELETE /users/{id}"))
    assert matched(router, "GET /users/search") == ("GET /users/search", {})
    assert matched(router, "GET /users/7") == ("GET /users/{id}", {"id": "7"})
    assert matched(router, "DELETE /users/search") == ("DELETE /users/{id}", {"id": "search"})


def test_the_search_goes_back_where_a_literal_leads_nowhere() -> None:
    router = Router(spec_of("GET /a/b/c", "GET /a/{x}/d"))
    assert matched(router, "GET /a/b/d") == ("GET /a/{x}/d", {"x": "b"})


def test_base_paths_are_stripped_the_longest_first() -> None:
    router = Router(spec_of("GET /x", servers=("https://h/api", "https://h/api/v1")))
    assert matched(router, "GET /api/v1/x?q=1#f") == ("GET /x", {})
    assert matched(router, "GET /api/x") == ("GET /x", {})
    assert matched(router, "GET /x") is None
    assert matched(router, "GET /apiv/x") is None
    assert matched(router, "GET http://host/api/x") == ("GET /x", {})


def test_encoded_slashes_stay_inside_a_segment() -> None:
    router = Router(spec_of("GET /projects/{id}/issues"))
    assert matched(router, "GET /projects/group%2Fname/issues") == (
        "GET /projects/{id}/issues",
        {"id": "group/name"},
    )
    assert matched(router, "GET /projects/group/name/issues") is None


def test_encoded_literals_are_literals() -> None:
    router = Router(spec_of("GET /a b/{x}"))
    assert matched(router, "GET /a%20b/1") == ("GET /a b/{x}", {"x": "1"})


def test_a_last_parameter_takes_slashes_when_its_name_says_so() -> None:
    router = Router(spec_of("GET /contents/{filepath}", "GET /users/{user}"))
    assert matched(router, "GET /contents/a/b/c.md") == ("GET /contents/{filepath}", {"filepath": "a/b/c.md"})
    assert matched(router, "GET /users/a/b") is None


def test_not_where_a_template_goes_on_behind_it() -> None:
    spec = spec_of("GET /files/{path}", "GET /files/{path}/raw")
    router = Router(spec)
    assert matched(router, "GET /files/a/b") is None
    assert matched(router, "GET /files/a%2Fb/raw") == ("GET /files/{path}/raw", {"path": "a/b"})
    operation = spec.operations[OperationId("GET /files/{path}")]
    assert router.expand(operation, {"path": "a/b"}) == "/files/a%2Fb"


def test_several_parameters_in_one_segment() -> None:
    router = Router(spec_of("GET /compare/{a}...{b}", "GET /things/{id}.json", "GET /things/{id}"))
    assert matched(router, "GET /compare/main...dev") == ("GET /compare/{a}...{b}", {"a": "main", "b": "dev"})
    assert matched(router, "GET /things/5.json") == ("GET /things/{id}.json", {"id": "5"})
    assert matched(router, "GET /things/5.xml") == ("GET /things/{id}", {"id": "5.xml"})


def test_stars_and_optional_parts() -> None:
    router = Router(
        spec_of(
            "GET /npm/*name/-/*file", "GET /{id}/(-/)search", "GET /dists/*dist/Release", "GET /dists/*dist"
        )
    )
    assert matched(router, "GET /npm/@a/b/-/c.tgz") == (
        "GET /npm/*name/-/*file",
        {"name": "@a/b", "file": "c.tgz"},
    )
    assert matched(router, "GET /7/search") == ("GET /{id}/(-/)search", {"id": "7"})
    assert matched(router, "GET /7/-/search") == ("GET /{id}/(-/)search", {"id": "7"})
    assert matched(router, "GET /dists/a/b/Release") == ("GET /dists/*dist/Release", {"dist": "a/b"})
    assert matched(router, "GET /dists/a/b") == ("GET /dists/*dist", {"dist": "a/b"})


def test_a_trailing_slash_matters_only_when_both_are_declared() -> None:
    one = Router(spec_of("GET /a", "GET /b/"))
    assert matched(one, "GET /a/") == ("GET /a", {})
    assert matched(one, "GET /b") == ("GET /b/", {})
    both = Router(spec_of("GET /a", "GET /a/"))
    assert matched(both, "GET /a") == ("GET /a", {})
    assert matched(both, "GET /a/") == ("GET /a/", {})


def test_doubled_slashes_are_forgiven() -> None:
    router = Router(spec_of("GET /a/{x}"))
    assert matched(router, "GET //a//1") == ("GET /a/{x}", {"x": "1"})


def test_methods_are_of_any_case_and_foreign_ones_match_nothing() -> None:
    router = Router(spec_of("GET /a"))
    assert matched(router, "get /a") == ("GET /a", {})
    assert matched(router, "BREW /a") is None


def test_the_root_path() -> None:
    router = Router(spec_of("GET /", servers=("/v1",)))
    assert matched(router, "GET /v1/") == ("GET /", {})
    assert matched(router, "GET /v1") == ("GET /", {})


def test_a_prefix_can_be_given_or_learnt() -> None:
    spec = spec_of("GET /orders", "GET /orders/{id}", servers=("/api",))
    assert matched(Router(spec, ("/gw",)), "GET /gw/orders") == ("GET /orders", {})
    requests = [("GET", "/edge/api/orders"), ("GET", "/edge/api/orders/1"), ("GET", "/health")] * 5
    learnt = Router(spec).learnt(requests)
    assert learnt.prefixes == ("/edge/api",)
    assert matched(learnt, "GET /edge/api/orders/9") == ("GET /orders/{id}", {"id": "9"})


def test_nothing_is_learnt_from_paths_that_fit_already_or_not_at_all() -> None:
    router = Router(spec_of("GET /orders", "GET /orders/{id}"))
    assert router.learnt([("GET", "/orders"), ("GET", "/other/thing")] * 9) is router


@pytest.mark.parametrize(
    ("template", "arguments", "path"),
    [
        ("/a/{x}", {"x": "b c/d"}, "/a/b%20c%2Fd"),
        ("/contents/{filepath}", {"filepath": "a b/c"}, "/contents/a%20b/c"),
        ("/a/{x}/b", {"x": ".."}, "/a/%2E%2E/b"),
        ("/a/{x}", {}, "/a/"),
        ("/t/{a}...{b}", {"a": "x", "b": "y/z"}, "/t/x...y%2Fz"),
        ("/{id}/(ref/{ref}/)go", {"id": "1"}, "/1/go"),
        ("/{id}/(ref/{ref}/)go", {"id": "1", "ref": "m"}, "/1/ref/m/go"),
        ("/x/*path", {"path": "a/b"}, "/x/a/b"),
        ("/ü/{x}", {"x": "€"}, "/%C3%BC/%E2%82%AC"),
    ],
)
def test_expand_is_the_way_back(template: str, arguments: dict[str, str], path: str) -> None:
    spec = spec_of(f"GET {template}")
    router = Router(spec)
    operation = next(iter(spec.operations.values()))
    assert router.expand(operation, arguments, "") == path
    if all(arguments.get(name) for name in arguments):
        found = router.match("GET", path)
        if arguments and found is not None:
            assert found.path_arguments == arguments


def test_an_adversarial_path_ends_quickly() -> None:
    router = Router(spec_of("GET /*a/x/*b/x/*c/x/*d/end"))
    assert router.match("GET", "/" + "x/" * 4_000) is None
