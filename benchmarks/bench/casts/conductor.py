"""A team that runs its workflows with Conductor."""

from __future__ import annotations

import random

from .stage import Cast, Scene, Step

OWNER = "orders@example.org"


def task(name: str) -> dict[str, object]:
    """The definition of a task."""
    return {
        "name": name, "description": "bench", "retryCount": 1, "timeoutSeconds": 600, "inputKeys": ["order"],
        "outputKeys": ["done"], "timeoutPolicy": "TIME_OUT_WF", "retryLogic": "FIXED", "retryDelaySeconds": 5,
        "responseTimeoutSeconds": 300, "ownerEmail": OWNER,
    }  # fmt: skip


def workflow(name: str, tasks: tuple[str, ...], version: int = 1) -> dict[str, object]:
    """A workflow of simple tasks, one after another."""
    listed = [
        {"name": one, "taskReferenceName": f"{one}_ref", "type": "SIMPLE", "inputParameters": {"order": "1"}}
        for one in tasks
    ]
    return {
        "name": name, "description": "bench", "version": version, "tasks": listed, "schemaVersion": 2,
        "ownerEmail": OWNER, "timeoutPolicy": "ALERT_ONLY", "timeoutSeconds": 0,
    }  # fmt: skip


def define(number: int, *, tasks: int = 2) -> Scene:
    """Define tasks and a workflow of them."""
    names = tuple(f"pack_{number}_{index}" for index in range(tasks))
    yield Step("POST", "/api/metadata/taskdefs", [task(name) for name in names])
    yield Step("GET", f"/api/metadata/taskdefs/{names[0]}")
    yield Step("POST", "/api/metadata/workflow", workflow(f"ship_{number}", names))
    yield Step("GET", f"/api/metadata/workflow/ship_{number}?version=1")


def deliver(chance: random.Random, number: int) -> Scene:
    """A worker takes tasks of a running workflow and finishes them."""
    yield from define(number)
    order = {"order": str(chance.randint(1, 999))}
    started = yield Step("POST", f"/api/workflow/ship_{number}?version=1&correlationId=c{number}", order)
    run = started.value
    yield Step("GET", f"/api/workflow/{run}?includeTasks=true")
    yield Step("GET", f"/api/workflow/running/ship_{number}?version=1")
    for index in range(2):
        polled = yield Step("GET", f"/api/tasks/poll/pack_{number}_{index}?workerid=w1")
        taken = (polled.value or {}).get("taskId", "none")
        yield Step("POST", f"/api/tasks/{taken}/log", f"packing {number}")
        yield Step("GET", f"/api/tasks/{taken}/log")
        yield Step("GET", f"/api/tasks/{taken}")
        result = {
            "workflowInstanceId": run,
            "taskId": taken,
            "status": "COMPLETED",
            "outputData": {"done": True},
        }
        yield Step("POST", "/api/tasks", result)
    yield Step("GET", f"/api/workflow/{run}")
    yield Step("GET", f"/api/workflow/ship_{number}/correlated/c{number}?includeClosed=true")
    yield Step("DELETE", f"/api/workflow/{run}/remove?archiveWorkflow=false")


def operate(chance: random.Random, number: int) -> Scene:
    """An operator pauses, resumes, terminates and restarts."""
    yield from define(number)
    request = {"name": f"ship_{number}", "version": 1, "input": {"order": "7"}, "correlationId": f"o{number}"}
    started = yield Step("POST", "/api/workflow", request)
    run = started.value
    yield Step("PUT", f"/api/workflow/{run}/pause")
    yield Step("PUT", f"/api/workflow/{run}/resume")
    yield Step("PUT", f"/api/workflow/decide/{run}")
    yield Step("DELETE", f"/api/workflow/{run}?reason={chance.choice(['stock', 'price'])}")
    yield Step("POST", f"/api/workflow/{run}/restart")
    yield Step("DELETE", f"/api/workflow/{run}?reason=again")
    yield Step("POST", f"/api/workflow/{run}/retry")
    yield Step("PUT", "/api/workflow/bulk/pause", [run])
    yield Step("PUT", "/api/workflow/bulk/resume", [run])
    yield Step("POST", "/api/workflow/bulk/terminate?reason=bulk", [run])
    yield Step("POST", "/api/workflow/bulk/restart", [run])
    yield Step("POST", f"/api/workflow/ship_{number}/correlated?includeClosed=true", [f"o{number}"])
    yield Step("POST", f"/api/admin/sweep/requeue/{run}")


def design(chance: random.Random, number: int) -> Scene:
    """A designer changes definitions and takes them away."""
    yield from define(number, tasks=3)
    changed = workflow(f"ship_{number}", (f"pack_{number}_0",), version=2)
    yield Step("POST", "/api/metadata/workflow/validate", changed)
    yield Step("PUT", "/api/metadata/workflow", [changed])
    yield Step("GET", "/api/metadata/workflow")
    yield Step("GET", "/api/metadata/workflow/names-and-versions")
    yield Step("GET", "/api/metadata/workflow/latest-versions")
    yield Step(
        "PUT", "/api/metadata/taskdefs", {**task(f"pack_{number}_1"), "retryCount": chance.randint(0, 5)}
    )
    yield Step("GET", "/api/metadata/taskdefs")
    yield Step("DELETE", f"/api/metadata/workflow/ship_{number}/2")
    yield Step("DELETE", f"/api/metadata/taskdefs/pack_{number}_2")
    yield Step("GET", f"/api/metadata/workflow/unknown_{number}")


def react(chance: random.Random, number: int) -> Scene:
    """Events that start workflows."""
    yield from define(number, tasks=1)
    start = {
        "action": "start_workflow",
        "start_workflow": {"name": f"ship_{number}", "version": 1, "input": {}},
    }
    handler = {
        "name": f"on_{number}", "event": f"conductor:ship_{number}:done", "actions": [start],
        "active": chance.choice([True, False]),
    }  # fmt: skip
    yield Step("POST", "/api/event", handler)
    yield Step("GET", "/api/event")
    yield Step("GET", f"/api/event/conductor:ship_{number}:done")
    yield Step("PUT", "/api/event", {**handler, "active": False})
    yield Step("DELETE", f"/api/event/on_{number}")


def watch(chance: random.Random, number: int) -> Scene:
    """Somebody looks at queues and settings."""
    yield Step("GET", "/health")
    yield Step("GET", "/api/tasks/queue/all")
    yield Step("GET", "/api/tasks/queue/all/verbose")
    yield Step("GET", "/api/tasks/queue/polldata/all")
    yield Step("GET", f"/api/tasks/queue/sizes?taskType=pack_{number}_0")
    yield Step("GET", f"/api/tasks/queue/polldata?taskType=pack_{number}_0")
    yield Step("GET", "/api/admin/config")
    yield Step("GET", f"/api/admin/task/pack_{number}_0?start=0&count={chance.choice([10, 100])}")
    yield Step("GET", "/api/workflow/search?query=&start=0&size=10")
    yield Step("GET", "/api/queue/")


CONDUCTOR = Cast(
    {
        "worker": (deliver, deliver),
        "ana": (operate, watch),
        "ben": (design, react),
        "chen": (deliver, operate),
        "ops": (watch, react),
    }
)
