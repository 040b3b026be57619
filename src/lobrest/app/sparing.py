"""What would end the account in use is not sent."""

from __future__ import annotations

from lobrest.fuzz.accounts import AccountsInUse
from lobrest.model.exchange import Failure, Request, Response
from lobrest.ports import Transport


class SparingTransport:
    """Sends everything else; see ``ports.Transport``."""

    def __init__(self, transport: Transport, accounts: AccountsInUse) -> None:
        self._transport = transport
        self._accounts = accounts

    async def send(self, request: Request) -> Response | Failure:
        """The answer, or ``Failure.WITHHELD``."""
        if request.method != "GET" and self._accounts.would_end(request):
            return Failure.WITHHELD
        return await self._transport.send(request)

    async def close(self) -> None:
        """Let connections go."""
        await self._transport.close()
