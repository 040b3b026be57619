"""People."""

from __future__ import annotations

import re
from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from lobrest.demo.access import find_user, require_admin
from lobrest.demo.declare import Call, Module, Name, Timestamp, get, post, put
from lobrest.demo.paging import Paging, cut
from lobrest.demo.records import UserRecord
from lobrest.demo.refusal import bad_request, forbidden, taken

EMAIL: Final = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")

Username = Annotated[str, Meta(min_length=2, max_length=64, pattern=r"^[A-Za-z][A-Za-z0-9._-]*$")]
Email = Annotated[str, Meta(max_length=254, extra_json_schema={"format": "email"})]


class User(Struct):
    id: int
    username: str
    name: str
    email: str
    state: str
    is_admin: bool
    created_at: Timestamp


class UserQuery(Paging, kw_only=True):
    per_page: Annotated[
        int, Meta(le=100, description="Number of items per page", extra_json_schema={"minimum": 1})
    ] = 20
    search: Annotated[str, Meta(description="Find users whose name or username contains this")] = ""
    username: Annotated[str | UnsetType, Meta(description="Get the user with this username")] = UNSET


class UserCreate(Struct):
    username: Username
    name: Name
    email: Email
    password: Annotated[str, Meta(min_length=8, max_length=128)]
    is_admin: bool = False


class UserUpdate(Struct):
    name: Name | UnsetType = UNSET
    email: Email | UnsetType = UNSET


def render_user(user: UserRecord) -> User:
    return User(user.id, user.username, user.name, user.email, "active", user.is_admin, user.created_at)


def get_current_user(call: Call[None, None]) -> User:
    return render_user(call.user)


def list_users(call: Call[UserQuery, None]) -> list[User]:
    query = call.query
    if query.per_page < 0 or (query.per_page == 0 and not call.faults.enabled("users-page-size-zero")):
        raise bad_request("per_page does not have a valid value")
    word = query.search.lower()
    users = [
        user
        for user in call.state.users.values()
        if query.username in (UNSET, user.username) and word in f"{user.username}\n{user.name.lower()}"
    ]
    return [render_user(user) for user in cut(call, users, page=query.page, per_page=query.per_page)]


def create_user(call: Call[None, UserCreate]) -> User:
    require_admin(call)
    body = call.body
    check_email(call, body.email)
    if call.state.user_named(body.username):
        raise taken("username", status=409)
    if any(user.email == body.email for user in call.state.users.values()):
        raise taken("email", status=409)
    user = UserRecord(
        call.state.next_id("user"), body.username, body.name, body.email, call.state.now(), body.is_admin
    )
    call.state.add_user(user)
    return render_user(user)


def check_email(call: Call[None, UserCreate], email: str) -> None:
    if call.faults.enabled("user-email-without-domain"):
        domain = email.split("@")[1]
        if "." in domain:
            return
    if not EMAIL.fullmatch(email):
        raise bad_request("email is invalid")


def get_user(call: Call[None, None]) -> User:
    return render_user(find_user(call.state, call.path["user"]))


def update_user(call: Call[None, UserUpdate]) -> User:
    user = find_user(call.state, call.path["user"])
    if user.id != call.user.id and not call.user.is_admin:
        raise forbidden()
    if call.body.email is not UNSET:
        if not EMAIL.fullmatch(call.body.email):
            raise bad_request("email is invalid")
        if any(other.email == call.body.email and other is not user for other in call.state.users.values()):
            raise taken("email", status=409)
        user.email = call.body.email
    if call.body.name is not UNSET:
        user.name = call.body.name
    return render_user(user)


MODULE: Final = Module(
    "users",
    "People who use the forge",
    (
        get("/user", get_current_user, "Get the current user"),
        get("/users", list_users, "List users"),
        post("/users", create_user, "Create a user", errors=(409,)),
        get("/users/{user}", get_user, "Get a user"),
        put("/users/{user}", update_user, "Update a user", errors=(409,)),
    ),
)
