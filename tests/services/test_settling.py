"""What is made takes a moment until it is there: nothing can be done to it before, and waiting is all that helps.

The first wait is a guess; later ones are about as long as it took, and where nothing ever settles they get rare.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from tests.services.serving import Call, access_line, campaign, operation

from lobrest.fuzz.state import Depth

JOB = {"id": {"type": "integer"}, "state": {"type": "string"}}
PATHS = {
    "/jobs": {"post": operation(answer=JOB)},
    "/jobs/{id}": {"get": operation("id", answer=JOB)},
    "/jobs/{id}/publish": {"post": operation("id", answer=JOB)},
}
PUBLISH = "POST /jobs/{id}/publish"


class Jobs:
    """A job can be published a while after it was made; before, the service refuses with ``status``."""

    def __init__(self, settle_seconds: float, status: int, said: str = "no") -> None:
        self.settle_seconds = settle_seconds
        self.refusal = status, {"message": said}
        self.made: dict[str, float] = {}
        self.tries = 0
        self._lock = threading.Lock()

    def __call__(self, call: Call) -> tuple[int, object]:
        with self._lock:
            match call.method, call.path:
                case "POST", ("jobs",):
                    number = str(len(self.made) + 1)
                    self.made[number] = time.monotonic()
                    return 201, {"id": int(number), "state": "new"}
                case "POST", ("jobs", job, "publish") if job in self.made:
                    self.tries += 1
                    if time.monotonic() - self.made[job] >= self.settle_seconds:
                        return 200, {"id": int(job), "state": "published"}
                    return self.refusal
                case "GET", ("jobs", job) if job in self.made:
                    return 200, {"id": int(job), "state": "new"}
        return 404, {"message": "not found"}


def lines(jobs: int) -> list[str]:
    return [
        line
        for number in range(jobs)
        for line in (
            access_line(400 * number, "ann", "POST", "/jobs"),
            access_line(400 * number + 5, "ann", "POST", f"/jobs/{500 + number}/publish"),
        )
    ]


def published(outcome: object) -> int:
    rows = outcome.summary.operations.list  # type: ignore[attr-defined]
    return sum(row.statuses.get("200", 0) for row in rows if row.op == PUBLISH)


@pytest.mark.parametrize("status", [404, 405, 409, 422])
def test_what_the_log_shows_to_work_is_waited_for(tmp_path: Path, status: int):
    outcome = campaign(
        tmp_path, Jobs(0.4, status), PATHS, lines(2), requests=60, depth=Depth.ENHANCED, number=status
    )
    assert published(outcome) > 0
    patience = outcome.engine.state.knowledge.patience[PUBLISH, status]
    assert patience.helped > 0
    assert 0.1 < patience.seconds < 4.0


def test_in_vain_nobody_waits_for_ever(tmp_path: Path):
    never = Jobs(1e9, 405)
    outcome = campaign(tmp_path, never, PATHS, lines(4), requests=60, depth=Depth.ENHANCED)
    assert published(outcome) == 0
    patience = outcome.engine.state.knowledge.patience[PUBLISH, 405]
    assert patience.futile > 0
    assert patience.helped == 0
