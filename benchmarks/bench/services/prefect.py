"""Prefect's server: orchestration of data flows, 187 operations in Python, on SQLite."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..cache import Cache, run_command
from ..client import call
from ..process import start, wait_for
from ..service import Covered, Place, Started, basic, traffic

# Newer releases of FastAPI refuse Prefect's own declarations.
REQUIREMENTS = ("prefect==3.8.8", "fastapi==0.139.*")


@dataclass(frozen=True, slots=True)
class Prefect:
    """One shared credential: the open edition has no users."""

    name: str = "prefect"
    held_back: tuple[str, ...] = ()

    def install(self, cache: Cache) -> None:
        cache.python(self.name, REQUIREMENTS)

    def start(self, place: Place) -> Started:
        binaries = place.cache.python(self.name, REQUIREMENTS)
        folder = place.folder / "prefect"
        folder.mkdir()
        environment = {
            "PREFECT_HOME": str(folder / "home"),
            "PREFECT_API_DATABASE_CONNECTION_URL": f"sqlite+aiosqlite:///{folder}/prefect.db",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "PREFECT_SERVER_UI_ENABLED": "false",
            "PREFECT_SERVER_API_AUTH_STRING": "admin:pass",
            "DO_NOT_TRACK": "1",
        }
        run_command(
            [binaries / "prefect", "server", "database", "upgrade", "-y"],
            what="preparing Prefect",
            folder=folder,
            environment=environment,
        )
        child = start(
            "Prefect",
            [
                binaries / "uvicorn", "--factory", "prefect.server.api.server:create_app",
                "--host", "127.0.0.1", "--port", str(place.port), "--no-access-log",
            ],
            output=place.folder / "prefect.txt",
            folder=folder,
            environment=environment,
        )  # fmt: skip
        wait_for(child, f"{place.origin}/api/health", seconds=300)
        user = basic("admin", "pass")
        document = call("GET", f"{place.origin}/openapi.json", headers={user.header: user.value})
        return Started(document, "/api", (user,), [child])

    def logs(self, kind: str) -> tuple[Path, ...]:
        return traffic(self.name, (f"access.{kind}.log.gz",))

    def coverage(self, place: Place) -> tuple[Covered, ...]:  # noqa: ARG002 - it cannot be told
        """None: traced by coverage.py on Python 3.11, Prefect answers most requests with 500."""
        return ()
