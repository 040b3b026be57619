"""Developers, reviewers and those who merge."""

from __future__ import annotations

from demo_traffic.person import Asking, Person
from demo_traffic.schedule import Task
from demo_traffic.world import USER_IDS, Change, Project

AREAS = ("cart", "login", "search", "invoice", "export", "profile", "webhook", "cache", "report", "upload")
VERBS = (
    "Fix rounding in",
    "Add retries to",
    "Speed up",
    "Rework",
    "Validate input of",
    "Document",
    "Add tests for",
)
NAMES = ("checkout", "inventory", "billing", "notifier", "gateway", "ledger", "catalog", "mailer", "sessions")
REMARKS = (
    "Looks good so far",
    "Could we add a test?",
    "Why not reuse the old helper?",
    "Nice!",
    "Please rename this",
)


def found_project(
    me: Person,
    name: str,
    *,
    group: str | None,
    maintainers: list[str],
    developers: list[str],
    **settings: object,
) -> Asking:
    """Creates a project, brings the people in and gives it its first labels."""
    me.scenario = "found_project"
    body = {"name": name, **({"namespace": group} if group else {}), **settings}
    answer = yield from me.post("/projects", body)
    if not answer.ok:
        return answer
    project = Project(answer.body["id"], answer.body["path_with_namespace"], name, [me.name], [])
    for person in maintainers:
        yield from me.post(me.at(project) + "/members", {"user_id": USER_IDS[person], "role": "maintainer"})
        project.maintainers.append(person)
    for person in developers:
        yield from me.post(me.at(project) + "/members", {"user_id": USER_IDS[person], "role": "developer"})
        project.developers.append(person)
    if me.chance(0.5):
        yield from me.get(me.at(project) + "/members")
    me.world.projects.append(project)
    return answer


def push(me: Person, project: Project, branch: str) -> Asking:
    number = me.world.number("file")
    actions = [
        {
            "action": "create",
            "file_path": f"src/{me.one_of(AREAS)}_{number}.py",
            "content": f"value = {number}\n",
        }
    ]
    if me.chance(0.3):
        actions.append(
            {"action": "update", "file_path": "README.md", "content": f"# {project.name} {number}\n"}
        )
    message = f"{me.one_of(VERBS)} {me.one_of(AREAS)}"
    return me.post(
        me.at(project) + "/repository/commits",
        {"branch": branch, "commit_message": message, "actions": actions},
    )


def open_change(me: Person, project: Project) -> Asking:
    """Branch, commits, merge request; puts it where reviewers look."""
    at = me.at(project)
    if me.chance(0.4):
        yield from me.get(at + "/repository/branches")
    number = me.world.number("branch")
    branch = f"{me.one_of(('feature', 'fix', 'chore'))}/{number}-{me.one_of(AREAS)}"
    answer = yield from me.post(at + "/repository/branches", {"branch": branch, "ref": "main"})
    if me.chance(0.08):  # impatient: the second click finds the name taken
        yield from me.post(at + "/repository/branches", {"branch": branch, "ref": "main"})
    if me.chance(0.08) and me.name in project.developers:
        yield from push(me, project, "main")
    for _ in range(me.one_of((1, 1, 2, 3))):
        answer = yield from push(me, project, branch)
    body: dict[str, object] = {
        "title": f"{me.one_of(VERBS)} {me.one_of(AREAS)}",
        "source_branch": branch,
        "target_branch": "main",
    }
    if me.chance(0.1):
        yield from me.post(at + "/merge_requests", {"source_branch": branch, "target_branch": "main"})
    if me.chance(0.06):
        yield from me.post(at + "/merge_requests", body | {"target_branch": branch})
    if me.chance(0.35):
        body["description"] = f"See #{number}"
    if project.labels and me.chance(0.4):
        body |= {"labels": [me.one_of(project.labels)]}
    if project.milestones and me.chance(0.25):
        body |= {"milestone_id": me.one_of(list(project.milestones))}
    if me.chance(0.2):
        body |= {"assignee_id": USER_IDS[me.name]}
    sha = answer.body["id"]
    answer = yield from me.post(at + "/merge_requests", body)
    if answer.ok:
        change = Change(project, answer.body["iid"], me.name, branch, sha)
        me.world.changes.append(change)
        yield from me.get(f"{at}/merge_requests/{change.iid}")
    return answer


def feature(me: Person, project: Project | None = None) -> Task:
    projects = me.world.shared(me.name)
    if project is None and not projects:
        return
    project = project or me.one_of(projects)
    me.scenario = "feature"
    if me.chance(0.5):
        yield from me.get(me.at(project))
    if project.issues and me.chance(0.3):
        yield from me.get(f"{me.at(project)}/issues/{me.one_of(project.issues)}")
    answer = yield from open_change(me, project)
    if answer.ok:
        again = Person(me.name, me.random, me.world, me.uses_paths, "follow_up")
        yield me.beside(follow_up(again, me.world.changes[-1]))


def follow_up(me: Person, change: Change) -> Task:
    """Looks after an open merge request until it is merged, or given up."""
    at = f"{me.at(change.project)}/merge_requests/{change.iid}"
    if me.chance(0.1):
        yield from me.put(at, {"title": f"Draft: {me.one_of(VERBS)} {me.one_of(AREAS)}"})
    if me.chance(0.12) and not change.being_reviewed and not change.approved:
        change.closed = True
        yield from me.put(at, {"state_event": "close"})
        yield me.pause(3, 30)
        if me.chance(0.3):
            return
        yield from me.put(at, {"state_event": "reopen"})
        change.closed = False
    for _ in range(8):
        yield me.pause(8, 40)
        if change.merged:
            yield from me.get(at)
            return
        if change.wants_changes:
            yield from me.get(at + "/notes")
            answer = yield from push(me, change.project, change.branch)
            if answer.ok:
                change.sha = answer.body["id"]
            yield from me.post(at + "/notes", {"body": "Done, please look again"})
            change.wants_changes = False
            continue
        answer = yield from me.get(at + "/approvals")
        if change.approved and me.name in change.project.maintainers and not change.merged:
            yield from merge(me, change)
            return
        if not change.approved and me.chance(0.1):
            yield from me.put(at + "/merge", {})  # not approved yet: refused


