"""A plausible campaign against a forge, made up but consistent, for tests and for looking at pictures."""

from __future__ import annotations

import json
import random
from functools import cache

from lobrest.model.bug import Bug, BugKey
from lobrest.model.entry import Arguments, LogEntry, UserId
from lobrest.model.exchange import Exchange, Headers, Request, Response
from lobrest.model.operation import Location, OperationId, ParameterRef
from lobrest.model.resource import (
    Binding,
    Creation,
    Dependency,
    Resource,
    ResourceModel,
    ResourceName,
    Retrieval,
    Source,
)
from lobrest.model.seed import Origin, Seed, SeedId, Step
from lobrest.model.slice import Slice, Strategy
from lobrest.model.summary import (
    BugResult,
    FlowTotals,
    ModuleResult,
    OperationResult,
    OperationTotals,
    Point,
    StageTimes,
    Summary,
)
from lobrest.report.data import Dropped, LogFile, LogReading, ReportData, Run
from lobrest.report.derive import flow_map, never_reached, slice_facts, time_shares, user_day

P = "/projects/{id}"
MODULES: dict[str, tuple[str, ...]] = {
    "projects": (
        "GET /projects",
        "POST /projects",
        f"GET {P}",
        f"PUT {P}",
        f"DELETE {P}",
        f"POST {P}/archive",
        f"POST {P}/transfer",
        f"POST {P}/star",
    ),
    "branches": (
        f"GET {P}/branches",
        f"POST {P}/branches",
        f"GET {P}/branches/{{branch}}",
        f"DELETE {P}/branches/{{branch}}",
        f"POST {P}/branches/{{branch}}/protect",
    ),
    "commits": (
        f"GET {P}/commits",
        f"POST {P}/commits",
        f"GET {P}/commits/{{sha}}",
        f"POST {P}/commits/{{sha}}/statuses",
        f"GET {P}/commits/{{sha}}/statuses",
    ),
    "merge requests": (
        f"GET {P}/merge_requests",
        f"POST {P}/merge_requests",
        f"GET {P}/merge_requests/{{merge_request_iid}}",
        f"PUT {P}/merge_requests/{{merge_request_iid}}",
        f"POST {P}/merge_requests/{{merge_request_iid}}/approve",
        f"POST {P}/merge_requests/{{merge_request_iid}}/unapprove",
        f"PUT {P}/merge_requests/{{merge_request_iid}}/merge",
        f"POST {P}/merge_requests/{{merge_request_iid}}/revert",
    ),
    "issues": (
        f"GET {P}/issues",
        f"POST {P}/issues",
        f"GET {P}/issues/{{issue_iid}}",
        f"PUT {P}/issues/{{issue_iid}}",
        f"DELETE {P}/issues/{{issue_iid}}",
        f"POST {P}/issues/{{issue_iid}}/move",
    ),
    "notes": (f"GET {P}/issues/{{issue_iid}}/notes", f"POST {P}/issues/{{issue_iid}}/notes"),
    "labels": (
        f"GET {P}/labels",
        f"POST {P}/labels",
        f"PUT {P}/labels/{{name}}",
        f"DELETE {P}/labels/{{name}}",
    ),
    "milestones": (
        f"GET {P}/milestones",
        f"POST {P}/milestones",
        f"PUT {P}/milestones/{{milestone_id}}",
        f"DELETE {P}/milestones/{{milestone_id}}",
    ),
    "releases": (f"GET {P}/releases", f"POST {P}/releases", f"GET {P}/releases/{{tag_name}}"),
    "members": (f"GET {P}/members", f"POST {P}/members", f"DELETE {P}/members/{{user_id}}"),
    "groups": ("GET /groups", "POST /groups", "GET /groups/{path}", "DELETE /groups/{path}"),
    "users": ("GET /users", "POST /users", "GET /user", "GET /users/{id}", "POST /users/{id}/block"),
    "tokens": ("GET /tokens", "POST /tokens", "DELETE /tokens/{token_id}"),
    "hooks": (
        f"GET {P}/hooks",
        f"POST {P}/hooks",
        f"DELETE {P}/hooks/{{hook_id}}",
        f"POST {P}/hooks/{{hook_id}}/test",
    ),
}
MODULE_OF = {op: module for module, ops in MODULES.items() for op in ops}
MR = f"{P}/merge_requests/{{merge_request_iid}}"
FLOWS: tuple[tuple[str, ...], ...] = (
    (
        f"GET {P}",
        f"POST {P}/branches",
        f"POST {P}/commits",
        f"POST {P}/merge_requests",
        f"GET {MR}",
        f"POST {MR}/approve",
        f"PUT {MR}/merge",
    ),
    (f"POST {P}/commits", f"GET {P}/commits/{{sha}}", f"POST {P}/commits/{{sha}}/statuses"),
    (
        "GET /user",
        "GET /projects",
        f"GET {P}",
        f"GET {P}/issues",
        f"POST {P}/issues",
        f"GET {P}/issues/{{issue_iid}}",
    ),
    (
        f"GET {P}/issues/{{issue_iid}}",
        f"POST {P}/issues/{{issue_iid}}/notes",
        f"PUT {P}/issues/{{issue_iid}}",
    ),
    (
        f"POST {P}/milestones",
        f"POST {P}/labels",
        f"POST {P}/issues",
        f"PUT {P}/issues/{{issue_iid}}",
        f"GET {P}/milestones",
    ),
    (f"GET {P}/merge_requests", f"GET {MR}", f"POST {MR}/approve"),
    (f"GET {P}/commits", f"POST {P}/releases", f"GET {P}/releases/{{tag_name}}"),
    ("POST /groups", "POST /projects", f"POST {P}/members", f"GET {P}/members"),
    (f"PUT {MR}/merge", f"POST {MR}/revert", f"GET {P}/commits"),
    (f"POST {P}/hooks", f"GET {P}/hooks"),
)
UNCOVERED = {
    f"POST {P}/transfer": {"403": 41, "422": 12},
    f"POST {P}/hooks/{{hook_id}}/test": {"422": 30},
    f"DELETE {P}/labels/{{name}}": {},
    "POST /users/{id}/block": {"403": 57},
    "DELETE /tokens/{token_id}": {"404": 18},
    f"POST {P}/issues/{{issue_iid}}/move": {"500": 9},
}
MONDAY = 1_772_438_400.0
JSON_HEADERS: Headers = (("Content-Type", "application/json"),)
BUGS = (
    (f"POST {MR}/revert", 500, "KeyError: 'squash_commit'", 7),
    (f"PUT {MR}/merge", 500, "TypeError: 'NoneType' object is not subscriptable", 6),
    (
        f"POST {P}/issues/{{issue_iid}}/move",
        500,
        "IntegrityError: milestone 4 does not belong to project 16",
        5,
    ),
    (f"GET {P}/issues", 500, "KeyError: 12", 4),
    (f"POST {P}/releases", 500, "AttributeError: 'NoneType' object has no attribute 'sha'", 4),
    (
        f"POST {P}/issues/{{issue_iid}}/notes",
        500,
        "ValueError: not enough values to unpack (expected 2, got 1)",
        3,
    ),
    (f"POST {P}/labels", 500, "UnicodeEncodeError: 'ascii' codec can't encode character '\\U0001f600'", 2),
    ("GET /projects", 500, "ZeroDivisionError: division by zero", 1),
    ("POST /groups", 502, "upstream prematurely closed connection", 1),
)


