"""Specifications: any document → ``ApiSpec``, its body fields, and the way from a request to an operation."""

from lobrest.spec.fields import BodyFields, body_fields
from lobrest.spec.load import load_spec
from lobrest.spec.router import Match, Router

__all__ = ["BodyFields", "Match", "Router", "body_fields", "load_spec"]
