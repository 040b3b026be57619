"""A team that keeps its schemas in Apicurio Registry."""

from __future__ import annotations

import json
import random

from .stage import Cast, Scene, Step


def schema(name: str, fields: int) -> str:
    """An Avro record with that many fields."""
    listed = [{"name": f"field{n}", "type": ["null", "string"], "default": None} for n in range(fields)]
    return json.dumps({"type": "record", "name": name, "namespace": "org.example", "fields": listed})


def artifact(name: str, kind: str = "AVRO") -> dict[str, object]:
    """A new artifact with its first version."""
    content = schema(name.title().replace("-", ""), 2) if kind == "AVRO" else json.dumps({"type": "object"})
    return {
        "artifactId": name,
        "artifactType": kind,
        "name": f"{name} events",
        "labels": {"team": "orders"},
        "firstVersion": {
            "version": "1.0",
            "content": {"content": content, "contentType": "application/json"},
        },
    }


def version(name: str, fields: int) -> dict[str, object]:
    content = schema(name.title().replace("-", ""), fields)
    return {"version": f"{fields}.0", "content": {"content": content, "contentType": "application/json"}}


def publish(chance: random.Random, number: int) -> Scene:
    """A developer publishes a schema and evolves it."""
    group, name = f"orders-{number}", f"order-{number}"
    yield Step("POST", "/groups", {"groupId": group, "description": "Orders", "labels": {"team": "orders"}})
    yield Step("POST", f"/groups/{group}/artifacts", artifact(name))
    yield Step("GET", f"/groups/{group}/artifacts/{name}")
    yield Step("GET", f"/groups/{group}/artifacts/{name}/versions/1.0")
    yield Step("POST", f"/groups/{group}/artifacts/{name}/rules", {"ruleType": "VALIDITY", "config": "FULL"})
    yield Step("POST", f"/groups/{group}/artifacts/{name}/versions", version(name, 3))
    listed = yield Step("GET", f"/groups/{group}/artifacts/{name}/versions?limit={chance.choice([5, 20])}")
    found = listed.value["versions"][0]
    yield Step("GET", f"/ids/globalIds/{found['globalId']}")
    yield Step("GET", f"/ids/globalIds/{found['globalId']}/references")
    yield Step("GET", f"/ids/contentIds/{found['contentId']}")
    yield Step("GET", f"/ids/contentIds/{found['contentId']}/references")
    yield Step("PUT", f"/groups/{group}/artifacts/{name}", {"name": f"{name} v2", "description": "second"})
    yield Step("GET", f"/groups/{group}/artifacts/{name}/versions/branch=latest/content")
    yield Step("GET", f"/groups/{group}/artifacts/{name}/versions/3.0/references")


def review(chance: random.Random, number: int) -> Scene:
    """A reviewer comments on a version, disables and enables it."""
    group, name = f"review-{number}", f"invoice-{number}"
    yield Step("POST", f"/groups/{group}/artifacts", artifact(name))
    yield Step("POST", f"/groups/{group}/artifacts", artifact(f"payment-{number}", "JSON"))
    at = f"/groups/{group}/artifacts/{name}/versions/1.0"
    comment = yield Step("POST", f"{at}/comments", {"value": "Please rename field0"})
    yield Step("GET", f"{at}/comments")
    comment_id = (comment.value or {}).get("commentId", "0")
    yield Step("PUT", f"{at}/comments/{comment_id}", {"value": "Please rename field1"})
    yield Step("PUT", f"{at}/state", {"state": chance.choice(["DISABLED", "DEPRECATED"])})
    yield Step("GET", f"{at}/state")
    yield Step("PUT", f"{at}/state", {"state": "ENABLED"})
    yield Step("PUT", at, {"name": "first", "description": "reviewed", "labels": {"reviewed": "yes"}})
    yield Step("DELETE", f"{at}/comments/{comment_id}")
    yield Step("GET", f"/groups/{group}/artifacts?limit=20&orderby=name")
    yield Step("GET", f"/groups/{group}/artifacts/nothing-{number}")


