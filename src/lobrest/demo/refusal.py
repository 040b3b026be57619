"""Answers that are not a success: the status and the JSON that goes with it."""

from __future__ import annotations

from collections.abc import Mapping


class Refusal(Exception):  # noqa: N818 - an answer that is meant, not an error of the service
    """The request is turned down with `status` and `payload`; it must not have changed anything yet."""

    def __init__(self, status: int, payload: Mapping[str, object], headers: Mapping[str, str] | None = None):
        super().__init__(f"{status} {payload}")
        self.status = status
        self.payload = payload
        self.headers = dict(headers or {})


def bad_request(error: str) -> Refusal:
    """A parameter is missing or malformed: `title is missing`."""
    return Refusal(400, {"error": error})


def unauthorized() -> Refusal:
    return Refusal(401, {"message": "401 Unauthorized"}, {"WWW-Authenticate": "Bearer"})


def forbidden(reason: str = "") -> Refusal:
    return Refusal(403, {"message": f"403 Forbidden - {reason}" if reason else "403 Forbidden"})


def not_found(what: str) -> Refusal:
    return Refusal(404, {"message": f"404 {what} Not Found"})


def conflict(message: str) -> Refusal:
    """The object is not in a state that allows this."""
    return Refusal(409, {"message": message})


def taken(field: str, *, status: int = 422) -> Refusal:
    """A name that must be unique is in use."""
    return Refusal(status, {"message": {field: ["has already been taken"]}})


def unprocessable(field: str, problem: str) -> Refusal:
    """The field is well-formed but breaks a rule of the business."""
    return Refusal(422, {"message": {field: [problem]}})
