"""nginx with any log_format."""

from __future__ import annotations

import pytest

from lobrest.errors import ConfigError
from lobrest.logs.formats import by_name
from lobrest.logs.formats.nginx import INGRESS_NGINX, NGINX, compile_template, template_of
from lobrest.logs.formats.record import Body, FormatOptions, LineError

TIMED = (
    "log_format timed '$remote_addr [$time_iso8601] \"$request_method $request_uri $server_protocol\" '\n"
    '  \'$status rt=$request_time "$http_user_agent" "$http_authorization" body="$request_body"\';'
)


def test_a_directive_is_read_as_nginx_reads_it():
    parse = NGINX.parser(FormatOptions(template=TIMED))
    record = parse(
        b'10.0.0.1 [2026-11-10T00:25:51+00:00] "POST /a?x=1 HTTP/1.1" 201 rt=0.500 "curl" '
        b'"Bearer t" body="{\\x22a\\x22:1}"'
    )
    assert record is not None
    assert (record.start, record.method, record.target, record.status) == (
        1794270350.5,
        "POST",
        "/a?x=1",
        201,
    )
    assert (record.actor.token, record.actor.agent) == ("Bearer t", "curl")
    assert (record.body, record.body_kind) == ('{"a":1}', Body.TEXT)


def test_a_json_format_is_read_as_json():
    template = (
        "log_format j escape=json "
        '\'{"t":"$msec","r":"$request","s":$status,"u":"$remote_user","d":"$request_time"}\';'
    )
    record = NGINX.parser(FormatOptions(template=template))(
        b'{"t":"1794270351.5","r":"GET /a HTTP/1.1","s":200,"u":"ann","d":"0.5"}'
    )
    assert record is not None
    assert (record.start, record.target, record.status, record.actor.name) == (1794270351.0, "/a", 200, "ann")


def test_without_a_template_it_is_combined():
    record = NGINX.parser(FormatOptions())(
        b'1.2.3.4 - - [10/Nov/2026:00:25:51 +0000] "GET /a HTTP/1.1" 200 1 "-" "x"'
    )
    assert record is not None
    assert record.target == "/a"


def test_ingress_lines_start_before_they_are_written_even_after_retries():
    parse = INGRESS_NGINX.parser(FormatOptions())
    record = parse(
        b'192.168.64.1 - - [07/Feb/2020:11:48:51 +0000] "POST /products HTTP/1.1" 200 59 "-" "curl/7.54.0" 89 2.500 '
        b"[default-web-8080] [] 172.17.0.5:8080, 172.17.0.6:8080 0, 59 0.000, 0.001 502, 200 529a0079"
    )
    assert record is not None
    assert (record.method, record.status, record.start) == ("POST", 200, 1581076131 - 2.5)


def test_bare_templates_and_braces():
    assert template_of("$a ${b}c") == ("$a ${b}c", False)
    pieces = compile_template('${remote_addr}x [$time_local] "$request" $status').pieces
    assert [piece.role for piece in pieces if piece.is_field] == ["address", "clf", "request", "status"]


@pytest.mark.parametrize("template", ["no variables", "$remote_addr $status", "$time_local $status"])
def test_a_template_that_lacks_time_or_request_is_refused(template):
    with pytest.raises(ConfigError):
        NGINX.parser(FormatOptions(template=template))


def test_a_line_that_does_not_fit_is_told():
    with pytest.raises(LineError, match="does not fit"):
        by_name("nginx").parser(FormatOptions(template=TIMED))(b"something else")
