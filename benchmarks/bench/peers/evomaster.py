"""EvoMaster, black-box: its jar is on no registry, so ``EVOMASTER_JAR`` says where it is."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ..cache import Cache
from ..peer import Task


@dataclass(frozen=True, slots=True)
class EvoMaster:
    """It takes users from the same authentication file as lobrest."""

    name: str = "evomaster"

    def install(self, cache: Cache) -> None:
        """Nothing that could be fetched."""

    def version(self) -> str:
        return Path(os.environ.get("EVOMASTER_JAR", "")).name

    def missing(self, task: Task) -> str:  # noqa: ARG002 - the same for every service
        jar = os.environ.get("EVOMASTER_JAR", "")
        return "" if Path(jar).is_file() else "EVOMASTER_JAR names no file"

    def command(self, task: Task) -> list[str | Path]:
        headers = [f"{user.header}: {user.value}" for user in task.credentials[:1]]
        return [
            task.cache.program("java", "openjdk-17-jre-headless"), "-jar", os.environ["EVOMASTER_JAR"],
            "--blackBox", "true", "--bbSwaggerUrl", task.document.as_uri(),
            "--bbTargetUrl", task.origin, "--maxTime", f"{task.seconds}s", "--seed", str(task.seed),
            "--outputFolder", task.out / "evomaster", "--outputFormat", "PYTHON_UNITTEST",
            *(part for number, header in enumerate(headers) for part in (f"--header{number}", header)),
        ]  # fmt: skip
