from __future__ import annotations

from lobrest.demo.company import GROUPS, PEOPLE, authentication, founded


def test_everybody_can_log_in_with_what_the_file_says():
    state = founded()
    users = authentication(state)["auth"]
    assert [user["name"] for user in users] == [username for username, _ in PEOPLE]
    for user in users:
        (header,) = user["fixedHeaders"]
        assert header["name"] == "Authorization"
        assert state.user_of_secret(header["value"].removeprefix("Bearer ")).username == user["name"]


def test_there_is_one_administrator_and_the_standing_groups():
    state = founded()
    assert [user.username for user in state.users.values() if user.is_admin] == ["root"]
    assert list(state.groups) == [path for path, _, _ in GROUPS]
    assert all(len(group.members) == 4 for group in state.groups.values())


def test_the_salt_changes_the_secrets():
    assert authentication(founded()) == authentication(founded())
    assert authentication(founded("a")) != authentication(founded("b"))
