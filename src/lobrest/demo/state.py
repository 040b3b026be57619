"""Everything the running forge knows, and its counters: ids and time only ever count up."""

from __future__ import annotations

import datetime
import hashlib
from collections import Counter
from typing import Final

from lobrest.demo.records import GroupRecord, ProjectRecord, TokenRecord, UserRecord

EPOCH: Final = datetime.datetime(2026, 1, 5, 8, 0, tzinfo=datetime.UTC)


class State:
    """The forge in memory. `salt` changes tokens and commit hashes, nothing else."""

    def __init__(self, salt: str = "") -> None:
        self.salt = salt
        self.users: dict[int, UserRecord] = {}
        self.tokens: dict[int, TokenRecord] = {}
        self.groups: dict[str, GroupRecord] = {}
        self.projects: dict[int, ProjectRecord] = {}
        self._user_ids: dict[str, int] = {}
        self._project_ids: dict[str, int] = {}
        self._token_ids: dict[str, int] = {}
        self._last: Counter[str] = Counter()

    def next_id(self, kind: str) -> int:
        """1, 2, 3 … for each kind; a number is never given twice."""
        self._last[kind] += 1
        return self._last[kind]

    def now(self) -> str:
        """A time that counts questions instead of reading a clock, so that equal runs give equal answers."""
        self._last["second"] += 1
        return (EPOCH + datetime.timedelta(seconds=self._last["second"])).strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def digest(self, *parts: str) -> str:
        """40 hexadecimal digits that depend on the parts and the salt alone."""
        return hashlib.sha1("\0".join((self.salt, *parts)).encode("utf-8", "surrogatepass")).hexdigest()

    def add_user(self, user: UserRecord) -> None:
        self.users[user.id] = user
        self._user_ids[user.username] = user.id

    def user_named(self, username: str) -> UserRecord | None:
        return self.users.get(self._user_ids.get(username, 0))

    def add_token(self, token: TokenRecord) -> None:
        self.tokens[token.id] = token
        self._token_ids[token.secret] = token.id

    def user_of_secret(self, secret: str) -> UserRecord | None:
        """Who a request with this token speaks for; nobody once the token is revoked."""
        token = self.tokens.get(self._token_ids.get(secret, 0))
        return self.users.get(token.user_id) if token is not None else None

    def add_project(self, project: ProjectRecord) -> None:
        self.projects[project.id] = project
        self._project_ids[project.full_path] = project.id

    def project_at(self, full_path: str) -> ProjectRecord | None:
        return self.projects.get(self._project_ids.get(full_path, 0))

    def forget_path(self, project: ProjectRecord) -> None:
        """Call it before a project's path or namespace changes; `add_project` makes the new one known."""
        self._project_ids.pop(project.full_path, None)

    def remove_project(self, project: ProjectRecord) -> None:
        self.forget_path(project)
        del self.projects[project.id]
