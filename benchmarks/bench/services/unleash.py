"""Unleash: feature flags, 214 operations in TypeScript on Node, with PostgreSQL."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from ..cache import Cache
from ..client import call, cookies_after
from ..database import create_database, start_postgres
from ..measure import v8_lines
from ..problem import BenchError
from ..process import start, wait_for
from ..service import Covered, Credential, Place, Started, traffic

PACKAGES = ("unleash-server@7.5.1", "node@22")
ADMIN_TOKEN = "*:*.lobrest-bench-admin"
ADMIN_PASSWORD = "unleash4all"
PASSWORD = "Passw0rd!x-bench"
EDITOR_ROLE = 2


@dataclass(frozen=True, slots=True)
class Unleash:
    """An administrator's API token and personal tokens of an administrator and an editor."""

    name: str = "unleash"
    held_back: tuple[str, ...] = (
        "POST /api/admin/maintenance",
        "PUT /api/admin/api-tokens/{token}",
        "DELETE /api/admin/api-tokens/{token}",
        "DELETE /api/admin/user/tokens/{id}",
    )

    def install(self, cache: Cache) -> None:
        cache.node(self.name, PACKAGES)

    def start(self, place: Place) -> Started:
        modules = place.cache.node(self.name, PACKAGES)
        folder = place.folder / "unleash"
        folder.mkdir()
        database, port = start_postgres(place.cache, folder)
        create_database(place.cache, port, "unleash")
        environment = {
            "DATABASE_URL": f"postgres://postgres:none@127.0.0.1:{port}/unleash",
            "DATABASE_SSL": "false",
            "HTTP_HOST": "127.0.0.1",
            "HTTP_PORT": str(place.port),
            "CHECK_VERSION": "false",
            "SEND_TELEMETRY": "false",
            "LOG_LEVEL": "error",
            "NODE_ENV": "production",
            "INIT_ADMIN_API_TOKENS": ADMIN_TOKEN,
            "UNLEASH_DEFAULT_ADMIN_USERNAME": "admin",
            "UNLEASH_DEFAULT_ADMIN_PASSWORD": ADMIN_PASSWORD,
        }
        if place.measure:
            environment["NODE_V8_COVERAGE"] = str(folder / "v8")
        child = start(
            "Unleash",
            [modules / ".bin/node", modules / "unleash-server/dist/server.js"],
            output=place.folder / "unleash.txt",
            folder=folder,
            environment=environment,
        )
        wait_for(child, f"{place.origin}/health")
        headers = {"Authorization": ADMIN_TOKEN}
        document = call("GET", f"{place.origin}/docs/openapi.json", headers=headers)
        editor = {
            "username": "ben", "email": "ben@example.org", "password": PASSWORD, "rootRole": EDITOR_ROLE,
            "sendEmail": False,
        }  # fmt: skip
        call("POST", f"{place.origin}/api/admin/user-admin", editor, headers=headers)
        people = tuple(
            Credential(name, personal_token(place.origin, user, password))
            for name, user, password in (("ana", "admin", ADMIN_PASSWORD), ("ben", "ben", PASSWORD))
        )
        return Started(document, "", (Credential("admin", ADMIN_TOKEN), *people), [database, child])

    def logs(self, kind: str) -> tuple[Path, ...]:
        return traffic(self.name, (f"access.{kind}.log.gz",))

    def coverage(self, place: Place) -> tuple[Covered, ...]:
        parts = {"features": "features/", "services": "services/", "routes": "routes/"}
        return v8_lines(place.folder / "unleash/v8", package="unleash-server/dist/lib", parts=parts)


def personal_token(origin: str, user: str, password: str) -> str:
    """A token that acts as a person: some operations refuse tokens of machines."""
    wish = {"description": "bench", "expiresAt": "2099-01-01T00:00:00Z"}
    for patience in (0.1, 0.5, 2.0, 0.0):
        cookie = cookies_after(f"{origin}/auth/simple/login", {"username": user, "password": password})
        # The session is stored after the login was answered: right away it may not be known yet.
        time.sleep(patience)
        try:
            answer = call("POST", f"{origin}/api/admin/user/tokens", wish, headers={"Cookie": cookie})
        except BenchError:
            if patience:
                continue
            raise
        return str(answer["secret"])
    raise AssertionError("the last try returns or raises")
