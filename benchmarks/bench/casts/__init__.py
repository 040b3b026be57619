"""Scripted people for services of which there is no recorded traffic."""

from __future__ import annotations

from .apicurio import APICURIO
from .conductor import CONDUCTOR
from .sinatra import SINATRA
from .stage import Cast

CASTS: dict[str, Cast] = {"apicurio": APICURIO, "conductor": CONDUCTOR, "sinatra": SINATRA}
