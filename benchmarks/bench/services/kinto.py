"""Kinto: a generic JSON store of 48 operations in Python, in memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..cache import Cache
from ..client import call
from ..measure import coveragerc, python_lines
from ..process import start, wait_for
from ..service import Covered, Place, Started, basic, traffic

REQUIREMENTS = ("kinto==26.5.0", "coverage")
USERS = ("admin", "ana", "ben")
PASSWORD = "s3cret"

SETTINGS = """
[server:main]
use = egg:waitress#main
host = 127.0.0.1
port = {port}
threads = 4
[app:main]
use = egg:kinto
kinto.storage_backend = kinto.core.storage.memory
kinto.cache_backend = kinto.core.cache.memory
kinto.permission_backend = kinto.core.permission.memory
kinto.userid_hmac_secret = bench
multiauth.policies = account
multiauth.policy.account.use = kinto.plugins.accounts.authentication.AccountsAuthenticationPolicy
kinto.includes = kinto.plugins.default_bucket kinto.plugins.accounts kinto.plugins.history
    kinto.plugins.flush kinto.plugins.admin
kinto.account_create_principals = system.Everyone
kinto.bucket_create_principals = system.Authenticated
kinto.flush_endpoint_enabled = true
kinto.experimental_collection_schema_validation = true
kinto.experimental_permissions_endpoint = true
[loggers]
keys = root
[handlers]
keys = console
[formatters]
keys = generic
[logger_root]
level = WARNING
handlers = console
[handler_console]
class = StreamHandler
args = (sys.stderr,)
formatter = generic
[formatter_generic]
format = %(asctime)s %(levelname)s %(message)s
"""


@dataclass(frozen=True, slots=True)
class Kinto:
    """Three accounts; emptying the store would take them away."""

    name: str = "kinto"
    held_back: tuple[str, ...] = ("POST /__flush__", "DELETE /accounts", "DELETE /accounts/{id}")

    def install(self, cache: Cache) -> None:
        cache.python(self.name, REQUIREMENTS)

    def start(self, place: Place) -> Started:
        binaries = place.cache.python(self.name, REQUIREMENTS)
        folder = place.folder / "kinto"
        folder.mkdir()
        settings = folder / "kinto.ini"
        settings.write_text(SETTINGS.format(port=place.port))
        measured: list[str | Path] = []
        if place.measure:
            measured = [binaries / "coverage", "run", f"--rcfile={coveragerc(folder, 'kinto')}"]
        child = start(
            "Kinto",
            [*measured, binaries / "kinto", "start", "--ini", settings, "--port", str(place.port)],
            output=place.folder / "kinto.txt",
            folder=folder,
        )
        wait_for(child, f"{place.origin}/v1/")
        for user in USERS:
            call("PUT", f"{place.origin}/v1/accounts/{user}", {"data": {"password": PASSWORD}})
        document = call("GET", f"{place.origin}/v1/__api__")
        return Started(document, "/v1", tuple(basic(user, PASSWORD) for user in USERS), [child])

    def logs(self, kind: str) -> tuple[Path, ...]:
        return traffic(self.name, (f"access.{kind}.log.gz",))

    def coverage(self, place: Place) -> tuple[Covered, ...]:
        if not place.measure:
            return ()
        binaries = place.cache.python(self.name, REQUIREMENTS)
        parts = {"core": "core/", "views": "views/", "plugins": "plugins/"}
        return python_lines(
            place.folder / "kinto", coverage=binaries / "coverage", package="kinto", parts=parts
        )
