"""Values that use every field, for whoever tests a store."""

from __future__ import annotations

from lobrest.model.bug import Bug, BugKey
from lobrest.model.entry import Arguments, LogEntry, Place, UserId
from lobrest.model.event import ExchangeDone
from lobrest.model.exchange import Exchange, Failure, Request, Response
from lobrest.model.operation import Location, OperationId, ParameterRef
from lobrest.model.resource import ResourceInstance, ResourceName
from lobrest.model.seed import Origin, Seed, SeedId, Step, Wire
from lobrest.model.slice import Slice, Strategy

LIST = OperationId("GET /projects")
MAKE = OperationId("POST /projects/{id}/issues")
PROJECT = ResourceInstance(ResourceName("/projects"), "15")
ISSUE = ResourceInstance(ResourceName("/projects/{id}/issues"), "3", PROJECT)
PROJECT_ID = ParameterRef(MAKE, Location.PATH, "id")


def exchange(
    operation: OperationId = LIST,
    status: int = 200,
    *,
    body: bytes = b'{"id": 1}',
    sent: bytes | None = None,
    at: float = 0.0,
    step: int = 0,
) -> Exchange:
    """An answered request; status 0 is one without an answer."""
    headers = (("Content-Type", "application/json"), ("X-Name", "é\u2028\U0001f600"))
    request = Request(operation, operation.split()[0], "/projects?q=%20", headers, sent, "ann")
    if not status:
        return Exchange(request, None, Failure.TIMEOUT, at, step)
    return Exchange(request, Response(status, headers, body, 0.25, status == 206), None, at, step)


def done(
    at: float,
    operation: OperationId = LIST,
    status: int = 200,
    *,
    execution: int = 0,
    body: bytes = b'{"id": 1}',
    sent: bytes | None = None,
) -> ExchangeDone:
    """An exchange as it is recorded."""
    return ExchangeDone(
        at, SeedId("s1"), execution, exchange(operation, status, body=body, sent=sent, at=at, step=2)
    )


def entry(at: float = 1.5) -> LogEntry:
    """A log entry with everything in it."""
    return LogEntry(
        at=at,
        operation=MAKE,
        arguments=Arguments(
            path={"id": "15"},
            query={"page": 2, "labels": ["a", None]},
            header={"X-A": "1"},
            cookie={"c": "2"},
            body={"title": "lone \ud800 and \0", "deep": [{"a": 1.5}, True]},
            has_body=True,
            media_type="application/json",
            body_known=False,
        ),
        user=UserId("u1"),
        status=201,
        uses={PROJECT_ID: PROJECT},
        creates=ISSUE,
        source=Place("access.log", 7),
    )


def seed(name: str = "s1", *parents: str) -> Seed:
    """A seed with everything in it."""
    step = Step(entry(), Origin.CREATION, "needed", b"\xff\x00", anonymous=True, concurrent=True)
    return Seed(
        id=SeedId(name),
        steps=(step, Step(entry(2.5), Origin.LOG)),
        wires=(Wire(1, PROJECT_ID, 0, ISSUE),),
        source=Slice((entry(), entry(2.5)), (Strategy.MLTS, Strategy.STWS)),
        origin=Origin.LOG,
        notes=("a listing stands in",),
        parents=tuple(SeedId(parent) for parent in parents),
        mutations=("splice",),
    )


def bug(number: int = 1, *, at: float = 3.5, confirmed: bool = False, count: int = 1) -> Bug:
    """A bug with two exchanges."""
    exchanges = (exchange(at=at), exchange(MAKE, 500, body=b"\xff\xfe" * 700, sent=b"{}", at=at, step=1))
    key = BugKey(MAKE, 500, f"KeyError: 'x' \ud800 {number}")
    return Bug(number, key, "KeyError: 'x'", at, exchanges, SeedId("s1"), count, confirmed, confirmed)
