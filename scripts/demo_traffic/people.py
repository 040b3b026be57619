"""Who works here, what they do all day, and how often."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from demo_traffic.development import feature, merge_queue, review, spike
from demo_traffic.operations import (
    build,
    govern,
    hook_round,
    new_service,
    onboard,
    release,
    renew_token,
    reorganise,
)
from demo_traffic.person import Person
from demo_traffic.planning import end_sprint, move_issue, plan_sprint, report_issue, work_on_issues
from demo_traffic.reading import browse, first_project, stumble
from demo_traffic.schedule import Schedule, Task, Wait
from demo_traffic.world import USER_IDS, World

HOUR = 3600.0
DAY = 24 * HOUR
MORNING, EVENING = 8.5 * HOUR, 17.5 * HOUR

AGENTS = {
    "root": "curl/8.5.0",
    "ci-bot": "python-requests/2.32.3",
    "frank": "glab/v1.40.0 (linux, amd64)",
    "nina": "PostmanRuntime/7.39.0",
    "nobody": "curl/8.5.0",
}
BROWSER = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36"

Habit = tuple[int, Callable[[], Task]]


def agent(user: str) -> str:
    return AGENTS.get(user, BROWSER)


def address(user: str) -> str:
    return f"10.20.0.{10 + USER_IDS.get(user, 90)}"


def company(seed: int, world: World) -> dict[str, Person]:
    by_path = {"frank", "ci-bot", "victor", "peggy"}
    return {
        name: Person(name, Random(f"{seed} {name}"), world, uses_paths=name in by_path)
        for name in sorted(USER_IDS)
    }


def habits(people: dict[str, Person]) -> dict[str, tuple[float, list[Habit]]]:
    """For each person: minutes between tasks at most, and what they do with which weight."""
    alice, bob, carol, dave = (people[name] for name in ("alice", "bob", "carol", "dave"))
    erin, frank, oscar, peggy = (people[name] for name in ("erin", "frank", "oscar", "peggy"))
    root, nina, victor, robot = (people[name] for name in ("root", "nina", "victor", "ci-bot"))

    def developer(me: Person, partner: Person) -> list[Habit]:
        return [
            (6, lambda: feature(me)),
            (5, lambda: review(me)),
            (4, lambda: spike(me, partner)),
            (2, lambda: work_on_issues(me)),
            (1, lambda: renew_token(me)),
        ]

    def maintainer(me: Person, group: str, team: list[str]) -> list[Habit]:
        return [
            (7, lambda: merge_queue(me)),
            (5, lambda: govern(me)),
            (2, lambda: hook_round(me)),
            (1, lambda: new_service(me, group, team)),
            (1, lambda: reorganise(me, group)),
        ]

    return {
        "alice": (32, developer(alice, bob)),
        "bob": (32, developer(bob, alice)),
        "oscar": (32, developer(oscar, peggy)),
        "peggy": (32, developer(peggy, oscar)),
        "carol": (18, [(6, lambda: review(carol)), (5, lambda: merge_queue(carol))]),
        "dave": (24, maintainer(dave, "platform", ["alice", "bob"])),
        "frank": (24, [*maintainer(frank, "storefront", ["oscar", "peggy"]), (8, lambda: release(frank))]),
        "erin": (
            20,
            [
                (4, lambda: plan_sprint(erin)),
                (7, lambda: work_on_issues(erin)),
                (3, lambda: end_sprint(erin)),
                (2, lambda: report_issue(erin)),
                (2, lambda: move_issue(erin)),
            ],
        ),
        "ci-bot": (10, [(1, lambda: build(robot))]),
        "root": (90, [(1, lambda: onboard(root))]),
        "victor": (40, [(6, lambda: browse(victor)), (1, lambda: report_issue(victor))]),
        "nina": (
            45,
            [(4, lambda: stumble(nina)), (2, lambda: first_project(nina)), (2, lambda: browse(nina))],
        ),
    }


def start_work(people: dict[str, Person], schedule: Schedule, start: float, days: int) -> None:
    """Puts everybody's days into the schedule; the first hour founds the lasting projects."""
    dave, frank = people["dave"], people["frank"]
    schedule.add(founding(dave, "platform", ["alice", "bob"], 4), start + MORNING)
    schedule.add(founding(frank, "storefront", ["oscar", "peggy"], 3), start + MORNING + 120)
    for name, (minutes, choices) in habits(people).items():
        schedule.add(career(people[name], schedule, start, days, minutes, choices), start + MORNING + 600)


def founding(me: Person, group: str, team: list[str], projects: int) -> Task:
    for _ in range(projects):
        yield from new_service(me, group, team)
        yield me.pause(0.5, 2)


def career(
    me: Person, schedule: Schedule, start: float, days: int, minutes: float, choices: list[Habit]
) -> Task:
    """Every day from about nine to about half past five, one thing after the other."""
    weights = [weight for weight, _ in choices]
    for first, last in office_hours(me.random, start, days):
        if schedule.now < first:
            yield Wait(first - schedule.now)
        while schedule.now < last:
            (_, begin), *_ = me.random.choices(choices, weights)
            yield from begin()
            yield me.pause(minutes / 5, minutes * 1.15)


def office_hours(random: Random, start: float, days: int) -> Iterator[tuple[float, float]]:
    for day in range(days):
        begin = start + day * DAY
        yield begin + MORNING + random.uniform(0.2, 1) * HOUR, begin + EVENING + random.uniform(-1, 1) * HOUR
