"""Traffic of services that nobody recorded: played once by a cast, kept in the cache."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from .cache import Cache, say
from .casts import CASTS
from .casts.stage import play, write_logs
from .process import free_port
from .service import Place, Service


def recorded(service: Service, cache: Cache, kind: str) -> tuple[Path, ...]:
    """Logs of the service: those that lie beside the repository, else what the cast left in the cache."""
    given = service.logs(kind)
    if given or service.name not in CASTS:
        return given
    folder = cache.folder / "traffic" / service.name
    if not folder.is_dir():
        record(service, cache, folder)
    return (folder / f"cast.{kind}.log",)


def record(service: Service, cache: Cache, folder: Path) -> None:
    """Start the service, let its cast play, and write the logs."""
    say(f"recording the cast of {service.name} (once)")
    place = Place(cache, Path(tempfile.mkdtemp(prefix="lobrest-bench-")), free_port(), free_port(), False)
    place.folder.chmod(0o755)
    started = service.start(place)
    try:
        lines = play(CASTS[service.name], place.origin + started.base_path)
    finally:
        started.stop()
        shutil.rmtree(place.folder, ignore_errors=True)
    write_logs(lines, started.base_path, folder)
    say(f"{len(lines)} requests, {sum(line.status < 300 for line in lines)} of them answered 2XX")
