"""Apicurio Registry: schemas and API designs, 78 operations in Java, in memory."""

from __future__ import annotations

import tarfile
from dataclasses import dataclass
from pathlib import Path

from ..cache import Cache
from ..client import call
from ..measure import jacoco_agent, java_lines
from ..process import start, wait_for
from ..service import Covered, Place, Started

ARCHIVE = "io.apicurio:apicurio-registry-app:3.0.9:all@tar.gz"
PARTS = {"rest": "io.apicurio.registry.rest", "storage": "io.apicurio.registry.storage"}


@dataclass(frozen=True, slots=True)
class Apicurio:
    """Open to everybody; importing a dump would replace what is there."""

    name: str = "apicurio"
    held_back: tuple[str, ...] = ("POST /admin/import",)

    def install(self, cache: Cache) -> None:
        home = cache.part(self.name)
        if not runner(home):
            with tarfile.open(cache.maven(ARCHIVE)) as archive:
                archive.extractall(home, filter="data")

    def start(self, place: Place) -> Started:
        home = place.cache.part(self.name)
        folder = place.folder / "apicurio"
        folder.mkdir()
        measured = [jacoco_agent(place.cache, folder, "io.apicurio.registry.*")] if place.measure else []
        child = start(
            "Apicurio Registry",
            [
                place.cache.program("java", "openjdk-17-jre-headless"), *measured, "-Xmx1g",
                "-Dquarkus.http.host=127.0.0.1", f"-Dquarkus.http.port={place.port}",
                "-Dquarkus.log.level=WARN", "-Dapicurio.rest.deletion.group.enabled=true",
                "-Dapicurio.rest.deletion.artifact.enabled=true",
                "-Dapicurio.rest.deletion.artifact-version.enabled=true",
                "-jar", runner(home)[0],
            ],
            output=place.folder / "apicurio.txt",
            folder=folder,
        )  # fmt: skip
        wait_for(child, f"{place.origin}/apis/registry/v3/system/info")
        document = call("GET", f"{place.origin}/api-specifications/registry/v3/openapi.json")
        return Started(document, "/apis/registry/v3", (), [child])

    def logs(self, kind: str) -> tuple[Path, ...]:  # noqa: ARG002 - none was recorded
        return ()

    def coverage(self, place: Place) -> tuple[Covered, ...]:
        jars = runner(place.cache.part(self.name))
        return java_lines(place.cache, place.folder / "apicurio", jars, PARTS)


def runner(home: Path) -> tuple[Path, ...]:
    """The jar that starts it, once it was unpacked."""
    return tuple(home.glob("apicurio-registry-app-*-runner.jar"))
