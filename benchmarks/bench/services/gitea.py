"""Gitea: a forge of 471 operations in Go, built from the Go module proxy, on SQLite."""

from __future__ import annotations

import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from ..cache import Cache, run_command, say
from ..client import call
from ..measure import go_statements
from ..problem import BenchError
from ..process import start, unprivileged, wait_for
from ..service import Covered, Credential, Place, Started, traffic
from ..specification import base_path

MODULE = "code.gitea.io/gitea"
VERSION = "v1.26.0"
TAGS = "sqlite sqlite_unlock_notify"
USERS = (("admin1", True), ("user2", False), ("user3", False))
ASSETS = ("options", "templates", "public")
PARTS = {"services": "services/", "routers": "routers/", "models": "models/", "modules": "modules/"}

SETTINGS = """
APP_NAME = bench
RUN_USER = {user}
RUN_MODE = prod
WORK_PATH = {work}
[server]
PROTOCOL = http
HTTP_ADDR = 127.0.0.1
HTTP_PORT = {port}
ROOT_URL = {proxy}/
STATIC_ROOT_PATH = {assets}
DISABLE_SSH = true
OFFLINE_MODE = true
LFS_START_SERVER = false
[database]
DB_TYPE = sqlite3
PATH = {work}/gitea.db
SQLITE_JOURNAL_MODE = WAL
[security]
INSTALL_LOCK = true
SECRET_KEY = only-for-the-benchmark
PASSWORD_HASH_ALGO = pbkdf2_v1
DISABLE_GIT_HOOKS = true
[service]
DISABLE_REGISTRATION = true
ENABLE_NOTIFY_MAIL = false
[repository]
DEFAULT_BRANCH = main
[webhook]
ALLOWED_HOST_LIST = loopback
[migrations]
ALLOWED_DOMAINS = 127.0.0.1, localhost
ALLOW_LOCALNETWORKS = true
[picture]
DISABLE_GRAVATAR = true
[mailer]
ENABLED = false
[cron.update_checker]
ENABLED = false
[log]
MODE = file
LEVEL = Warn
ROOT_PATH = {work}/log
"""


@dataclass(frozen=True, slots=True)
class Gitea:
    """Three users: an administrator and two plain ones."""

    name: str = "gitea"
    held_back: tuple[str, ...] = ()

    def install(self, cache: Cache) -> None:
        home = cache.part(self.name)
        if not (home / "src").is_dir():
            say("fetching Gitea's source (once)")
            told = run_command(
                ["go", "mod", "download", "-json", f"{MODULE}@{VERSION}"],
                what="fetching Gitea",
                folder=home,
                hint="needs Go and a module proxy",
            )
            shutil.copytree(json.loads(told)["Dir"], home / "src.part", copy_function=copied)
            for path in (home / "src.part").rglob("*"):
                path.chmod(path.stat().st_mode | 0o200)
            (home / "src.part").rename(home / "src")
        for binary in ("gitea", "gitea-cover"):
            if not (home / binary).is_file():
                build(home, binary)

    def start(self, place: Place) -> Started:
        home = place.cache.part(self.name)
        user = unprivileged()
        run = place.folder / "gitea"
        work, cover, assets = run / "work", run / "cover", run / "assets"
        for folder in (work, cover):
            folder.mkdir(parents=True)
        # The cache may lie where an unprivileged user cannot look, so the program and its files are copied.
        binary = run / "gitea"
        shutil.copy2(home / ("gitea-cover" if place.measure else "gitea"), binary)
        for name in ASSETS:
            shutil.copytree(home / "src" / name, assets / name)
        settings = run / "app.ini"
        account = "nobody" if user else os.environ.get("USER") or Path.home().name
        settings.write_text(
            SETTINGS.format(user=account, work=work, port=place.port, proxy=place.proxy, assets=assets)
        )
        if user:
            for path in (run, *run.rglob("*")):
                os.chown(path, user, user)
        environment = {
            "GOCOVERDIR": str(cover), "HOME": str(work), "GITEA_WORK_DIR": str(work), "USER": account,
        }  # fmt: skip
        command: list[str | Path] = [binary, "--config", settings]
        run_command(
            [*command, "migrate"], what="preparing Gitea", folder=work, environment=environment, user=user
        )
        credentials = tuple(
            Credential(name, f"token {created(command, name, admin, work, environment, user)}")
            for name, admin in USERS
        )
        child = start(
            "Gitea",
            [*command, "web"],
            output=place.folder / "gitea.txt",
            folder=work,
            environment=environment,
            user=user,
        )
        wait_for(child, f"{place.origin}/api/v1/version")
        document = call("GET", f"{place.origin}/swagger.v1.json")
        return Started(document, base_path(document), credentials, [child])

    def logs(self, kind: str) -> tuple[Path, ...]:
        return traffic(self.name, (f"participants.{kind}.log.gz",))

    def coverage(self, place: Place) -> tuple[Covered, ...]:
        if not place.measure:
            return ()
        go = place.cache.program("go", "golang-go")
        return go_statements(place.folder / "gitea/cover", go=go, module=MODULE, parts=PARTS)


def copied(source: str, target: str) -> str:
    """Copy a file of Go's read-only module cache so that it can be written and removed."""
    shutil.copyfile(source, target)
    return target


def build(home: Path, binary: str) -> None:
    """Build the plain program or the one that measures itself."""
    say(f"building {binary} (once; ten minutes of processor time)")
    flags = [
        "-s", "-w", "-X", f"main.Version={VERSION.removeprefix('v')}", "-X", f"'main.Tags={TAGS}'",
    ]  # fmt: skip
    # Without the main package among the measured ones the program writes no coverage and does not say so.
    measured = [MODULE, *(f"{MODULE}/{part}/..." for part in ("routers", "services", "models", "modules"))]
    cover = ["-cover", "-covermode=set", f"-coverpkg={','.join(measured)}"] if binary == "gitea-cover" else []
    run_command(
        ["go", "build", *cover, "-tags", TAGS, "-ldflags", " ".join(flags), "-o", home / binary, "."],
        what=f"building {binary}",
        folder=home / "src",
        environment={"CGO_ENABLED": "1"},
        hint="needs Go and a C compiler",
    )


def created(
    command: list[str | Path],
    name: str,
    admin: bool,
    work: Path,
    environment: dict[str, str],
    user: int | None,
) -> str:
    """Create a user; return an access token of theirs."""
    told = run_command(
        [
            *command, "admin", "user", "create", "--username", name, "--password", "Passw0rd!x",
            "--email", f"{name}@example.org", "--must-change-password=false", *(["--admin"] if admin else []),
            "--access-token", "--access-token-name", "bench", "--access-token-scopes", "all",
        ],
        what=f"creating the user {name}", folder=work, environment=environment, user=user,
    )  # fmt: skip
    token = re.search(r"\b[0-9a-f]{40}\b", told)
    if token is None:
        raise BenchError(f"Gitea created {name} without telling a token")
    return token[0]
