"""The product manager: labels, milestones, issues."""

from __future__ import annotations

import datetime

from demo_traffic.development import AREAS
from demo_traffic.person import Person
from demo_traffic.schedule import Task
from demo_traffic.world import USER_IDS, Project

LABELS = (
    ("bug", "#d9534f"),
    ("feature", "#5cb85c"),
    ("backend", "#428bca"),
    ("urgent", "#ff0000"),
    ("ux", "#7f8c8d"),
)
COMMENTS = ("Any news?", "Customers ask for this", "I can reproduce it", "Moved to the next sprint", "+1")
FIRST_DAY = datetime.date(2026, 3, 2)


def day(me: Person, least: int, most: int) -> str:
    return str(FIRST_DAY + datetime.timedelta(days=me.random.randint(least, most)))


def label_project(me: Person, project: Project) -> Task:
    me.scenario = "label_project"
    for name, color in me.random.sample(LABELS, 3):
        answer = yield from me.post(me.at(project) + "/labels", {"name": name, "color": color})
        if answer.ok:
            project.labels.append(name)


def plan_sprint(me: Person) -> Task:
    """A milestone and the issues that go into it."""
    project = me.one_of(me.world.shared(me.name))
    me.scenario = "plan_sprint"
    at = me.at(project)
    if len(project.labels) < 3:
        yield from label_project(me, project)
    title = f"Sprint {me.world.number('sprint')}"
    body: dict[str, object] = {"title": title, "due_date": day(me, 10, 30)}
    if me.chance(0.4):
        body["start_date"] = day(me, 0, 7)
    if me.chance(0.12):
        yield from me.post(at + "/milestones", {"title": title, "due_date": "next friday"})
    answer = yield from me.post(at + "/milestones", body)
    if not answer.ok:
        return
    milestone = answer.body["id"]
    project.milestones[milestone] = title
    for _ in range(me.random.randint(1, 4)):
        yield from report(me, project, milestone)
    yield from me.get(at + "/issues", milestone_id=milestone)
    if me.chance(0.25):
        yield from me.get(at + "/milestones", state="active")


def report(me: Person, project: Project, milestone: int | None = None) -> Task:
    body: dict[str, object] = {
        "title": f"{me.one_of(AREAS).capitalize()} does not work {me.world.number('issue')}"
    }
    if me.chance(0.5):
        body["description"] = "Steps: open, click, wait"
    if milestone is not None:
        body["milestone_id"] = milestone
    if project.labels and me.chance(0.6):
        body["labels"] = me.random.sample(project.labels, min(len(project.labels), me.one_of((1, 1, 2))))
    if me.chance(0.5):
        body["assignee_id"] = USER_IDS[me.one_of(project.people)]
    if me.chance(0.3):
        body["due_date"] = day(me, 3, 40)
    answer = yield from me.post(me.at(project) + "/issues", body)
    if answer.ok:
        project.issues.append(answer.body["iid"])
        if milestone is not None:
            project.with_milestone.add(answer.body["iid"])


def report_issue(me: Person) -> Task:
    projects = me.world.shared(me.name) or [project for project in me.world.projects if not project.spike]
    if projects:
        me.scenario = "report_issue"
        yield from report(me, me.one_of(projects))


def work_on_issues(me: Person) -> Task:
    """Looks through the open issues of a project and brings one forward."""
    projects = [project for project in me.world.shared(me.name) if project.issues]
    if not projects:
        return
    project = me.one_of(projects)
    me.scenario = "work_on_issues"
    query: dict[str, object] = {"state": "opened"}
    if project.labels and me.chance(0.3):
        query["labels"] = me.one_of(project.labels)
    if project.milestones and me.chance(0.3):
        query["milestone_id"] = me.one_of(list(project.milestones))
    if me.chance(0.2):
        query["search"] = me.one_of(AREAS)
    yield from me.get(me.at(project) + "/issues", **query)
    issue = me.one_of(project.issues)
    at = f"{me.at(project)}/issues/{issue}"
    yield from me.get(at)
    if me.chance(0.4):
        yield from me.get(at + "/notes")
    if me.chance(0.6):
        yield from me.post(at + "/notes", {"body": me.one_of(COMMENTS)})
    if me.chance(0.3):
        yield from me.post(at + "/notes", {"body": quick_action(me, project)})
    if me.chance(0.3):
        yield from me.put(at, {"assignee_id": USER_IDS[me.one_of(project.people)]})
    if me.chance(0.15):
        yield from me.put(at, {"due_date": day(me, 5, 40)})
    if me.chance(0.35) and issue in project.issues:
        project.issues.remove(issue)
        yield from me.put(at, {"state_event": "close"})
        if me.chance(0.25):
            yield from me.put(at, {"state_event": "reopen"})
            project.issues.append(issue)
        elif me.chance(0.4):
            yield from me.post(at + "/notes", {"body": "Fixed in main"})


def quick_action(me: Person, project: Project) -> str:
    choices = ["/unassign", f"/assign @{me.one_of(project.people)}"]
    if project.labels:
        choices += [f"/label ~{me.one_of(project.labels)}"] * 2
    return me.one_of(choices)


def end_sprint(me: Person) -> Task:
    """Closes a milestone, or drops one that was a mistake."""
    projects = [project for project in me.world.shared(me.name) if len(project.milestones) > 1]
    if not projects:
        yield from plan_sprint(me)
        return
    project = me.one_of(projects)
    me.scenario = "end_sprint"
    milestone = me.one_of(sorted(project.milestones))
    del project.milestones[milestone]
    at = f"{me.at(project)}/milestones/{milestone}"
    yield from me.get(me.at(project) + "/issues", milestone_id=milestone, state="opened")
    if me.chance(0.25):
        yield from me.delete(at)
        return
    yield from me.put(at, {"state_event": "close"})
    if me.chance(0.3):
        body = {"title": "Late wish", "milestone_id": milestone}
        yield from me.post(me.at(project) + "/issues", body)  # closed milestones take no issues


def move_issue(me: Person) -> Task:
    """An issue was filed in the wrong project."""
    projects = me.world.shared(me.name)
    movable = [
        (project, issue)
        for project in projects
        for issue in project.issues
        if issue not in project.with_milestone
    ]
    if not movable or len(projects) < 2:
        return
    project, issue = me.one_of(movable)
    other = me.one_of([candidate for candidate in projects if candidate is not project])
    me.scenario = "move_issue"
    yield from me.get(f"{me.at(project)}/issues/{issue}")
    if issue not in project.issues:
        return
    project.issues.remove(issue)
    answer = yield from me.post(f"{me.at(project)}/issues/{issue}/move", {"to_project_id": other.id})
    if answer.ok:
        other.issues.append(answer.body["iid"])
