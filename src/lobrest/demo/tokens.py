"""Access tokens of the current user."""

from __future__ import annotations

import datetime
from enum import StrEnum
from typing import Annotated, Final, cast

from msgspec import UNSET, Meta, Struct, UnsetType

from lobrest.demo.access import number
from lobrest.demo.declare import Call, Module, Timestamp, delete, get, post
from lobrest.demo.paging import Paging, page_of
from lobrest.demo.records import TokenRecord
from lobrest.demo.refusal import bad_request, forbidden, not_found


class Scope(StrEnum):
    API = "api"
    READ_API = "read_api"
    READ_REPOSITORY = "read_repository"
    WRITE_REPOSITORY = "write_repository"


class Token(Struct):
    id: int
    name: str
    scopes: list[str]
    user_id: int
    active: bool
    created_at: Timestamp
    expires_at: datetime.date | None


class NewToken(Token):
    """A token just made: the only time its secret is shown."""

    token: str


class TokenCreate(Struct):
    # Checked in the handler, not on decoding; the document declares what is right.
    name: Annotated[object, Meta(extra_json_schema={"type": "string", "minLength": 1, "maxLength": 255})]
    scopes: Annotated[list[Scope], Meta(min_length=1)]
    expires_at: datetime.date | UnsetType = UNSET


def list_tokens(call: Call[Paging, None]) -> list[Token]:
    own = [token for token in call.state.tokens.values() if token.user_id == call.user.id]
    return [render_token(token) for token in page_of(call, own)]


def create_token(call: Call[None, TokenCreate]) -> NewToken:
    name = checked_name(call)
    token_id = call.state.next_id("token")
    secret = "smt-" + call.state.digest("token", str(token_id))[:20]
    expires_at = None if call.body.expires_at is UNSET else call.body.expires_at
    scopes = [scope.value for scope in dict.fromkeys(call.body.scopes)]
    token = TokenRecord(token_id, call.user.id, name, secret, scopes, call.state.now(), expires_at)
    call.state.add_token(token)
    return NewToken(token.id, name, scopes, call.user.id, True, token.created_at, expires_at, secret)


def checked_name(call: Call[None, TokenCreate]) -> str:
    name = call.body.name
    if name is None and call.faults.enabled("token-name-null"):
        return cast(str, name).strip()
    if not isinstance(name, str) or not name.strip() or len(name) > 255:
        raise bad_request("name is invalid")
    return name.strip()


def revoke_token(call: Call[None, None]) -> None:
    token = call.state.tokens.get(number(call, "token_id"))
    if token is None or (token.user_id != call.user.id and not call.user.is_admin):
        raise not_found("Token")
    if token.from_directory:
        raise forbidden("token is managed by the directory")
    del call.state.tokens[token.id]


def render_token(token: TokenRecord) -> Token:
    return Token(token.id, token.name, token.scopes, token.user_id, True, token.created_at, token.expires_at)


MODULE: Final = Module(
    "tokens",
    "Personal access tokens",
    (
        get("/tokens", list_tokens, "List your tokens"),
        post("/tokens", create_token, "Create a token"),
        delete("/tokens/{token_id}", revoke_token, "Revoke a token"),
    ),
)
