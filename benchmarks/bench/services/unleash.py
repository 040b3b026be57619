"""Unleash: feature flags, 214 operations in TypeScript on Node, with PostgreSQL."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..cache import Cache, run_command
from ..client import call
from ..database import create_database, start_postgres
from ..measure import c8_lines
from ..process import start, wait_for
from ..service import Covered, Credential, Place, Started, traffic

PACKAGES = ("unleash-server@7.5.1", "node@22", "c8")
ADMIN_TOKEN = "*:*.lobrest-bench-admin"
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
            "UNLEASH_DEFAULT_ADMIN_PASSWORD": "unleash4all",
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
        return Started(document, "", (Credential("admin", ADMIN_TOKEN),), [database, child])

    def logs(self, kind: str) -> tuple[Path, ...]:
        return traffic(self.name, (f"access.{kind}.log.gz",))

    def coverage(self, place: Place) -> tuple[Covered, ...]:
        folder = place.folder / "unleash"
        if not place.measure or not any((folder / "v8").glob("*.json")):
            return ()
        modules = place.cache.node(self.name, PACKAGES)
        source = modules / "unleash-server"
        run_command(
            [
                modules / ".bin/node", modules / "c8/bin/c8.js", "report", "--temp-directory", folder / "v8",
                "--reporter", "json-summary", "--reports-dir", folder / "c8", "--src", source / "dist",
                "--allowExternal", "--exclude-node-modules=false",
                "--include", "**/unleash-server/dist/lib/**",
            ],
            what="reading V8's coverage", folder=source,
        )  # fmt: skip
        parts = {"features": "lib/features/", "services": "lib/services/", "routes": "lib/routes/"}
        return c8_lines(folder / "c8/coverage-summary.json", package="unleash-server/dist", parts=parts)
