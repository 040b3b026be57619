"""Oracles by name."""

from __future__ import annotations

import pytest

from lobrest.errors import ConfigError
from lobrest.fuzz.oracles.catalogue import FAULT_CODES, ORACLES, chosen
from lobrest.model.bug import BugKind

DEFAULT = frozenset(one.name for one in ORACLES if one.on)
EVERY = frozenset(one.name for one in ORACLES)


@pytest.mark.parametrize(
    ("wishes", "wanted"),
    [
        ([], DEFAULT),
        (["+slow"], DEFAULT | {"slow"}),
        (["slow,-leaks"], (DEFAULT | {"slow"}) - {"leaks"}),
        (["none", "+leaks"], {"leaks"}),
        (["all", "-slow"], EVERY - {"slow"}),
        (["-all"], set()),
        (["", " , "], DEFAULT),
    ],
)
def test_wishes(wishes, wanted):
    assert chosen(wishes) == wanted


def test_a_wrong_name_is_told_with_the_right_ones():
    with pytest.raises(ConfigError, match="no oracle 'leak'"):
        chosen(["+leak"])


def test_every_kind_has_one_oracle_but_those_that_are_always_looked_for():
    told = [kind for one in ORACLES for kind in one.kinds]
    assert len(told) == len(set(told))
    assert set(BugKind) - set(told) == {BugKind.SERVER_ERROR, BugKind.OUTAGE}
    assert set(FAULT_CODES) <= set(BugKind)
