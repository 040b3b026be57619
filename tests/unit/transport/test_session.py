from __future__ import annotations

from lobrest.model.exchange import Response
from lobrest.transport.credential import Credential
from lobrest.transport.login import Login, Place, TokenRule
from lobrest.transport.session import Session

LOGIN = Login(
    "POST", "/l", token=TokenRule(Place.BODY, "/t", Place.HEADER, "Authorization", "Bearer {token}")
)


def test_fixed_headers_need_no_login() -> None:
    session = Session(Credential("ann", headers=(("X", "1"),)))
    assert session.granted
    assert session.headers == (("X", "1"),)


def test_a_login_adds_to_the_fixed_headers_and_a_refused_one_takes_it_away() -> None:
    session = Session(Credential("ann", headers=(("X", "1"),), login=LOGIN))
    assert not session.granted
    session.logged_in(Response(200, body=b'{"t": "abcdefgh"}'))
    assert session.headers == (("X", "1"), ("Authorization", "Bearer abcdefgh"))
    assert session.granted
    session.logged_in(None)
    assert session.headers == (("X", "1"),)
    assert (session.granted, session.logins) == (False, 2)


def test_secrets_are_the_bare_tokens() -> None:
    session = Session(
        Credential("ann", headers=(("Authorization", "Bearer abcdefgh"), ("X", "1"), ("K", "a==")))
    )
    assert session.secrets == ("abcdefgh",)
    assert "abcdefgh" not in repr(session)


def test_an_operation_that_stays_refused_stops_asking_for_logins() -> None:
    session = Session(Credential("ann", login=LOGIN))
    session.renewed("op", in_vain=True)
    session.renewed("op", in_vain=True)
    assert not session.may_renew("op")
    assert session.may_renew("another")
    session.renewed("op", in_vain=False)
    assert session.may_renew("op")
