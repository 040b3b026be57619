"""An account in use is not deleted or locked; everybody else's is fair game."""

from __future__ import annotations

import pytest
from tests.unit.enhance.world import World

from lobrest.fuzz.accounts import AccountsInUse
from lobrest.model.exchange import Request
from lobrest.model.operation import OperationId

PEOPLE = {"ann": {"id": 7, "login": "Ann", "email": "ann@example.org"}, "token": None}
OPERATIONS = [
    "DELETE /admin/users/{username}",
    "GET /admin/users/{username}",
    "PATCH /users/{id}",
    "POST /users/{id}/block",
    "POST /users/{id}/notes",
    "PUT /persons/{id}/change-password",
    "DELETE /projects/{id}",
    "DELETE /groups/{group}/members/{id}",
    "DELETE /user/following/{username}",
]


@pytest.fixture(scope="module")
def accounts() -> AccountsInUse:
    return made()


def made(**more: object) -> AccountsInUse:
    world = World()
    for name in OPERATIONS:
        world.operation(name)
    world.resource("/users", acting=True)
    world.resource("/projects")
    for name in OPERATIONS:
        if "/projects" not in name:
            world.refers(name, f"path/{name.partition('{')[2].partition('}')[0]}", "/users")
    world.refers("DELETE /projects/{id}", "path/id", "/projects")
    return AccountsInUse(world.spec, world.model, PEOPLE, **more)


def ends(accounts: AccountsInUse, operation: str, target: str, body: bytes | None = None) -> bool:
    method = operation.partition(" ")[0]
    return accounts.would_end(Request(OperationId(operation), method, target, (), body, "ann"))


@pytest.mark.parametrize(
    ("operation", "target", "body"),
    [
        ("DELETE /admin/users/{username}", "/api/v1/admin/users/ann", None),
        ("DELETE /admin/users/{username}", "/api/v1/admin/users/ANN/?purge=true", None),
        ("DELETE /admin/users/{username}", "/admin/users/ann%40example.org", None),
        ("POST /users/{id}/block", "/users/7/block", None),
        ("PUT /persons/{id}/change-password", "/persons/7/change-password", b"{}"),
        ("PATCH /users/{id}", "/users/7", b'{"password": "x"}'),
        ("PATCH /users/{id}", "/users/7", b'{"prohibit_login": true}'),
        ("PATCH /users/{id}", "/users/7", b'{"is_active": false}'),
        ("PATCH /users/{id}", "/users/7", b'{"password": broken'),
    ],
)
def test_withheld(accounts: AccountsInUse, operation: str, target: str, body: bytes | None):
    assert ends(accounts, operation, target, body)


@pytest.mark.parametrize(
    ("operation", "target", "body"),
    [
        ("DELETE /admin/users/{username}", "/admin/users/bo", None),
        ("GET /admin/users/{username}", "/admin/users/ann", None),
        ("PATCH /users/{id}", "/users/7", b'{"full_name": "A"}'),
        ("PATCH /users/{id}", "/users/7", None),
        ("PATCH /users/{id}", "/users/8", b'{"password": "x"}'),
        ("POST /users/{id}/notes", "/users/7/notes", b"{}"),
        ("DELETE /projects/{id}", "/projects/7", None),
        ("DELETE /groups/{group}/members/{id}", "/groups/1/members/7", None),
        ("DELETE /user/following/{username}", "/user/following/ann", None),
    ],
)
def test_sent(accounts: AccountsInUse, operation: str, target: str, body: bytes | None):
    assert not ends(accounts, operation, target, body)


def test_what_the_user_allows_is_sent():
    one = OperationId("DELETE /admin/users/{username}")
    assert not ends(made(allowed=[one]), one, "/admin/users/ann")
