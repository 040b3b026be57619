"""Maintainers, the release manager, the build robot and the administrator."""

from __future__ import annotations

from demo_traffic.development import NAMES, found_project
from demo_traffic.person import Person
from demo_traffic.planning import label_project
from demo_traffic.schedule import Task
from demo_traffic.world import USER_IDS, Project

EVENTS = ("push_events", "issues_events", "merge_requests_events")


def new_service(me: Person, group: str, team: list[str]) -> Task:
    """A lasting project in a group whose members are in it already."""
    name = f"{me.one_of(NAMES)}-{me.world.number('service')}"
    answer = yield from found_project(
        me, name, group=group, maintainers=["carol"], developers=["erin", "ci-bot"], description="Owned by us"
    )
    if not answer.ok:
        return
    project = me.world.projects[-1]
    project.developers += team
    yield from label_project(me, project)
    if me.chance(0.4):
        yield from me.put(me.at(project), {"merge_requires_success": False, "approvals_required": 1})
    yield from add_hook(me, project)


def add_hook(me: Person, project: Project) -> Task:
    me.scenario = "add_hook"
    wanted = me.random.sample(EVENTS, me.one_of((1, 2)))
    body: dict[str, object] = {"url": f"https://hooks.smithy.example/{project.id}", "token": "s3cret"}
    body |= {event: event in wanted for event in EVENTS}
    if me.chance(0.15):
        yield from me.post(me.at(project) + "/hooks", {"url": "hooks.smithy.example"})
    answer = yield from me.post(me.at(project) + "/hooks", body)
    if answer.ok:
        project.hooks.append(answer.body["id"])
        yield from me.post(f"{me.at(project)}/hooks/{answer.body['id']}/test", {"trigger": me.one_of(wanted)})


def hook_round(me: Person) -> Task:
    projects = [project for project in me.world.shared(me.name) if me.name in project.maintainers]
    if not projects:
        return
    project = me.one_of(projects)
    me.scenario = "hook_round"
    yield from me.get(me.at(project) + "/hooks")
    if len(project.hooks) < 3:
        yield from add_hook(me, project)


def govern(me: Person) -> Task:
    """Members come, change and go."""
    projects = [project for project in me.world.shared(me.name) if me.name in project.maintainers]
    if not projects:
        return
    project = me.one_of(projects)
    me.scenario = "govern"
    at = me.at(project) + "/members"
    yield from me.get(at)
    guest = me.one_of(("victor", "nina"))
    answer = yield from me.post(at, {"user_id": USER_IDS[guest], "role": me.one_of(("guest", "developer"))})
    yield me.pause(1, 30)
    if not answer.ok:
        return
    if me.chance(0.5):
        yield from me.put(f"{at}/{USER_IDS[guest]}", {"role": me.one_of(("guest", "developer"))})
    if me.chance(0.6):
        yield me.pause(2, 60)
        yield from me.delete(f"{at}/{USER_IDS[guest]}")


def reorganise(me: Person, group: str) -> Task:
    """A project started at home moves into the group."""
    answer = yield from found_project(
        me,
        f"{me.one_of(NAMES)}-{me.world.number('service')}",
        group=None,
        maintainers=[],
        developers=["erin"],
    )
    if not answer.ok:
        return
    project = me.world.projects[-1]
    me.world.projects.remove(project)
    me.scenario = "reorganise"
    yield me.pause(1, 10)
    if me.chance(0.3):
        yield from me.post(me.at(project) + "/transfer", {"namespace": "no-such-group"})
    answer = yield from me.post(project.by_id + "/transfer", {"namespace": group})
    if answer.ok:
        project.path = answer.body["path_with_namespace"]
        yield from me.get(project.by_path)


def release(me: Person) -> Task:
    """A branch for the release, protected, a last commit, the tag."""
    projects = [
        project for project in me.world.shared(me.name) if me.name in project.maintainers and project.merges
    ]
    if not projects:
        return
    project = me.one_of(projects)
    me.scenario = "release"
    at = me.at(project)
    project.releases += 1
    version = f"1.{project.releases}"
    yield from me.get(at + "/repository/commits", ref_name="main", per_page=10)
    ref = "main"
    if me.chance(0.6):
        ref = f"release/{version}"
        yield from me.post(at + "/repository/branches", {"branch": ref, "ref": "main"})
        yield from me.put(f"{at}/repository/branches/release%2F{version}/protect")
        actions = [{"action": "create", "file_path": f"VERSION-{version}", "content": version}]
        body: dict[str, object] = {"branch": ref, "commit_message": f"Prepare {version}", "actions": actions}
        yield from me.post(at + "/repository/commits", body)
        yield from me.get(f"{at}/repository/branches/release%2F{version}")
    body = {"tag_name": f"v{version}", "ref": ref}
    if me.chance(0.6):
        body |= {"name": f"Release {version}", "description": "What is new"}
    if project.milestones and me.chance(0.4):
        body["milestones"] = [me.one_of(list(project.milestones.values()))]
    if me.chance(0.1):
        yield from me.post(at + "/releases", body | {"ref": "relase/typo"})
    answer = yield from me.post(at + "/releases", body)
    if answer.ok:
        yield from me.get(f"{at}/releases/v{version}")
    if me.chance(0.4):
        yield from me.get(at + "/releases")


def build(me: Person) -> Task:
    """The robot builds what is new: pending, running, and how it ended."""
    me.scenario = "build"
    new = [
        change
        for change in me.world.changes
        if change.sha not in me.world.built and me.name in change.project.people and not change.merged
    ]
    for change in new[:3]:
        me.world.built.add(change.sha)
        at = f"{me.at(change.project)}/statuses/{change.sha}"
        end = "failed" if me.chance(0.15) else "success"
        name = me.one_of(("build", "test", "lint"))
        for state in ("pending", "running", end):
            body = {"state": state, "name": name}
            if state == end:
                body["target_url"] = f"https://ci.smithy.example/{change.sha[:8]}"
            yield from me.post(at, body)
            yield me.pause(0.1, 2)
    if not new and me.world.shared(me.name):
        yield from me.get(me.at(me.one_of(me.world.shared(me.name))) + "/repository/branches", per_page=100)


def onboard(me: Person) -> Task:
    """A new colleague, and now and then a new group."""
    me.scenario = "onboard"
    number = me.world.number("colleague")
    username = f"{me.one_of(('kim', 'lee', 'ana', 'max', 'zoe'))}{number}"
    body = {"username": username, "name": username.capitalize(), "email": f"{username}@smithy.example"}
    yield from me.get("/users", search=username[:3])
    if me.chance(0.2):
        yield from me.post("/users", body)
    answer = yield from me.post("/users", body | {"password": "correct horse"})
    if not answer.ok:
        return
    if me.chance(0.5) or not me.world.groups:
        group = f"team-{me.world.number('group')}"
        created = yield from me.post("/groups", {"path": group, "name": group.capitalize()})
        if created.ok:
            me.world.groups.append(group)
    group = me.one_of(me.world.groups)
    yield from me.post(f"/groups/{group}/members", {"user_id": answer.body["id"], "role": "developer"})
    yield from me.get(f"/groups/{group}/members")
    if me.chance(0.3):
        yield from me.get(f"/groups/{group}")


def renew_token(me: Person) -> Task:
    me.scenario = "renew_token"
    yield from me.get("/tokens")
    yield from me.post("/tokens", {"name": f"laptop {me.world.number('token')}", "scopes": ["api"]})
