"""A change is merged only after somebody else has approved it. Only the log knows: no document says so."""

from __future__ import annotations

from pathlib import Path

from tests.services.serving import Call, access_line, campaign, operation

from lobrest.fuzz.state import Depth

CHANGE = {"id": {"type": "integer"}, "state": {"type": "string"}}
PATHS = {
    "/projects": {"post": operation(answer={"id": {"type": "integer"}})},
    "/projects/{id}": {"get": operation("id", answer={"id": {"type": "integer"}})},
    "/projects/{id}/changes": {"post": operation("id", answer=CHANGE)},
    "/projects/{id}/changes/{change_id}": {"get": operation("id", "change_id", answer=CHANGE)},
    "/projects/{id}/changes/{change_id}/approve": {"post": operation("id", "change_id", answer=CHANGE)},
    "/projects/{id}/changes/{change_id}/merge": {"put": operation("id", "change_id", answer=CHANGE)},
}
MERGE = "PUT /projects/{id}/changes/{change_id}/merge"


class Projects:
    def __init__(self) -> None:
        self.projects: set[str] = set()
        self.changes: dict[tuple[str, str], tuple[str, set[str]]] = {}

    def __call__(self, call: Call) -> tuple[int, object]:
        match call.method, call.path:
            case "POST", ("projects",):
                number = str(100 + len(self.projects))
                self.projects.add(number)
                return 201, {"id": int(number)}
            case "POST", ("projects", project, "changes") if project in self.projects:
                number = str(500 + len(self.changes))
                self.changes[project, number] = (call.user, set())
                return 201, {"id": int(number)}
            case "GET", ("projects", project) if project in self.projects:
                return 200, {"id": int(project)}
            case _, ("projects", project, "changes", number, *rest) if (project, number) in self.changes:
                author, approvals = self.changes[project, number]
                if rest == ["approve"]:
                    if call.user == author:
                        return 403, {"message": "nobody approves their own"}
                    approvals.add(call.user)
                if rest == ["merge"] and not approvals:
                    return 405, {"message": "Method Not Allowed"}
                return 200, {"id": int(number)}
        return 404, {"message": "not found"}


def lines() -> list[str]:
    """Ann opens and merges, Bo approves in between; three times, an hour apart."""
    found = []
    for number in range(3):
        at, change = number * 3600, f"/projects/1/changes/{40 + number}"
        found += [
            access_line(at, "ann", "POST", "/projects/1/changes"),
            access_line(at + 2, "ann", "GET", change),
            access_line(at + 60, "bo", "POST", f"{change}/approve"),
            access_line(at + 90, "ann", "PUT", f"{change}/merge"),
        ]
    return found


def test_what_people_did_before_is_done_before(tmp_path: Path):
    """Played once, without any mutation: the order can come from nowhere but the log."""
    outcome = campaign(tmp_path, Projects(), PATHS, lines(), requests=300, depth=Depth.ENHANCED)
    statuses = {one.op: one.statuses for one in outcome.summary.operations.list}
    assert statuses[MERGE].get("200", 0) > 0
    assert outcome.summary.flows.replayed > 0


def test_without_the_log_it_is_not_merged(tmp_path: Path):
    """The service is as hard as it claims to be."""
    outcome = campaign(tmp_path, Projects(), PATHS, [], requests=300, depth=Depth.ENHANCED)
    statuses = {one.op: one.statuses for one in outcome.summary.operations.list}
    assert "200" not in statuses[MERGE]