def slices(chance: random.Random) -> tuple[Slice, ...]:
    """Three days of a dozen users."""
    found = []
    users = ["ann", "bela", "chen", "dora", "emeka", "finn", "gita", "hana", "ivo", "june", "kofi", "ci-bot"]
    for day in range(3):
        for user in users:
            at = MONDAY + day * 86_400 + 8.5 * 3600 + chance.random() * 3600
            for _ in range(chance.randint(5, 9)):
                flow = FLOWS[min(int(chance.expovariate(0.45)), len(FLOWS) - 1)]
                length = chance.randint(2, len(flow))
                entries = []
                for op in flow[:length]:
                    at += chance.uniform(3, 45)
                    entries.append(LogEntry(at, OperationId(op), Arguments(), UserId(user), 200))
                strategies = (Strategy.MLTS, Strategy.STWS) if length < 5 else (Strategy.MLTS,)
                found.append(Slice(tuple(entries), strategies))
                at += chance.uniform(400, 3600)
    return tuple(found)


def seeds(pieces: tuple[Slice, ...]) -> tuple[Seed, ...]:
    """Each slice with a project, and what else it needs, put in front."""
    made = []
    for number, piece in enumerate(pieces):
        first = piece.entries[0]
        front = [
            Step(
                LogEntry(first.at, OperationId("POST /projects"), Arguments(), first.user, 0),
                Origin.CREATION,
                "makes the project that 3 later steps use",
            )
        ]
        if "merge_request_iid" in first.operation:
            front.append(
                Step(
                    LogEntry(first.at, OperationId(f"POST {P}/merge_requests"), Arguments(), first.user, 0),
                    Origin.CREATION,
                    "makes the merge request",
                )
            )
        steps = (*front, *(Step(entry, Origin.LOG) for entry in piece.entries))
        made.append(Seed(SeedId(f"{number:08x}"), steps, (), piece, Origin.LOG))
    return tuple(made)


