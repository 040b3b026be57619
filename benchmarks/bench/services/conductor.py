"""Conductor: workflow orchestration, 71 operations in Java, with Redis."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

from ..cache import Cache
from ..client import call
from ..database import start_redis
from ..measure import jacoco_agent, java_lines
from ..process import start, wait_for
from ..service import Covered, Place, Started

JAR = "com.netflix.conductor:conductor-server:3.15.0:boot"
PARTS = {"rest": "com.netflix.conductor.rest", "core": "com.netflix.conductor.core"}


@dataclass(frozen=True, slots=True)
class Conductor:
    """Open to everybody."""

    name: str = "conductor"
    held_back: tuple[str, ...] = ()

    def install(self, cache: Cache) -> None:
        jar = cache.maven(JAR)
        classes = cache.part(self.name) / "classes"
        if classes.is_dir():
            return
        # Coverage needs the service's own jars by themselves, not inside the one that starts it.
        with zipfile.ZipFile(jar) as archive:
            for name in archive.namelist():
                if name.startswith("BOOT-INF/lib/conductor-"):
                    archive.extract(name, classes)

    def start(self, place: Place) -> Started:
        folder = place.folder / "conductor"
        folder.mkdir()
        redis, redis_port = start_redis(place.cache, folder)
        settings = {
            "server.address": "127.0.0.1",
            "server.port": place.port,
            "conductor.db.type": "redis_standalone",
            "conductor.queue.type": "redis_standalone",
            "conductor.redis.hosts": f"127.0.0.1:{redis_port}:us-east-1c",
            "conductor.redis-lock.serverAddress": f"redis://127.0.0.1:{redis_port}",
            "conductor.indexing.enabled": "false",
            "conductor.metrics-prometheus.enabled": "false",
            "loadSample": "false",
            "logging.level.root": "ERROR",
        }
        measured = [jacoco_agent(place.cache, folder, "com.netflix.conductor.*")] if place.measure else []
        child = start(
            "Conductor",
            [
                place.cache.program("java", "openjdk-17-jre-headless"), *measured, "-Xmx1g",
                *(f"-D{name}={value}" for name, value in settings.items()), "-jar", place.cache.maven(JAR),
            ],
            output=place.folder / "conductor.txt",
            folder=folder,
        )  # fmt: skip
        wait_for(child, f"{place.origin}/api-docs", seconds=300)
        document = call("GET", f"{place.origin}/api-docs")
        return Started(document, "", (), [redis, child])

    def logs(self, kind: str) -> tuple[Path, ...]:  # noqa: ARG002 - none was recorded
        return ()

    def coverage(self, place: Place) -> tuple[Covered, ...]:
        jars = sorted((place.cache.part(self.name) / "classes").rglob("conductor-*.jar"))
        return java_lines(place.cache, place.folder / "conductor", jars, PARTS)
