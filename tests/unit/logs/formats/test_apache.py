"""Apache with any LogFormat."""

from __future__ import annotations

import pytest

from lobrest.errors import ConfigError
from lobrest.logs.formats.apache import APACHE, compile_format
from lobrest.logs.formats.record import FormatOptions

STAMP = b"[10/Nov/2026:00:25:51 +0000]"


def read(template, line):
    record = APACHE.parser(FormatOptions(template=template))(line)
    assert record is not None
    return record


def test_nicknames_and_virtual_hosts():
    record = read(
        "vhost_combined", b"shop:443 1.2.3.4 - ann " + STAMP + b' "GET /a HTTP/1.1" 200 5 "-" "curl"'
    )
    assert (record.target, record.actor.name, record.actor.address, record.actor.agent) == (
        "/a",
        "ann",
        "1.2.3.4",
        "curl",
    )
    assert read("common", b"host - - " + STAMP + b' "GET /a HTTP/1.0" 200 -').status == 200


def test_the_stamp_is_the_start_whatever_the_duration():
    line = b"1.2.3.4 " + STAMP + b' "POST /b HTTP/1.1" 201 900000 "Bearer x"'
    record = read('LogFormat "%a %t \\"%r\\" %>s %D \\"%{Authorization}i\\"" timed', line)
    assert (record.start, record.actor.token) == (1794270351.0, "Bearer x")


def test_method_path_and_query_may_be_apart():
    record = read("%h %t %m %U%q %>s", b"1.2.3.4 " + STAMP + b" GET /a?x=1 200")
    assert (record.method, record.status) == ("GET", 200)
    assert record.target.startswith("/a")


def test_quotes_in_fields_are_escaped():
    record = read("combined", b"1.2.3.4 - - " + STAMP + b' "GET /a HTTP/1.1" 200 5 "-" "say \\"hi\\""')
    assert record.actor.agent == 'say "hi"'


def test_percent_signs_and_missing_parts():
    assert any(" 100% " in piece.literal for piece in compile_format('%h 100%% %t "%r" %s').pieces)
    with pytest.raises(ConfigError):
        compile_format("plain")
    with pytest.raises(ConfigError):
        APACHE.parser(FormatOptions(template="%h %s"))
