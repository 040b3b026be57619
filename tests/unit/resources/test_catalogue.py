"""Operations by path."""

from __future__ import annotations

from tests.unit.resources.documents import api, body

from lobrest.model.operation import Method, OperationId
from lobrest.resources.catalogue import Catalogue


def test_paths_are_places_whatever_their_parameters_are_called() -> None:
    spec = api(
        {
            "GET /a/{x}": {},
            "DELETE /a/{y}": {},
            "GET /a/{z}/b/": {},
            "POST /c": {"requestBody": body({"k": {}})},
        }
    )
    catalogue = Catalogue(spec)
    assert set(catalogue.methods(("a", "{}"))) == {Method.GET, Method.DELETE}
    assert catalogue.children[("a", "{}")] == {"b"}
    assert catalogue.template[("a",)] == "/a"
    route = catalogue.routes[OperationId("GET /a/{z}/b/")]
    assert route.path == ("a", "{}", "b") and not route.ends_with_parameter
    assert [hole.name for _, _, hole in route.holes()] == ["z"]
    assert catalogue.literal_noun(("a", "{}")) == ("a",)
    posted = catalogue.routes[OperationId("POST /c")]
    assert [one.name for one in catalogue.parameters(posted)] == ["k"]
    assert catalogue.shape(route) is catalogue.shape(route)