def summary(
    chance: random.Random, *, share: float = 1.0, bugs: int = len(BUGS), requests: int = 18_240
) -> Summary:
    """A result; ``share`` of the coverage that the best one has."""
    operations = []
    for module, ops in MODULES.items():
        for op in ops:
            statuses = dict(UNCOVERED.get(op, {"200": chance.randint(20, 900), "404": chance.randint(0, 90)}))
            if op not in UNCOVERED and chance.random() > share:
                statuses = {"404": chance.randint(5, 90)}
            for bug_op, status, _, _ in BUGS[len(BUGS) - bugs :]:
                if bug_op == op:
                    statuses[str(status)] = chance.randint(2, 30)
            operations.append(OperationResult(op, module, statuses))
    covered = {each.op for each in operations if "200" in each.statuses}
    total = len(operations)
    found = [
        BugResult(number, op, status, message, 4.0 + 6.1 * (number - 1), status == 500, steps)
        for number, (op, status, message, steps) in enumerate(BUGS[len(BUGS) - bugs :], 1)
    ]
    timeline = []
    for second in range(61):
        reached = len(covered) * (1 - 0.75 * 2.718 ** (-second / 9)) if second else 0
        timeline.append(
            Point(
                float(second),
                requests * second // 60,
                min(int(reached) + (second == 60), len(covered)) if second < 60 else len(covered),
                sum(bug.first_seen_s <= second for bug in found),
            )
        )
    return Summary(
        service="Forge",
        profile="default",
        seed=7,
        started="2026-03-04T09:30:00Z",
        duration_s=60.0,
        requests=requests,
        requests_per_s=requests / 60,
        operations=OperationTotals(
            total, sum(bool(each.statuses) for each in operations), len(covered), tuple(operations)
        ),
        modules=tuple(
            ModuleResult(module, len(ops), sum(op in covered for op in ops))
            for module, ops in MODULES.items()
        ),
        flows=FlowTotals(145, int(121 * share)),
        bugs=tuple(found),
        timeline=tuple(timeline),
        stages=StageTimes(0.21, 0.34, 0.05, 0.4),
    )


def resources() -> ResourceModel:
    """The forge's tree."""
    tree: tuple[tuple[str, str | None, str], ...] = (
        ("/projects", None, "id"),
        (f"{P}/branches", "/projects", "branch"),
        (f"{P}/commits", "/projects", "sha"),
        (f"{P}/merge_requests", "/projects", "merge_request_iid"),
        (f"{P}/issues", "/projects", "issue_iid"),
        (f"{P}/issues/{{issue_iid}}/notes", f"{P}/issues", "note_id"),
        (f"{P}/labels", "/projects", "name"),
        (f"{P}/milestones", "/projects", "milestone_id"),
        (f"{P}/releases", "/projects", "tag_name"),
        (f"{P}/hooks", "/projects", "hook_id"),
        ("/groups", None, "path"),
        ("/users", None, "user_id"),
        ("/tokens", None, "token_id"),
        ("/runners", None, "runner_id"),
    )
    found: dict[ResourceName, Resource] = {}
    creations: dict[OperationId, Creation] = {}
    retrievals: dict[OperationId, Retrieval] = {}
    dependencies: dict[ParameterRef, Dependency] = {}
    for path, parent, parameter in tree:
        name = ResourceName(path)
        creator, lister = OperationId(f"POST {path}"), OperationId(f"GET {path}")
        creators = (creator,) if creator in MODULE_OF else ()
        listers = (lister,) if lister in MODULE_OF else ()
        found[name] = Resource(name, ResourceName(parent) if parent else None, creators, listers)
        for operation in creators:
            creations[operation] = Creation(operation, name, 0.95, "POST on a collection")
        for operation in listers:
            retrievals[operation] = Retrieval(operation, name)
        for op in MODULE_OF:
            if f"{{{parameter}}}" in op and (op.split()[1].startswith(path)):
                ref = ParameterRef(OperationId(op), Location.PATH, parameter)
                dependencies[ref] = Dependency(ref, name, (Binding(Source.RESPONSE, parameter),), 0.9)
    return ResourceModel("Forge", found, creations, retrievals, dependencies)


