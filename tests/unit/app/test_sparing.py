"""Nothing that would end an account in use leaves the house."""

from __future__ import annotations

import asyncio

from tests.unit.app.test_campaign import Line
from tests.unit.fuzz.script import answer
from tests.unit.fuzz.test_accounts import made

from lobrest.app.sparing import SparingTransport
from lobrest.model.exchange import Failure, Request
from lobrest.model.operation import OperationId

DELETE = OperationId("DELETE /admin/users/{username}")


def test_it_is_withheld_and_everything_else_is_sent():
    line = Line(lambda _: answer(204))
    transport = SparingTransport(line, made())

    async def run() -> list:
        found = [
            await transport.send(Request(DELETE, "DELETE", f"/admin/users/{name}", (), None, "ann"))
            for name in ("ann", "bo")
        ]
        await transport.close()
        return found

    first, second = asyncio.run(run())
    assert first is Failure.WITHHELD
    assert second.status == 204
    assert [one.target for one in line.sent] == ["/admin/users/bo"]
