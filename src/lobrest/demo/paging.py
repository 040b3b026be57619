"""Lists in pages, with the totals in headers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeVar

from msgspec import Meta, Struct

from lobrest.demo.declare import B, Call

T = TypeVar("T")

PageNumber = Annotated[int, Meta(ge=1, description="Current page number")]
PageSize = Annotated[int, Meta(ge=1, le=100, description="Number of items per page")]


class Paging(Struct, kw_only=True):
    page: PageNumber = 1
    per_page: PageSize = 20


P = TypeVar("P", bound=Paging)


def page_of(call: Call[P, B], items: Sequence[T]) -> Sequence[T]:
    """The part of `items` that was asked for; the headers tell where it lies in the whole."""
    return cut(call, items, page=call.query.page, per_page=call.query.per_page)


def cut(call: Call[P, B], items: Sequence[T], *, page: int, per_page: int) -> Sequence[T]:
    call.answer_headers.update(
        {
            "X-Page": str(page),
            "X-Per-Page": str(per_page),
            "X-Total": str(len(items)),
            "X-Total-Pages": str((len(items) + per_page - 1) // per_page),
        }
    )
    return items[(page - 1) * per_page : page * per_page]
