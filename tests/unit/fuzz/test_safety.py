"""Operations that would end the party are held back; ordinary business is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.enhance.world import TEXT, World

from lobrest.fuzz.safety import danger, held_back
from lobrest.model.operation import OperationId, RequestBody


def why(name: str, **more: object) -> str | None:
    world = World()
    for other in more.pop("beside", ()):
        world.operation(other)
    description, body = more.pop("description", ""), more.pop("fields", None)
    operation = world.operations[world.operation(name, **more)]
    if body is not None:
        operation = replace(operation, body=RequestBody(True, {"application/json": body}))
    return danger(replace(operation, description=description), world.spec)


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
        ("POST /actuator/shutdown", {}),
        ("POST /system/power-off", {}),
        ("POST /nodes/{id}/reboot", {}),  # nothing says that nodes are made by anybody
        ("POST /x", {"summary": "Stop the server"}),
        ("PUT /settings", {"summary": "Switch maintenance mode on or off"}),
        ("DELETE /tenants/{tenant}/users/me", {}),
        ("POST /access_tokens/self/rotate", {}),
        ("POST /oauth/revoke", {}),
        ("POST /auth/token/revoke", {}),
        ("POST /users/me/deactivate", {}),
        ("POST /account/close", {}),
        ("POST /profile/change-password", {}),
        ("PUT /password", {"operation_id": "changeMyPassword"}),
        ("POST /auth/totp", {"summary": "Enable TOTP"}),
        ("PUT /security/two-factor", {}),
        ("POST /notes/bulk_delete", {}),
        ("POST /notes/delete-all", {}),
        ("POST /admin/reset", {}),
        ("POST /database/wipe", {}),
        ("DELETE /cache", {"summary": "Delete all entries"}),
        ("POST /users/inactive/delete", {}),
        ("POST /auth/forgot-password", {}),
        ("POST /auth/resend-verification-code", {}),
        ("POST /x", {"operation_id": "sendResetPasswordEmail"}),
        ("GET /people/{id}/invite", {"description": "Sends an email to the person."}),
        ("POST /groups/{id}/guests", {"summary": "Invite guests by e-mail address"}),
        ("POST /cart/pay", {}),
        ("POST /x", {"operation_id": "payByCard"}),
        ("POST /accounts/{id}/transfers", {"fields": {"properties": {"amount": {}, "to": {}}}}),
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
        ("POST /containers/{id}/restart", {"beside": ["POST /containers"]}),
        ("POST /devices/{id}/wipe", {"beside": ["POST /devices"]}),
        ("POST /vehicles/{id}/maintenance", {"beside": ["POST /vehicles"]}),
        ("POST /maintenance-windows", {}),
        ("POST /timers/{id}/stop", {}),
        ("POST /documents/{id}/sign-off", {}),
        ("POST /projects/{id}/transfer", {}),
        ("POST /accounts/{id}/transfers", {"fields": {"properties": {"to": {}}}}),
        ("POST /invoices", {}),
        ("POST /employees/{id}/pay-grades", {}),
        ("POST /charge-points", {}),
        ("POST /emails", {"summary": "Add email addresses"}),
        ("PUT /integrations/emails-on-push", {"summary": "Create or edit an integration"}),
        ("POST /chat/{id}/messages", {"description": "Only members can send messages."}),
        ("POST /hooks/{id}/events/{event}/resend", {}),
        ("POST /invitations/{id}/accept", {}),
        ("DELETE /projects/{id}/token", {}),
        ("DELETE /projects/{id}/notes", {}),
        ("DELETE /departments", {"query": {"departmentId": TEXT}}),
        ("POST /notes/bulk_delete", {"fields": {"required": ["ids"], "properties": {"ids": {}}}}),
        ("POST /issues/{id}/reset_time", {}),
        ("POST /auth/otp/verify", {}),
        ("DELETE /auth/totp", {}),
        ("POST /password/reset", {"operation_id": "changePassword"}),
        ("POST /search", {"summary": "Restartable search over everything"}),
        ("GET /logouts", {"summary": "Who has logged out"}),
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


def test_a_filter_called_id_does_not_make_a_mass_deletion_harmless():
    assert why("DELETE /notes", query={"id": TEXT, "_limit": TEXT, "_since": TEXT})


def test_what_the_user_says_wins_over_every_rule():
    world = World()
    names = [
        "POST /shutdown",
        "DELETE /me",
        "POST /payments",
        "POST /send-mail",
        "DELETE /notes",
        "GET /notes",
    ]
    for name in names:
        world.operation(name)
    assert set(held_back(world.spec)) == set(names) - {"GET /notes"}
    assert held_back(world.spec, allow=["*"]) == {}
    assert set(held_back(world.spec, exclude=["*"]).values()) == {"excluded"}