def branch(chance: random.Random, number: int) -> Scene:
    """A release manager keeps a branch of released versions."""
    group, name = f"release-{number}", f"customer-{number}"
    yield Step("POST", f"/groups/{group}/artifacts", artifact(name))
    yield Step("POST", f"/groups/{group}/artifacts/{name}/versions", version(name, 3))
    base = f"/groups/{group}/artifacts/{name}/branches"
    yield Step("POST", base, {"branchId": "released", "description": "Released", "versions": ["1.0"]})
    yield Step("GET", base)
    yield Step("POST", f"{base}/released/versions", {"version": "3.0"})
    yield Step("GET", f"{base}/released/versions")
    yield Step("PUT", f"{base}/released/versions", {"versions": ["3.0", "1.0"]})
    yield Step("PUT", f"{base}/released", {"description": chance.choice(["Stable", "Public"])})
    yield Step("GET", f"{base}/released")
    yield Step("DELETE", f"{base}/released")


def govern(chance: random.Random, number: int) -> Scene:
    """An administrator sets rules for a group and everywhere, and looks at the settings."""
    group = f"governed-{number}"
    yield Step("POST", "/groups", {"groupId": group})
    yield Step("POST", f"/groups/{group}/rules", {"ruleType": "COMPATIBILITY", "config": "BACKWARD"})
    yield Step("GET", f"/groups/{group}/rules")
    yield Step("GET", f"/groups/{group}/rules/COMPATIBILITY")
    changed = {"ruleType": "COMPATIBILITY", "config": chance.choice(["FULL", "FORWARD"])}
    yield Step("PUT", f"/groups/{group}/rules/COMPATIBILITY", changed)
    yield Step("DELETE", f"/groups/{group}/rules/COMPATIBILITY")
    yield Step("POST", "/admin/rules", {"ruleType": "VALIDITY", "config": "SYNTAX_ONLY"})
    yield Step("GET", "/admin/rules")
    yield Step("PUT", "/admin/rules/VALIDITY", {"ruleType": "VALIDITY", "config": "NONE"})
    yield Step("DELETE", "/admin/rules/VALIDITY")
    listed = yield Step("GET", "/admin/config/properties")
    name = listed.value[0]["name"]
    yield Step("GET", f"/admin/config/properties/{name}")
    yield Step("GET", "/admin/config/artifactTypes")
    yield Step("PUT", f"/groups/{group}", {"description": "governed", "labels": {}})
    yield Step("GET", f"/groups/{group}")
    yield Step("DELETE", f"/groups/{group}/rules")
    yield Step("DELETE", f"/groups/{group}")


def browse(chance: random.Random, number: int) -> Scene:
    """Somebody looks around."""
    yield Step("GET", "/system/info")
    yield Step("GET", "/system/uiConfig")
    yield Step("GET", "/users/me")
    yield Step("GET", f"/search/artifacts?name=order&limit={chance.choice([10, 20])}")
    yield Step("GET", "/search/groups?limit=20&orderby=groupId&order=asc")
    yield Step("GET", "/search/versions?limit=20")
    yield Step("GET", "/groups?limit=50")
    yield Step("GET", f"/groups/unknown-{number}")


def retire(chance: random.Random, number: int) -> Scene:
    """An artifact at the end of its life."""
    group, name = f"old-{number}", f"legacy-{number}"
    yield Step("POST", f"/groups/{group}/artifacts", artifact(name))
    yield Step("POST", f"/groups/{group}/artifacts/{name}/versions", version(name, chance.choice([4, 5])))
    yield Step("GET", f"/groups/{group}/artifacts/{name}/rules")
    yield Step("DELETE", f"/groups/{group}/artifacts/{name}/versions/1.0")
    yield Step("DELETE", f"/groups/{group}/artifacts/{name}")
    yield Step("DELETE", f"/groups/{group}/artifacts")


APICURIO = Cast(
    {
        "ana": (publish, review),
        "ben": (publish, browse),
        "chen": (review, retire),
        "dora": (branch, browse),
        "ops": (govern, retire),
    }
)
