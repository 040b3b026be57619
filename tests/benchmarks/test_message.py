"""What of a failure's text makes it another failure."""

from __future__ import annotations

import pytest
from benchmarks.bench.message import normalised


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            '{"message":"user does not exist [uid: 0, name: ana]"}',
            '{"message":"user does not exist [uid: 7, name: ben]"}',
        ),
        ('{"error":"lstat /tmp/a/b: no such file"}', '{"error":"lstat /var/lib/x: no such file"}'),
        ('{"detail":"at 2026-11-12T05:11:53Z"}', '{"detail":"at 2026-11-13T15:01:00Z"}'),
        ('{"message":"commit 615c209542fa63d5 is gone"}', '{"message":"commit 0a1b2c3d4e5f is gone"}'),
        ('{"error":"push mirror remote_azwoQf65mK"}', '{"error":"push mirror remote_HoFLNMKyMh"}'),
        ("<h1>Error</h1><p>line 3</p>", "<h1>Error</h1><p>line 9</p>"),
        ('{"message":"bad \\"x\\" here"}', '{"message":"bad \\"yy\\" here"}'),
    ],
)
def test_values_make_no_difference(first: str, second: str) -> None:
    assert normalised(first) == normalised(second) != ""


def test_what_the_request_held_makes_no_difference() -> None:
    first = normalised("cannot parse blue-whale as date", uri="/api/v1/items?since=blue-whale")
    second = normalised("cannot parse grey-heron as date", body='{"since": ["grey-heron"]}')
    assert first == second


def test_the_cause_is_found_under_any_telling_name() -> None:
    assert normalised('{"exception_message":"Service Unavailable"}') == "Service Unavailable"
    assert normalised('{"code":1,"errors":[{"detail":"no such column"}]}') == "no such column"


def test_a_value_of_the_request_is_not_cut_out_of_a_word() -> None:
    assert normalised("ask your administrator", uri="/api/v1/x/admin") == "ask your administrator"


def test_different_causes_stay_different() -> None:
    assert normalised('{"message":"no such table"}') != normalised('{"message":"nil pointer"}')


def test_other_fields_of_the_answer_are_left_out() -> None:
    assert normalised('{"message":"boom","url":"http://127.0.0.1:4711/api/swagger","code":500}') == "boom"
