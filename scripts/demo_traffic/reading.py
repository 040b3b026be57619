"""Those who mostly look, and the one who is new."""

from __future__ import annotations

from demo_traffic.development import NAMES, feature, found_project
from demo_traffic.person import Person
from demo_traffic.schedule import Send, Task
from demo_traffic.world import USER_IDS


def browse(me: Person) -> Task:
    """Reads around in a project, page by page."""
    me.scenario = "browse"
    query: dict[str, object] = {"per_page": me.one_of((10, 20, 50))}
    if me.chance(0.4):
        query["search"] = me.one_of(NAMES)[:5]
    if me.chance(0.3):
        query["order_by"] = me.one_of(("name", "created_at"))
    yield from me.get("/projects", **query)
    projects = [project for project in me.world.projects if not project.spike]
    if not projects:
        return
    project = me.one_of(projects)
    at = me.at(project)
    yield from me.get(at)
    for path in me.random.sample(
        ("/issues", "/merge_requests", "/releases", "/milestones", "/labels", "/repository/commits"), 3
    ):
        yield from me.get(at + path, **({"page": me.one_of((1, 1, 2))} if me.chance(0.5) else {}))
    if project.issues:
        issue = me.one_of(project.issues)
        yield from me.get(f"{at}/issues/{issue}")
        yield from me.get(f"{at}/issues/{issue}/notes")
        if me.chance(0.25):
            yield from me.post(f"{at}/issues/{issue}/notes", {"body": "+1"})
    if me.chance(0.2):
        yield from me.get("/groups")


def stumble(me: Person) -> Task:
    """Everything a newcomer gets wrong, and at times right."""
    me.scenario = "stumble"
    projects = [project for project in me.world.projects if not project.spike]
    at = me.at(me.one_of(projects)) if projects else "/projects/1"
    tries: tuple[tuple[str, str, dict[str, str] | None], ...] = (
        ("GET", "/projects/99999", None),
        ("GET", "/project", None),
        ("POST", at + "/issues", {"description": "It is broken"}),
        ("POST", at + "/labels", {"name": "mine", "color": "#123456"}),
        ("POST", at + "/repository/branches", {"branch": "mine", "ref": "master"}),
        ("POST", "/projects", {"name": "mine", "visibility": "secret"}),
        ("PUT", at + "/merge_requests/1/merge", {}),
        ("DELETE", at, None),
        ("POST", at + "/merge_requests/1/approve", {}),
        ("PATCH", at, {"name": "x"}),
    )
    for method, path, body in me.random.sample(tries, 5):
        yield from me.send(method, path, {}, body)
    if me.chance(0.3):
        yield Send("nobody", "GET", "/user", scenario=me.scenario)
    yield from me.get("/user")


def first_project(me: Person) -> Task:
    """The newcomer practises at home, with a colleague to approve."""
    name = f"hello-{me.world.number('hello')}"
    answer = yield from found_project(me, name, group=None, maintainers=[], developers=["carol"])
    if answer.ok:
        project = me.world.projects[-1]
        yield from feature(me, project)
        me.scenario = "first_project"
        yield from me.post(me.at(project) + "/members", {"user_id": USER_IDS["carol"], "role": "developer"})
