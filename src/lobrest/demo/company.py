"""The company that uses a fresh forge: its people with their tokens, and its two standing groups."""

from __future__ import annotations

from typing import Final

from lobrest.demo.records import GroupRecord, Role, TokenRecord, UserRecord, Visibility
from lobrest.demo.state import State

PEOPLE: Final = (
    ("root", "Administrator"),
    ("alice", "Alice Moreau"),
    ("bob", "Bob Lindqvist"),
    ("carol", "Carol Okafor"),
    ("dave", "Dave Petrov"),
    ("erin", "Erin Castellano"),
    ("frank", "Frank Nakamura"),
    ("oscar", "Oscar Jimenez"),
    ("peggy", "Peggy Ruiz"),
    ("victor", "Victor Haugen"),
    ("nina", "Nina Bauer"),
    ("ci-bot", "Build Robot"),
)

GROUPS: Final = (
    (
        "platform",
        "Platform",
        {"dave": Role.OWNER, "carol": Role.MAINTAINER, "alice": Role.DEVELOPER, "bob": Role.DEVELOPER},
    ),
    (
        "storefront",
        "Storefront",
        {"frank": Role.OWNER, "carol": Role.MAINTAINER, "oscar": Role.DEVELOPER, "peggy": Role.DEVELOPER},
    ),
)


def founded(salt: str = "") -> State:
    """A forge with people and groups and no project yet."""
    state = State(salt)
    for username, name in PEOPLE:
        user_id = state.next_id("user")
        email = f"{username}@smithy.example"
        state.add_user(UserRecord(user_id, username, name, email, state.now(), is_admin=username == "root"))
        token_id = state.next_id("token")
        secret = secret_of(state, username)
        state.add_token(
            TokenRecord(token_id, user_id, "directory", secret, ["api"], state.now(), from_directory=True)
        )
    for path, name, roles in GROUPS:
        members = {user.id: roles[user.username] for user in state.users.values() if user.username in roles}
        state.groups[path] = GroupRecord(
            state.next_id("group"), path, name, "", Visibility.INTERNAL, state.now(), members
        )
    return state


def secret_of(state: State, username: str) -> str:
    return "smt-" + state.digest("directory", username)[:20]


def authentication(state: State) -> dict[str, object]:
    """Who may log in and how, in the Web Fuzzing Commons authentication format."""
    return {
        "auth": [
            {
                "name": username,
                "fixedHeaders": [{"name": "Authorization", "value": f"Bearer {secret_of(state, username)}"}],
            }
            for username, _ in PEOPLE
        ]
    }
