"""Business-aware REST API testing, mined from request logs.

>>> import lobrest
>>> mined = lobrest.mine("openapi.yaml", "access.log")
>>> result = lobrest.Campaign(mined, "http://127.0.0.1:8080", time="5m").run()
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lobrest.api import (
        Bug,
        Campaign,
        CampaignResult,
        FlowResult,
        LobrestError,
        Mined,
        PlayedStep,
        Seed,
        Slice,
        Summary,
        complete,
        load_spec,
        mine,
        read_logs,
        replay,
        run,
    )

__version__ = "0.1.0"

__all__ = [
    "Bug",
    "Campaign",
    "CampaignResult",
    "FlowResult",
    "LobrestError",
    "Mined",
    "PlayedStep",
    "Seed",
    "Slice",
    "Summary",
    "__version__",
    "complete",
    "load_spec",
    "mine",
    "read_logs",
    "replay",
    "run",
]


def __getattr__(name: str) -> object:
    """Imported on first use: the version alone costs nothing."""
    if name not in __all__:
        raise AttributeError(f"module 'lobrest' has no attribute {name!r}")
    value: object = getattr(importlib.import_module("lobrest.api"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
