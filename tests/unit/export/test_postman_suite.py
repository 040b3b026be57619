"""The Postman collection."""

from __future__ import annotations

import json
import re

from lobrest.app.export import Exportable
from lobrest.export.postman_suite import postman_suite


def test_a_folder_a_flow_with_a_variable_a_user(played: Exportable):
    document = json.loads(postman_suite(played.flows, service="Shop"))
    assert document["info"]["schema"].endswith("/v2.1.0/collection.json")
    assert [folder["name"] for folder in document["item"]] == [flow.name for flow in played.flows]
    assert [len(folder["item"]) for folder in document["item"]] == [len(flow.steps) for flow in played.flows]
    variables = {one["key"] for one in document["variable"]}
    assert {"LOBREST_TARGET", "LOBREST_AUTH_ANN"} <= variables


def test_every_hole_is_filled_by_a_script_before_it(played: Exportable):
    document = json.loads(postman_suite(played.flows, service="Shop"))
    for folder in document["item"]:
        known = {"LOBREST_TARGET"}
        for item in folder["item"]:
            scripts = {one["listen"]: "\n".join(one["script"]["exec"]) for one in item["event"]}
            names = r'keep\("(\w+)"'
            known |= set(re.findall(names, scripts.get("prerequest", "")))
            used = set(re.findall(r"\{\{(\w+)\}\}", json.dumps(item["request"])))
            assert {name.removesuffix("_url").removesuffix("_json") for name in used} <= known
            known |= set(re.findall(names, scripts["test"]))
