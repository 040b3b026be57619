"""A little service with projects and notes, right in every way unless it is told otherwise; and plays of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from tests.unit.enhance.world import TEXT, World, thing
from tests.unit.fuzz.script import context_of, plan_of, play, player_of

from lobrest.fuzz.oracles.alarm import Alarm, Oracle, Prober, Seen
from lobrest.fuzz.play import Performance
from lobrest.model.exchange import Request, Response
from lobrest.model.operation import Answer, OperationId, Schema
from lobrest.model.seed import Seed

NOTES = "/projects/{id}/notes"
NOTE = f"{NOTES}/{{note_id}}"
PROJECT = thing("/projects", "15")
A_NOTE = thing(NOTES, "3", PROJECT)
NOTE_SCHEMA: Schema = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "text": TEXT},
    "required": ["id", "text"],
}
JSON = (("Content-Type", "application/json"),)


def world() -> World:
    """Projects with notes in them."""
    made = World()
    made.operation("POST /projects", body={"name": TEXT}, required=("name",))
    for method in ("GET", "DELETE"):
        made.operation(f"{method} /projects/{{id}}")
    made.resource("/projects", creators=("POST /projects",), identified_by="body/name")
    made.operation(f"POST {NOTES}", body={"text": TEXT}, required=("text",))
    made.operation(f"GET {NOTES}")
    for method in ("GET", "DELETE"):
        made.operation(f"{method} {NOTE}")
    made.operation(f"PUT {NOTE}", body={"text": TEXT}, required=("text",))
    made.resource(NOTES, parent="/projects", creators=(f"POST {NOTES}",))
    for operation in list(made.operations):
        template = operation.partition(" ")[2]
        if "{id}" in template:
            made.refers(operation, "path/id", "/projects", "id")
        if "{note_id}" in template:
            made.refers(operation, "path/note_id", NOTES, "id")
    for operation in (f"GET {NOTE}", f"PUT {NOTE}", f"POST {NOTES}"):
        declares(made, operation, "201" if operation.startswith("POST") else "200", NOTE_SCHEMA)
    return made


def declares(
    made: World, operation: str, status: str, schema: Schema, media: str = "application/json"
) -> None:
    """The answer with that status has that schema."""
    known = made.operations[OperationId(operation)]
    answers = {**known.answers, status: Answer({media: schema})}
    made.operations[known.id] = replace(known, answers=answers)


@dataclass(slots=True)
class Little:
    """The service. ``wrong`` names what it does wrong."""

    wrong: frozenset[str] = frozenset()
    projects: dict[int, tuple[str, str]] = field(default_factory=dict)
    """Owner and name."""
    notes: dict[int, tuple[int, str]] = field(default_factory=dict)
    """Project and text."""
    private: bool = True
    waits: int = 0
    """Reads of a new note that find nothing yet."""
    last: int = 100

    def __call__(self, request: Request) -> Response:
        method, parts = request.method, [part for part in request.target.split("?")[0].split("/") if part]
        broken = any(name == "Authorization" for name, _ in request.headers)
        let_in = broken and "any-login" in self.wrong
        let_in = let_in or ("open" in self.wrong and len(parts) == 4 and method == "GET")
        if not request.actor and not let_in:
            return told(401, {"message": "who are you?"})
        actor = request.actor or "root"
        body = json.loads(request.body) if request.body else {}
        if parts == ["projects"] and method == "POST":
            self.last += 1
            self.projects[self.last] = (actor, body["name"])
            return told(201, {"id": self.last, "name": body["name"]})
        number = int(parts[1]) if parts[1].isdigit() else 0
        owner, name = self.projects.get(number, ("", ""))
        through = len(parts) == 4 and ("shown" in self.wrong or actor == "root")
        if not owner or (self.private and actor != owner and not through):
            return told(404, {"message": "no project"})
        if len(parts) == 2:
            if method == "DELETE" and "stays" not in self.wrong:
                del self.projects[number]
            return told(204) if method == "DELETE" else told(200, {"id": number, "name": name})
        if method == "POST":
            self.last += 1
            if "forgets" not in self.wrong:
                self.notes[self.last] = (number, body.get("text", ""))
            return told(201, {"id": self.last, "text": body.get("text", "")})
        note = int(parts[3])
        where, text = self.notes.get(note, (0, ""))
        if where != number and not (where and "any-parent" in self.wrong):
            return told(404, {"message": "no note"})
        if method == "GET" and self.waits:
            self.waits -= 1
            return told(404, {"message": "not yet"})
        if method == "PUT":
            if actor != owner and "changed" not in self.wrong and not through:
                return told(403, {"message": "not yours"})
            self.notes[note] = (number, body.get("text", ""))
        if method == "DELETE":
            if "soft" in self.wrong:
                self.notes[note] = (number, "deleted")
            elif "stays" not in self.wrong:
                del self.notes[note]
            return told(204)
        return told(200, {"id": note, "text": text, "updated_at": str(self.last)})


def told(status: int, body: object = None) -> Response:
    """An answer in JSON."""
    return Response(
        status, JSON if body is not None else (), b"" if body is None else json.dumps(body).encode()
    )


def base(made: World, operation: str, *, user: str = "ann") -> Seed:
    """A flow that ends with an operation on a note or a project that it makes itself."""
    path = {}
    if "{id}" in operation:
        path["id"] = PROJECT
    if "{note_id}" in operation:
        path["note_id"] = A_NOTE
    body = {"text": "t"} if operation.startswith(("PUT", f"POST {NOTES}")) else None
    creates = A_NOTE if operation == f"POST {NOTES}" else None
    if operation == "POST /projects":
        body, creates = {"name": "p"}, PROJECT
    return made.complete(made.entry(operation, 5, path=path, body=body, user=user, creates=creates))


def performed(
    made: World, seed: Seed, service: Little, *, everybody: tuple[str, ...] = ("ann", "bo", "cy")
) -> Performance:
    """A flow played on the service."""
    parts = {str(user): str(user) if str(user) in everybody else everybody[0] for user in seed.users}
    return play(player_of(made), plan_of(made, seed, everybody=everybody, cast=parts), service)[0]


def judged(oracle: Oracle | Prober, performance: Performance, *, first_play: bool = False) -> list[Alarm]:
    """What an oracle says when it looks closely."""
    return list(oracle.told(Seen(performance, (True,) * len(performance.results), first_play=first_play)))


def probed(made: World, oracle: Prober, operation: str, service: Little) -> list[Alarm]:
    """What an oracle says after its own probe of an operation."""
    seed = oracle.probe(base(made, operation), context_of(made))
    assert seed is not None, operation
    return judged(oracle, performed(made, seed, service))


def answered(
    made: World, operation: str, response: Response, **arguments: Mapping[str, object]
) -> Performance:
    """A flow of one operation with one answer."""
    seed = made.complete(made.entry(operation, 1, **arguments))  # type: ignore[arg-type]
    last = seed.steps[-1].entry.operation

    def service(request: Request) -> Response:
        return response if request.operation == last else told(200, {"id": 7})

    return play(player_of(made), plan_of(made, seed), service)[0]


def kinds(alarms: Iterable[Alarm]) -> Iterator[str]:
    return (str(one.key.kind) for one in alarms)
