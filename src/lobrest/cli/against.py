"""The second service of a replay: its options, and where the two differ."""

from __future__ import annotations

from typing import Annotated, Protocol

import typer

from lobrest.app.compare import Counterpart, Service
from lobrest.app.pipeline import Prepared
from lobrest.app.session import Order
from lobrest.app.work import WorkFolder
from lobrest.cli.talk import Talk
from lobrest.report.differences import difference_lines, differences_json
from lobrest.transport import Credentials

DIFFERENCES = "differences.json"

Against = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="URL",
        help="A second service: the same flows on both, and where they differ.",
        show_default=False,
    ),
]
AgainstAuth = Annotated[
    list[str] | None,
    typer.Option(
        "--against-auth",
        metavar="A",
        help="A user of the second service, in the order of --auth; by default the same.",
        show_default=False,
    ),
]


class Guard(Protocol):
    """Refuses a target that may be production."""

    def __call__(self, target: str) -> None: ...


def counterpart(
    target: str | None, credentials: Credentials, order: Order, prepared: Prepared, guard: Guard
) -> Counterpart | None:
    """The second service, where one is named."""
    if target is None:
        return None
    guard(target)
    return Counterpart(
        Service(order.target, order.credentials),
        Service(target, credentials if credentials.names else order.credentials),
        prepared,
        concurrency=order.concurrency,
    )


def tell_differences(beside: Counterpart, folder: WorkFolder, talk: Talk) -> bool:
    """Write ``differences.json``, show what is in it, and say whether there are any."""
    path = folder.write(
        DIFFERENCES, differences_json(beside.comparison, here=beside.here.target, there=beside.there.target)
    )
    console = talk.side if talk.json else talk.results
    lines = difference_lines(beside.comparison, here=beside.here.target, there=beside.there.target)
    if not (talk.json and talk.quiet):
        for line in lines:
            console.print(line, soft_wrap=True)
        console.print(f"differences: {path}", markup=False, soft_wrap=True)
    return bool(beside.comparison.found)
