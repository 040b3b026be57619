"""One person: how they send, hesitate, mistype and send twice."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from demo_traffic.schedule import Answer, Send, Spawn, Task, Wait
from demo_traffic.world import Project, World

T = TypeVar("T")
Asking = Generator[Send | Wait | Spawn, Answer | None, Answer]

SOMETIMES_TWICE = 0.03


@dataclass(slots=True)
class Person:
    """`scenario` is what they are at, for the truth file only."""

    name: str
    random: Random
    world: World
    uses_paths: bool = False
    scenario: str = ""

    def at(self, project: Project) -> str:
        """How this person spells a project: by number, or by path."""
        return project.by_path if self.uses_paths else project.by_id

    def get(self, path: str, **query: Any) -> Asking:
        answer = yield from self.send("GET", path, query)
        if self.random.random() < SOMETIMES_TWICE:
            answer = yield from self.send("GET", path, query)
        return answer

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Asking:
        return self.send("POST", path, {}, body)

    def put(self, path: str, body: Mapping[str, Any] | None = None) -> Asking:
        return self.send("PUT", path, {}, body)

    def delete(self, path: str) -> Asking:
        return self.send("DELETE", path, {})

    def send(
        self, method: str, path: str, query: Mapping[str, Any], body: Mapping[str, Any] | None = None
    ) -> Asking:
        """A request, its answer, and the seconds it takes to think about that."""
        answer = yield Send(self.name, method, path, query, body, self.scenario)
        assert answer is not None
        yield Wait(min(40.0, self.random.lognormvariate(1.3, 0.7)))
        return answer

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def one_of(self, items: Sequence[T]) -> T:
        return self.random.choice(items)

    def pause(self, least_minutes: float, most_minutes: float) -> Wait:
        return Wait(60 * self.random.uniform(least_minutes, most_minutes))

    def beside(self, task: Task) -> Spawn:
        return Spawn(task)
