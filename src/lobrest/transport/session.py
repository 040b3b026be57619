"""What one user's requests carry now: fixed headers, and what the last login granted."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from typing import Final

from lobrest.model.exchange import Headers, Response
from lobrest.transport.credential import Credential
from lobrest.transport.login import Grant, grant_of

_MOST_VAIN_LOGINS: Final = 2
_SHORTEST_SECRET: Final = 6


class Session:
    """The moving part of a credential. It lives as long as the transport and is stored nowhere."""

    def __init__(self, user: Credential) -> None:
        self.user = user
        self.lock = asyncio.Lock()
        self.logins = 0
        """Logins tried so far."""
        self.granted = user.login is None
        """Was the last login accepted?"""
        self.headers: Headers = user.headers
        self.query: Headers = ()
        self.secrets: tuple[str, ...] = _secrets(user.headers)
        """Texts that must not be kept, longest first."""
        self._in_vain: Counter[str] = Counter()

    def __repr__(self) -> str:
        return f"Session({self.user.name!r})"

    def logged_in(self, answer: Response | None) -> None:
        """Take over what the answer of a login grants, if it does."""
        login = self.user.login
        grant = grant_of(login, answer) if login is not None and answer is not None else None
        self.logins += 1
        self.granted = grant is not None
        carried = grant or Grant()
        self.headers = (*self.user.headers, *carried.headers)
        self.query = carried.query
        self.secrets = _secrets((*self.headers, *carried.query))

    def may_renew(self, operation: str) -> bool:
        """Is a new login worth trying after a 401? Not where it did not help before."""
        return self._in_vain[operation] < _MOST_VAIN_LOGINS

    def renewed(self, operation: str, *, in_vain: bool) -> None:
        """Learn whether a new login helped this operation."""
        if in_vain:
            self._in_vain[operation] += 1
        else:
            self._in_vain.pop(operation, None)


def _secrets(carried: Headers) -> tuple[str, ...]:
    """The last word of each value (the token after ``Bearer``), where long enough to be told apart."""
    texts = {re.split(r"[ =]", value)[-1] or value for _, value in carried}
    return tuple(sorted((text for text in texts if len(text) >= _SHORTEST_SECRET), key=len, reverse=True))