def review(me: Person, change: Change | None = None) -> Task:
    waiting = me.world.to_review(me.name)
    if change is None and not waiting:
        projects = me.world.shared(me.name)
        if projects:
            me.scenario = "look_for_reviews"
            yield from me.get(me.at(me.one_of(projects)) + "/merge_requests", state="opened")
        return
    change = change or me.one_of(waiting)
    me.scenario = "review"
    change.being_reviewed = True
    at = f"{me.at(change.project)}/merge_requests"
    if me.chance(0.5):
        yield from me.get(at, state="opened", per_page=50)
    yield from me.get(f"{at}/{change.iid}")
    yield from me.get(f"{at}/{change.iid}/commits")
    if me.chance(0.6):
        yield from me.post(f"{at}/{change.iid}/notes", {"body": me.one_of(REMARKS)})
    change.being_reviewed = False
    if me.chance(0.25):
        yield from me.post(f"{at}/{change.iid}/notes", {"body": "Please change this before I approve"})
        change.wants_changes = True
        return
    if change.closed:
        return
    change.approved = True
    answer = yield from me.post(f"{at}/{change.iid}/approve", {"sha": change.sha} if me.chance(0.3) else {})
    change.approved = answer.ok
    if answer.ok and me.chance(0.1):
        yield from me.post(f"{at}/{change.iid}/approve", {})  # clicked twice


def merge(me: Person, change: Change) -> Asking:
    at = f"{me.at(change.project)}/merge_requests/{change.iid}"
    options: dict[str, object] = {}
    if me.chance(0.45):
        options["squash"] = True
    if me.chance(0.5):
        options["should_remove_source_branch"] = True
    if me.chance(0.2):
        options["merge_commit_message"] = f"Merge {change.branch}"
    if me.chance(0.2):
        options["sha"] = change.sha
    change.merged = True
    answer = yield from me.put(at + "/merge", options)
    if not answer.ok:
        change.merged, change.approved = False, answer.status != 422
        return answer
    change.project.merges += 1
    if me.chance(0.5):
        yield from me.get(at)
    if "squash" not in options and me.chance(0.12):
        me.scenario = "regret"
        yield me.pause(1, 5)
        yield from me.post(at + "/revert", {"branch": change.target} if me.chance(0.5) else {})
    if "should_remove_source_branch" not in options and me.chance(0.5):
        yield from me.delete(
            f"{me.at(change.project)}/repository/branches/{change.branch.replace('/', '%2F')}"
        )
    return answer


def merge_queue(me: Person) -> Task:
    """A maintainer merges what others have approved."""
    waiting = me.world.to_merge(me.name)
    if not waiting:
        yield from review(me)
        return
    change = me.one_of(waiting)
    me.scenario = "merge_queue"
    at = f"{me.at(change.project)}/merge_requests/{change.iid}"
    yield from me.get(at)
    if me.chance(0.6):
        yield from me.get(at + "/approvals")
    if not change.merged:
        yield from merge(me, change)


def spike(me: Person, partner: Person) -> Task:
    """A throw-away project of two people, from its creation to its end."""
    number = me.world.number("spike")
    lone = me.chance(0.3)
    settings = {"approvals_required": 0} if lone else {}
    answer = yield from found_project(
        me,
        f"spike-{me.one_of(NAMES)}-{number}",
        group=None,
        maintainers=[],
        developers=[partner.name],
        **settings,
    )
    if not answer.ok:
        return
    project = me.world.projects[-1]
    project.spike = True
    me.scenario = "spike"
    for _ in range(me.one_of((1, 1, 2))):
        answer = yield from open_change(me, project)
        if not answer.ok:
            return
        change = me.world.changes[-1]
        change.being_reviewed = True  # nobody else is to take it
        if not lone:
            yield me.pause(0.2, 2)
            colleague = Person(partner.name, partner.random, me.world, partner.uses_paths, "spike_review")
            yield me.beside(quick_approval(colleague, change))
            for _ in range(20):
                yield me.pause(0.2, 1)
                if change.approved:
                    break
            yield from me.get(f"{me.at(project)}/merge_requests/{change.iid}/approvals")
        yield from merge(me, change)
    yield from spike_end(me, project)


def quick_approval(me: Person, change: Change) -> Task:
    at = f"{me.at(change.project)}/merge_requests/{change.iid}"
    yield from me.get(at)
    if me.chance(0.4):
        yield from me.post(at + "/notes", {"body": me.one_of(REMARKS)})
    answer = yield from me.post(at + "/approve", {})
    change.approved = answer.ok


def spike_end(me: Person, project: Project) -> Task:
    me.scenario = "spike_end"
    if me.chance(0.4):
        body = {"tag_name": f"v0.{project.id}", "ref": "main", "description": "First try"}
        yield from me.post(me.at(project) + "/releases", body)
    if me.chance(0.35):
        yield from me.put(me.at(project), {"description": "Done with it", "visibility": "private"})
    if me.chance(0.4):
        yield from me.post(me.at(project) + "/archive")
    elif me.chance(0.4):
        yield me.pause(2, 20)
        yield from me.delete(me.at(project))
        me.world.projects.remove(project)
