"""Made-up services, written by hand: a document, its analysis, and entries of a log."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import TypeAlias

from lobrest.enhance.complete import Completer
from lobrest.enhance.people import People
from lobrest.enhance.recipes import Recipe
from lobrest.enhance.values import ValueMaker
from lobrest.model.corpus import Corpus
from lobrest.model.entry import Arguments, LogEntry, Place, UserId
from lobrest.model.operation import (
    ApiSpec,
    Json,
    Location,
    Method,
    Operation,
    OperationId,
    Parameter,
    ParameterRef,
    RequestBody,
    Schema,
)
from lobrest.model.resource import (
    Binding,
    Creation,
    Dependency,
    Resource,
    ResourceInstance,
    ResourceModel,
    ResourceName,
    Retrieval,
    Source,
)
from lobrest.model.seed import Origin, Seed
from lobrest.model.slice import Slice

TEXT: Schema = {"type": "string"}
Value: TypeAlias = "Json | ResourceInstance"


def ref(operation: str, place: str) -> ParameterRef:
    """``ref("GET /things/{id}", "path/id")``."""
    location, _, name = place.partition("/")
    return ParameterRef(OperationId(operation), Location(location), name)


def thing(resource: str, value: str, parent: ResourceInstance | None = None) -> ResourceInstance:
    return ResourceInstance(ResourceName(resource), value, parent)


class World:
    """Declares operations, resources and what refers to what; ``spec`` and ``model`` are the result."""

    def __init__(self) -> None:
        self.operations: dict[OperationId, Operation] = {}
        self.resources: dict[ResourceName, Resource] = {}
        self.creations: dict[OperationId, Creation] = {}
        self.retrievals: dict[OperationId, Retrieval] = {}
        self.dependencies: dict[ParameterRef, Dependency] = {}
        self.acting: set[ResourceName] = set()
        self._lines = 0

    @property
    def spec(self) -> ApiSpec:
        return ApiSpec("made up", "1", self.operations)

    @property
    def model(self) -> ResourceModel:
        return ResourceModel(
            "made up",
            self.resources,
            self.creations,
            self.retrievals,
            self.dependencies,
            frozenset(self.acting),
        )

    def operation(
        self,
        name: str,
        *,
        body: Mapping[str, Schema] | None = None,
        required: tuple[str, ...] = (),
        query: Mapping[str, Schema] | None = None,
        header: Mapping[str, Schema] | None = None,
        cookie: Mapping[str, Schema] | None = None,
        media: str = "application/json",
        summary: str = "",
        operation_id: str = "",
        tags: tuple[str, ...] = (),
        path: Schema = TEXT,
    ) -> OperationId:
        """An operation; names in ``required`` are of the body, the query or headers."""
        operation = OperationId(name)
        method, _, template = name.partition(" ")
        declared = [
            Parameter(ParameterRef(operation, Location.PATH, part.strip("{}")), True, path)
            for part in template.split("/")
            if part.startswith("{")
        ]
        for location, fields in (
            (Location.QUERY, query),
            (Location.HEADER, header),
            (Location.COOKIE, cookie),
        ):
            declared.extend(
                Parameter(ParameterRef(operation, location, field), field in required, schema)
                for field, schema in (fields or {}).items()
            )
        taken = None
        if body is not None:
            schema: dict[str, Json] = {
                "type": "object",
                "properties": {field: dict(inner) for field, inner in body.items()},
                "required": [field for field in required if field in body],
            }
            taken = RequestBody(True, {media: schema})
        self.operations[operation] = Operation(
            operation,
            Method(method),
            template,
            tuple(declared),
            taken,
            tags=tags,
            summary=summary,
            operation_id=operation_id,
        )
        return operation

    def resource(
        self,
        name: str,
        *,
        parent: str | None = None,
        creators: tuple[str, ...] = (),
        listers: tuple[str, ...] = (),
        identified_by: str = "",
        acting: bool = False,
    ) -> ResourceName:
        """A resource; ``identified_by`` is the place of its identity in the requests of its creators."""
        resource = ResourceName(name)
        self.resources[resource] = Resource(
            resource,
            ResourceName(parent) if parent else None,
            tuple(OperationId(one) for one in creators),
            tuple(OperationId(one) for one in listers),
        )
        for creator in creators:
            identity = (ref(creator, identified_by),) if identified_by else ()
            self.creations[OperationId(creator)] = Creation(
                OperationId(creator), resource, identified_by=identity
            )
        for lister in listers:
            self.retrievals[OperationId(lister)] = Retrieval(OperationId(lister), resource)
        if acting:
            self.acting.add(resource)
        return resource

    def refers(self, operation: str, place: str, resource: str, *pointers: str) -> None:
        """A parameter that names a resource; the pointers lead into its creator's answer or its list."""
        where = ref(operation, place)
        found = pointers or ("id",)
        bindings = [Binding(Source.RESPONSE, one) for one in found]
        bindings += [Binding(Source.LIST, one) for one in found]
        self.dependencies[where] = Dependency(where, ResourceName(resource), tuple(bindings))

    def entry(
        self,
        operation: str,
        at: float = 0.0,
        *,
        path: Mapping[str, Value] | None = None,
        query: Mapping[str, Value] | None = None,
        body: Mapping[str, Value] | None = None,
        user: str = "ann",
        status: int = 200,
        creates: ResourceInstance | None = None,
        logged: bool = True,
        body_known: bool = True,
    ) -> LogEntry:
        """A request of the log; a value that is an instance is used by the request."""
        uses: dict[ParameterRef, ResourceInstance] = {}
        written: dict[str, dict[str, Json]] = {}
        for location, values in (("path", path), ("query", query), ("body", body)):
            written[location] = {}
            for name, value in (values or {}).items():
                if isinstance(value, ResourceInstance):
                    uses[ref(operation, f"{location}/{name}")] = value
                    value = value.value
                written[location][name] = value
        self._lines += 1
        arguments = Arguments(
            path={name: str(value) for name, value in written["path"].items()},
            query=written["query"],
            body=written["body"] if body is not None else None,
            has_body=body is not None,
            body_known=body_known,
        )
        place = Place("access.log", self._lines) if logged else None
        return LogEntry(at, OperationId(operation), arguments, UserId(user), status, uses, creates, place)

    def values(self, corpus: Corpus | None = None, seed: int = 0) -> ValueMaker:
        return ValueMaker(self.spec, corpus or Corpus(), random.Random(seed), now=1_700_000_000.0)

    def completer(
        self,
        *,
        corpus: Corpus | None = None,
        people: People | None = None,
        recipes: Mapping[OperationId, Recipe] | None = None,
        scores: Mapping[OperationId, float] | None = None,
        held_back: frozenset[OperationId] = frozenset(),
    ) -> Completer:
        return Completer(
            self.spec,
            self.model,
            self.values(corpus),
            people=people,
            recipes=recipes,
            creator_scores=scores,
            held_back=held_back,
        )

    def complete(self, *entries: LogEntry, origin: Origin = Origin.LOG, reuse: bool = True) -> Seed:
        return self.completer().complete(Slice(entries), origin=origin, reuse=reuse)


