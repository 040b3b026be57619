from __future__ import annotations

from lobrest.demo.refusal import (
    bad_request,
    conflict,
    forbidden,
    not_found,
    taken,
    unauthorized,
    unprocessable,
)


def test_each_kind_has_its_status_and_words():
    told = [
        (refusal.status, refusal.payload)
        for refusal in (
            bad_request("title is missing"),
            unauthorized(),
            forbidden(),
            forbidden("not you"),
            not_found("Project"),
            conflict("Closed"),
            taken("name"),
            taken("name", status=409),
            unprocessable("ref", "does not exist"),
        )
    ]
    assert told == [
        (400, {"error": "title is missing"}),
        (401, {"message": "401 Unauthorized"}),
        (403, {"message": "403 Forbidden"}),
        (403, {"message": "403 Forbidden - not you"}),
        (404, {"message": "404 Project Not Found"}),
        (409, {"message": "Closed"}),
        (422, {"message": {"name": ["has already been taken"]}}),
        (409, {"message": {"name": ["has already been taken"]}}),
        (422, {"message": {"ref": ["does not exist"]}}),
    ]
