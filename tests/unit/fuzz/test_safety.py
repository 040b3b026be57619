"""Operations that would end the party are held back; ordinary business is not."""

from __future__ import annotations

import pytest
from tests.unit.enhance.world import TEXT, World

from lobrest.fuzz.safety import danger, held_back
from lobrest.model.operation import OperationId


def why(name: str, **more: object) -> str | None:
    world = World()
    return danger(world.operations[world.operation(name, **more)])


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("POST /logout", {}),
        ("POST /users/logout", {}),
        ("GET /user/logout", {}),
        ("GET /auth/signOut", {}),
        ("GET /auth/sign-out", {}),
        ("POST /session/end", {"operation_id": "logoutUser"}),
        ("POST /admin/shutdown", {}),
        ("POST /admin/restart", {}),
        ("POST /system/reboot", {}),
        ("PUT /admin/maintenance", {}),
        ("POST /__flush__", {}),
        ("POST /cache/flush_all", {}),
        ("POST /x", {"summary": "Factory reset of the device"}),
        ("DELETE /user", {}),
        ("DELETE /me", {}),
        ("DELETE /account", {}),
        ("DELETE /personal_access_tokens/self", {}),
        ("DELETE /sessions/current_user", {}),
        ("DELETE /projects", {}),
        ("POST /x", {"operation_id": "sendEmail"}),
        ("POST /payments", {}),
        ("POST /orders/{id}/refund", {}),
        ("POST /campaigns/{id}/send-sms", {}),
        ("POST /x", {"summary": "Send invitations to everybody"}),
    ],
)
def test_held_back(name: str, more: dict):
    assert why(name, **more)


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("POST /projects", {}),
        ("DELETE /projects/{id}", {}),
        ("DELETE /users/{id}", {}),
        ("DELETE /tokens/{id}", {}),
        ("GET /payments", {}),
        ("GET /maintenance", {}),
        ("POST /messages", {}),
        ("POST /merge_requests/{id}/merge", {}),
        ("POST /blog/posts", {"summary": "Publish about logs"}),
        ("GET /about", {}),
        ("POST /checkout", {}),
        ("POST /layout", {}),
        ("POST /repayment_plans/{id}/preview", {"summary": "Preview"}),
        ("DELETE /labels", {"query": {"name": TEXT}, "required": ("name",)}),
        ("PUT /users/{id}", {"summary": "Change a user"}),
    ],
)
def test_ordinary_business_goes_on(name: str, more: dict):
    assert why(name, **more) is None


@pytest.fixture
def world() -> World:
    world = World()
    world.operation("GET /projects", tags=("projects",))
    world.operation("POST /projects", tags=("projects",))
    world.operation("DELETE /projects", tags=("projects",))
    world.operation("POST /logout", operation_id="logout", tags=("session",))
    return world


def test_what_is_held_back_says_why(world: World):
    found = held_back(world.spec)
    assert set(found) == {"DELETE /projects", "POST /logout"}
    assert "everything" in found[OperationId("DELETE /projects")]
    assert "session" in found[OperationId("POST /logout")]


@pytest.mark.parametrize("pattern", ["POST /logout", "/logout", "/log*", "session", "logout", "POST"])
def test_allowing_lets_through_and_only_that(world: World, pattern: str):
    assert set(held_back(world.spec, allow=[pattern])) == {"DELETE /projects"}


@pytest.mark.parametrize("pattern", ["/projects", "projects", "* /projects"])
def test_excluding(world: World, pattern: str):
    found = held_back(world.spec, exclude=[pattern])
    assert {op for op, reason in found.items() if reason == "excluded"} >= {"GET /projects", "POST /projects"}


def test_including_excludes_the_rest_and_allows_nothing(world: World):
    found = held_back(world.spec, include=["projects"])
    assert found[OperationId("POST /logout")] == "not included"
    assert "GET /projects" not in found
    assert "DELETE /projects" in found


def test_excluding_wins_over_allowing(world: World):
    assert "POST /logout" in held_back(world.spec, allow=["*"], exclude=["/logout"])


def test_methods_are_patterns_too(world: World):
    assert set(held_back(world.spec, include=["GET"])) == set(world.spec.operations) - {"GET /projects"}


def test_only_a_collection_can_be_deleted_at_once():
    world = World()
    for name in ("DELETE /user/avatar", "DELETE /notes", "GET /notes/{id}"):
        world.operation(name)
    held = held_back(world.spec)
    assert list(held) == ["DELETE /notes"]