def forge() -> World:
    """Projects with branches and merge requests, people, and licences that nobody can create."""
    world = World()
    world.operation("POST /projects", body={"name": TEXT}, required=("name",))
    world.operation("GET /projects")
    world.operation("GET /projects/{id}")
    world.operation("DELETE /projects/{id}")
    world.resource("/projects", creators=("POST /projects",), listers=("GET /projects",))
    branches = "/projects/{id}/branches"
    world.operation(f"POST {branches}", body={"branch": TEXT, "ref": TEXT}, required=("branch", "ref"))
    world.operation(f"GET {branches}")
    world.operation(f"GET {branches}/{{branch}}")
    world.resource(
        branches,
        parent="/projects",
        creators=(f"POST {branches}",),
        listers=(f"GET {branches}",),
        identified_by="body/branch",
    )
    requests = "/projects/{id}/merge_requests"
    world.operation(
        f"POST {requests}",
        body={"source_branch": TEXT, "target_branch": TEXT, "title": TEXT, "assignee": TEXT},
        required=("source_branch", "target_branch", "title"),
    )
    world.operation(f"GET {requests}/{{iid}}")
    world.operation(f"POST {requests}/{{iid}}/approve")
    world.operation(f"PUT {requests}/{{iid}}/merge")
    world.resource(requests, parent="/projects", creators=(f"POST {requests}",))
    world.operation("GET /licences")
    world.operation("GET /licences/{key}")
    world.resource("/licences", listers=("GET /licences",))
    world.operation("GET /users/{username}")
    world.operation("POST /users", body={"username": TEXT}, required=("username",))
    world.operation("DELETE /users/{username}")
    world.resource("/users", creators=("POST /users",), acting=True)
    for operation in list(world.operations):
        template = operation.partition(" ")[2]
        if template.startswith("/projects/{id}"):
            world.refers(operation, "path/id", "/projects", "id")
        if "{branch}" in template:
            world.refers(operation, "path/branch", branches, "name")
        if "{iid}" in template:
            world.refers(operation, "path/iid", requests, "iid", "id")
        if "{key}" in template:
            world.refers(operation, "path/key", "/licences", "key")
        if "{username}" in template:
            world.refers(operation, "path/username", "/users", "username")
    world.refers(f"POST {branches}", "body/ref", branches, "name")
    world.refers(f"POST {requests}", "body/source_branch", branches, "name")
    world.refers(f"POST {requests}", "body/target_branch", branches, "name")
    world.refers(f"POST {requests}", "body/assignee", "/users", "username")
    return world


PROJECT = thing("/projects", "15")
BRANCHES = "/projects/{id}/branches"
REQUESTS = "/projects/{id}/merge_requests"
FIX = thing(BRANCHES, "fix", PROJECT)
MAIN = thing(BRANCHES, "main", PROJECT)
REQUEST = thing(REQUESTS, "3", PROJECT)
OPEN = f"POST {REQUESTS}"
APPROVE = f"POST {REQUESTS}/{{iid}}/approve"
MERGE = f"PUT {REQUESTS}/{{iid}}/merge"