def bug(number: int, op: str, status: int, message: str, steps: int) -> Bug:
    """A bug with a believable way to it."""
    way = (
        (
            "POST /projects",
            "/api/v1/projects",
            {"name": f"shop-x0k{number}a", "visibility": "private"},
            {"id": 16, "path": "shop"},
        ),
        (
            f"POST {P}/branches",
            "/api/v1/projects/16/branches",
            {"branch": "feature/cart", "ref": "main"},
            {"name": "feature/cart"},
        ),
        (
            f"POST {P}/commits",
            "/api/v1/projects/16/commits",
            {"branch": "feature/cart", "message": "Add a cart"},
            {"id": "9f3c2ab1d0"},
        ),
        (
            f"POST {P}/merge_requests",
            "/api/v1/projects/16/merge_requests",
            {"source_branch": "feature/cart", "target_branch": "main", "title": "Cart"},
            {"id": 88, "iid": 3, "state": "opened"},
        ),
        (f"POST {MR}/approve", "/api/v1/projects/16/merge_requests/3/approve", None, {"approved": True}),
        (
            f"PUT {MR}/merge",
            "/api/v1/projects/16/merge_requests/3/merge",
            {"squash": True},
            {"iid": 3, "state": "merged"},
        ),
    )
    exchanges = []
    for index, (operation, target, body, answer) in enumerate(way[: steps - 1]):
        actor = "bela" if operation.endswith("approve") else "ann"
        content = None if body is None else json.dumps(body).encode()
        exchanges.append(
            Exchange(
                Request(OperationId(operation), operation.split()[0], target, JSON_HEADERS, content, actor),
                Response(201, JSON_HEADERS, json.dumps(answer).encode(), 0.004),
                at=3.0 + number,
                step=index,
            )
        )
    target = "/api/v1" + op.split()[1].replace("{id}", "16").replace("{merge_request_iid}", "3").replace(
        "{issue_iid}", "2"
    )
    last = Request(
        OperationId(op),
        op.split()[0],
        target,
        (*JSON_HEADERS, ("PRIVATE-TOKEN", "glpat-visible")),
        b'{"a":1}',
        "ann",
    )
    answer = {"message": f"{status} Internal Server Error", "error": message, "token": "glpat-visible"}
    exchanges.append(Exchange(last, Response(status, JSON_HEADERS, json.dumps(answer).encode(), 0.011)))
    key = BugKey(OperationId(op), status, message)
    return Bug(
        number,
        key,
        message,
        4.0 + 6.1 * (number - 1),
        tuple(exchanges),
        SeedId(f"{number:08x}"),
        count=3 * number,
        confirmed=status == 500,
        minimised=True,
    )


@cache
def campaign() -> ReportData:
    """Everything a report can show."""
    chance = random.Random(7)
    pieces = slices(chance)
    completed = seeds(pieces)
    result = summary(chance)
    model = resources()
    return ReportData(
        summary=result,
        label="with logs",
        target="http://127.0.0.1:8080",
        spec="Forge 1.4.0 · openapi 3.1.0",
        bugs=tuple(bug(number, *facts) for number, facts in enumerate(BUGS, 1)),
        logs=LogReading(
            files=(
                LogFile("api_json.log.gz", "gitlab", 3412, 2688),
                LogFile("access.log.gz", "nginx", 3412, 0),
            ),
            dropped=(
                Dropped("not in the specification", 301, "GET /-/health"),
                Dropped("answered 4XX", 388, "POST /api/v1/projects → 422"),
                Dropped("same request in another file", 3412, "access.log.gz:1"),
                Dropped("not a log line", 35, "logrotate: restarted"),
            ),
            users=12,
            operations=49,
            first=MONDAY,
            last=MONDAY + 2 * 86_400 + 62_000,
        ),
        slices=slice_facts(pieces, completed),
        resources=model,
        flows=flow_map(pieces, result),
        day=user_day(pieces, completed),
        unreached=never_reached(
            result,
            model,
            messages={
                f"POST {P}/transfer": {"403 Forbidden": 41, "namespace_id is invalid": 12},
                "POST /users/{id}/block": {"403 Forbidden": 57},
                f"POST {P}/hooks/{{hook_id}}/test": {"url is blocked: requests to the local network": 30},
                "DELETE /tokens/{token_id}": {"404 Token Not Found": 18},
            },
            held_back={f"DELETE {P}/labels/{{name}}": "deletes, and the settings allow no deletion"},
        ),
        times=time_shares(result),
        others=(Run("without logs", summary(chance, share=0.62, bugs=3, requests=17_800)),),
        folder="lobrest-demo",
        version="0.1.0",
    )
