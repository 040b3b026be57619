"""Readers of a small library."""

from __future__ import annotations

import random

from .stage import Cast, Scene, Step


def borrow(chance: random.Random, number: int) -> Scene:
    """A book is put on a shelf, lent, renewed and returned."""
    shelf = yield Step("POST", "/shelves", {"topic": f"topic {number}"})
    at = shelf.value["id"]
    book = yield Step("POST", f"/shelves/{at}/books", {"title": chance.choice(["Ulysses", "Emma", "Walden"])})
    yield Step("GET", f"/shelves/{at}/books")
    one = book.value["id"]
    yield Step("POST", f"/books/{one}/loan", {"reader": f"reader {number}"})
    yield Step("POST", f"/books/{one}/loan/renewals")
    yield Step("GET", f"/books/{one}")
    yield Step("DELETE", f"/books/{one}/loan")


def look(chance: random.Random, number: int) -> Scene:  # noqa: ARG001 - every look is the same
    """Somebody looks around."""
    yield Step("GET", "/shelves")
    yield Step("GET", f"/books/{number + 9000}")


SINATRA = Cast({"ana": (borrow, look), "ben": (borrow, borrow)})
