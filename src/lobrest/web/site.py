"""What all pages share: the campaigns, the templates, and where things are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, urlencode

from jinja2 import Environment

from lobrest import __version__
from lobrest.report.views import KIND_WORDS, templates
from lobrest.transport import Credentials
from lobrest.web.access import Access
from lobrest.web.replays import Replays
from lobrest.web.watched import Watched

SECTIONS: Final = (
    ("", "Overview"),
    ("bugs", "Bugs"),
    ("requests", "Requests"),
    ("operations", "Operations"),
    ("flows", "Business flows"),
    ("seeds", "Seeds"),
    ("resources", "Resources"),
    ("unreached", "Not reached"),
    ("logs", "Logs"),
    ("time", "Time"),
)
"""Last part of the address, and name."""


class MissingError(Exception):
    """There is no such thing: what, in words."""


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses inside one campaign. Names may be anything: they are always encoded."""

    base: str

    def operation(self, op: str) -> str:
        """The page of an operation."""
        return f"{self.base}operation?{urlencode({'op': op[:2000]})}"

    def requests(self, **wanted: str) -> str:
        """Requests that fit."""
        chosen = {name: value[:2000] for name, value in wanted.items() if value}
        return f"{self.base}requests" + (f"?{urlencode(chosen)}" if chosen else "")

    def request(self, number: int) -> str:
        """One request."""
        return f"{self.base}requests/{number}"

    def bug(self, number: int) -> str:
        """One bug."""
        return f"{self.base}bugs/{number}"

    def seed(self, name: str) -> str:
        """One seed."""
        return f"{self.base}seeds/{quote(name[:200], safe='')}"


@dataclass(frozen=True, slots=True)
class Site:
    """The dashboard as a whole."""

    campaigns: tuple[Watched, ...]
    access: Access
    credentials: Credentials = field(default_factory=Credentials)
    target: str = ""
    """Where bugs and flows are run again, if not where the campaign ran."""
    replays: Replays = field(default_factory=Replays)

    def campaign(self, number: str) -> Watched:
        """The campaign of that number. Raises ``MissingError``."""
        for watched in self.campaigns:
            if str(watched.number) == number:
                return watched
        raise MissingError("There is no such campaign.")

    def page(self, template: str, watched: Watched | None = None, /, **values: object) -> str:
        """A whole page; inside a campaign with its frame around it."""
        links = Links(f"/c/{watched.number}/") if watched is not None else None
        common: dict[str, object] = {
            "site": self,
            "ticket": self.access.ticket,
            "version": __version__,
            "watched": watched,
            "links": links,
            "sections": SECTIONS,
            "here": "",
            "title": "",
            "kinds": KIND_WORDS,
            "pulse": watched.pulse() if watched is not None else None,
            "urlencode": urlencode,
        }
        return self._templates.get_template(template).render(**{**common, **values})

    @property
    def _templates(self) -> Environment:
        return templates("lobrest.web", "lobrest.report")
