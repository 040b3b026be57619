from __future__ import annotations

from lobrest.demo.catalogue import MODULES


def test_the_forge_is_dense_but_small():
    routes = [route for module in MODULES for route in module.routes]
    assert 60 <= len(routes) <= 80
    assert len(MODULES) >= 10


def test_every_operation_and_tag_is_there_once():
    routes = [route for module in MODULES for route in module.routes]
    assert len({(route.method, route.template) for route in routes}) == len(routes)
    assert len({route.operation_id for route in routes}) == len(routes)
    assert len({module.tag for module in MODULES}) == len(MODULES)
