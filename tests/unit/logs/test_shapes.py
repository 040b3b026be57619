"""Routing by shape gives what the router gives."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobrest.logs.shapes import ShapeRouter
from lobrest.spec import Router, load_spec

TEMPLATES = [
    "/projects", "/projects/{id}", "/projects/search", "/projects/{id}/issues/{iid}", "/projects/{id}/issues/all",
    "/compare/{base}...{head}", "/files/{name}.json", "/files/{name}", "/contents/{filepath}", "/v/{a}/{b}/c",
    "/archive.zip", "/{tenant}/things/{thing}",
]  # fmt: skip


def spec():
    paths = {}
    for template in TEMPLATES:
        names = [part.split("}")[0] for part in template.split("{")[1:]]
        parameters = [
            {"name": n, "in": "path", "required": True, "schema": {"type": "string"}} for n in names
        ]
        held = {"parameters": parameters, "responses": {"200": {"description": "fine"}}}
        paths[template] = {"get": held, "put": held} if "{" in template else {"get": held}
    document = {
        "openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "servers": [{"url": "/api/v4"}, {"url": "/"}],
        "paths": paths,
    }  # fmt: skip
    return load_spec(json.dumps(document).encode(), name="t")


SPEC = spec()
SEGMENT = st.one_of(
    st.sampled_from(
        ["api", "v4", "projects", "search", "issues", "all", "compare", "a...b", "...", "x.json", ".json", "files",
         "contents", "v", "c", "archive.zip", "things", "1", "2", "g%2Fp", "%73earch", "sea%72ch", "%", "", "~1",
         "contents%2Fx"]
    ),
    st.text(alphabet="ab.%/#?1", max_size=4),
)  # fmt: skip


def both(router, method, path, shapes=None):
    match = router.match(method, path)
    shapes = shapes or ShapeRouter(SPEC, router)
    return (None if match is None else (match.operation, match.path_arguments)), shapes.match(method, path)


@given(paths=st.lists(st.lists(SEGMENT, min_size=1, max_size=7).map(lambda parts: "/" + "/".join(parts)), max_size=6),
       method=st.sampled_from(["GET", "PUT", "POST"]))  # fmt: skip
def test_a_shape_gives_what_the_router_gives(paths, method):
    router = Router(SPEC)
    shapes = ShapeRouter(SPEC, router)
    for path in paths:
        path = path.partition("?")[0]
        expected, found = both(Router(SPEC), method, path, shapes)
        assert found == expected


@pytest.mark.parametrize(
    "path",
    [
        "/api/v4/projects/7/issues/3", "/projects/search", "/projects/sea%72ch", "/compare/main...dev", "/files/a.json",
        "/contents/a/b/c.txt", "/contents//a//b", "/projects/g%2Fp/", "no/slash", "/projects/1#part", "/acme/things/5",
        "/other/api/projects/1",
    ],
)  # fmt: skip
def test_odd_paths(path):
    expected, found = both(Router(SPEC), "GET", path)
    assert found == expected


def test_a_prefix_of_a_gateway_is_no_value():
    router = Router(SPEC, ("/gateway/one",))
    shapes = ShapeRouter(SPEC, router)
    for path in ("/gateway/one/projects/5", "/gateway/two/projects/5", "/x/one/projects/5"):
        expected, found = both(router, "GET", path, shapes)
        assert found == expected
