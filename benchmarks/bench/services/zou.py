"""Zou: a film studio's production tracker, 853 operations in Python, with PostgreSQL and Redis."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..cache import Cache, run_command
from ..client import call
from ..database import create_database, start_postgres, start_redis
from ..measure import coveragerc, python_lines
from ..process import start, wait_for
from ..service import Covered, Credential, Place, Started, traffic
from ..specification import METHODS

REQUIREMENTS = ("zou", "waitress", "coverage")
ADMIN = "admin@example.com"
PASSWORD = "mysecretpassword"
SCHEMA_KEYS = (
    "type", "format", "enum", "items", "default", "example",
    "minimum", "maximum", "pattern", "minLength", "maxLength",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Zou:
    """An administrator, a manager and an artist; whoever logs out is lost to the run."""

    name: str = "zou"
    held_back: tuple[str, ...] = (
        "GET /auth/logout",
        "POST /auth/change-password",
        "POST /auth/reset-password",
        "PUT /auth/reset-password",
        "POST /actions/persons/{person_id}/change-password",
        "DELETE /data/persons/{instance_id}",
        "PUT /data/persons/{instance_id}",
    )

    def install(self, cache: Cache) -> None:
        cache.python(self.name, REQUIREMENTS)

    def start(self, place: Place) -> Started:
        binaries = place.cache.python(self.name, REQUIREMENTS)
        folder = place.folder / "zou"
        for name in ("previews", "tmp"):
            (folder / name).mkdir(parents=True)
        database, database_port = start_postgres(place.cache, folder)
        create_database(place.cache, database_port, "zou")
        redis, redis_port = start_redis(place.cache, folder)
        environment = {
            "DB_HOST": "127.0.0.1", "DB_PORT": str(database_port), "DB_USERNAME": "postgres",
            "DB_PASSWORD": "none", "DB_DATABASE": "zou", "DB_POOL_SIZE": "10",
            "KV_HOST": "127.0.0.1", "KV_PORT": str(redis_port),
            "SECRET_KEY": "only-for-the-benchmark-0123456789", "PREVIEW_FOLDER": str(folder / "previews"),
            "TMP_DIR": str(folder / "tmp"), "LOG_DIR": str(folder), "ENABLE_JOB_QUEUE": "False",
            "BCRYPT_LOG_ROUNDS": "4", "MAIL_CHECK_DELIVERABILITY": "False", "MAIL_ENABLED": "False",
        }  # fmt: skip
        for arguments in (["init-db"], ["init-data"], ["create-admin", ADMIN, "--password", PASSWORD]):
            run_command(
                [binaries / "zou", *arguments], what="preparing Zou", folder=folder, environment=environment
            )
        command: list[str | Path] = [binaries / "python"]
        if place.measure:
            command = [binaries / "coverage", "run", f"--rcfile={coveragerc(folder, 'zou')}"]
        child = start(
            "Zou",
            [*command, "-m", "waitress", "--threads=8", f"--listen=127.0.0.1:{place.port}", "zou.app:app"],
            output=place.folder / "zou.txt",
            folder=folder,
            environment=environment,
        )
        wait_for(child, place.origin + "/")
        admin = logged_in(place.origin, "admin", ADMIN)
        others = tuple(self.person(place.origin, admin, role) for role in ("manager", "user"))
        document = cleaned(call("GET", f"{place.origin}/openapi.json", headers={admin.header: admin.value}))
        return Started(document, "", (admin, *others), [database, redis, child])

    def person(self, origin: str, admin: Credential, role: str) -> Credential:
        """A colleague in that role."""
        mail = f"{role}@example.com"
        headers = {admin.header: admin.value}
        fields = {"first_name": role.title(), "last_name": "Bench", "email": mail, "role": role}
        person = call("POST", f"{origin}/data/persons", fields, headers=headers)
        secret = {"password": PASSWORD, "password_2": PASSWORD}
        call("POST", f"{origin}/actions/persons/{person['id']}/change-password", secret, headers=headers)
        return logged_in(origin, role, mail)

    def logs(self, kind: str) -> tuple[Path, ...]:
        return traffic(self.name, (f"access.{kind}.log.gz",))

    def coverage(self, place: Place) -> tuple[Covered, ...]:
        if not place.measure:
            return ()
        binaries = place.cache.python(self.name, REQUIREMENTS)
        parts = {"blueprints": "app/blueprints/", "services": "app/services/", "models": "app/models/"}
        return python_lines(place.folder / "zou", coverage=binaries / "coverage", package="zou", parts=parts)


def logged_in(origin: str, name: str, mail: str) -> Credential:
    """A session by the login form."""
    answer = call("POST", f"{origin}/auth/login", form={"email": mail, "password": PASSWORD})
    return Credential(name, f"Bearer {answer['access_token']}")


def cleaned(document: dict[str, Any]) -> dict[str, Any]:
    """The document with what is left of Swagger 2.0 (body and form parameters, bare types) in 3.0's terms.

    Otherwise tools that insist on a valid document refuse operations, and the comparison would be of that.
    """
    result = copy.deepcopy(document)
    for item in result["paths"].values():
        for method, operation in item.items():
            if method in METHODS and isinstance(operation, dict):
                modernise(operation)
    return result


def modernise(operation: dict[str, Any]) -> None:
    kept: list[dict[str, Any]] = []
    fields: dict[str, Any] = {}
    required: list[str] = []
    for parameter in operation.get("parameters", []):
        place = parameter.get("in")
        schema = {key: parameter[key] for key in SCHEMA_KEYS if key in parameter}
        if place == "body":
            content = {"application/json": {"schema": parameter.get("schema", {})}}
            operation["requestBody"] = {"required": True, "content": content}
        elif place == "formData":
            file = parameter.get("type") == "file"
            fields[parameter["name"]] = {"type": "string", "format": "binary"} if file else schema
            required += [parameter["name"]] if parameter.get("required") else []
        elif "$ref" in parameter or "schema" in parameter or "content" in parameter:
            kept.append(parameter)
        else:
            rest = {key: value for key, value in parameter.items() if key not in SCHEMA_KEYS}
            kept.append({**rest, "schema": schema or {"type": "string"}})
    if "parameters" in operation:
        operation["parameters"] = kept
    if fields:
        form: dict[str, Any] = {"type": "object", "properties": fields}
        if required:
            form["required"] = required
        content = {"multipart/form-data": {"schema": form}}
        operation["requestBody"] = {"required": bool(required), "content": content}
    operation.pop("consumes", None)
    operation.pop("produces", None)
