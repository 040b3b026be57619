"""The services of the benchmark by name."""

from __future__ import annotations

from pathlib import Path

from ..problem import BenchError
from ..service import Service
from .apicurio import Apicurio
from .conductor import Conductor
from .demo import Demo
from .external import read_service
from .gitea import Gitea
from .kinto import Kinto
from .prefect import Prefect
from .sinatra import Sinatra
from .unleash import Unleash
from .zou import Zou

SERVICES: tuple[Service, ...] = (
    Demo(),
    Gitea(),
    Kinto(),
    Prefect(),
    Unleash(),
    Zou(),
    Apicurio(),
    Conductor(),
    Sinatra(),
)


def service(name: str) -> Service:
    """The service of that name, or the one that a file ending in ``.toml`` describes."""
    if name.endswith(".toml"):
        return read_service(Path(name))
    for known in SERVICES:
        if known.name == name:
            return known
    raise BenchError(f"no service named {name}", hint=f"known: {', '.join(one.name for one in SERVICES)}")
