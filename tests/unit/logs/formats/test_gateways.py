"""Gateways that log JSON."""

from __future__ import annotations

import json

import pytest

from lobrest.logs.formats import detect
from lobrest.logs.formats.gateways import CADDY, ENVOY_JSON, KONG, KUBERNETES, TRAEFIK_JSON
from lobrest.logs.formats.record import Body, FormatOptions

CADDY_LINE = {
    "level": "info", "ts": 1794270351.5, "logger": "http.log.access", "msg": "handled request",
    "request": {"remote_ip": "10.0.0.1", "client_ip": "10.0.0.9", "proto": "HTTP/2.0", "method": "GET", "host": "h",
                "uri": "/a?b=1", "headers": {"User-Agent": ["curl"], "Authorization": ["REDACTED"],
                "Cookie": ["sid=1"]}},
    "bytes_read": 0, "user_id": "ann", "duration": 0.5, "size": 3, "status": 201,
    "resp_headers": {"Location": ["/a/7"]},
}  # fmt: skip
TRAEFIK_LINE = {
    "ClientHost": "10.0.0.1", "ClientUsername": "-", "DownstreamStatus": 200, "Duration": 3454189,
    "RequestMethod": "GET",
    "RequestPath": "/a", "StartUTC": "2026-11-10T00:25:51.189830187Z", "request_User-Agent": "curl",
    "time": "2026-11-10T00:25:52Z",
}  # fmt: skip
ENVOY_LINE = {
    "start_time": "2026-11-10T00:25:51.000Z", "method": "GET", "path": "/a", "response_code": "200", "duration": 900,
    "user_agent": "curl", "x_forwarded_for": None, "downstream_remote_address": "10.0.0.1:99", "request_id": "r",
}  # fmt: skip
KONG_LINE = {
    "request": {"method": "POST", "uri": "/a?x=1", "headers": {"user-agent": "curl"}},
    "response": {"status": 201, "headers": {}},
    "latencies": {"request": 515}, "client_ip": "10.0.0.1", "consumer": {"id": "i", "username": "ann"},
    "started_at": 1794270351000,
}  # fmt: skip
AUDIT_LINE = {
    "kind": "Event", "apiVersion": "audit.k8s.io/v1", "stage": "ResponseComplete",
    "requestURI": "/api/v1/pods", "verb": "create",
    "user": {"username": "ann"}, "sourceIPs": ["10.0.0.1"], "userAgent": "kubectl", "responseStatus": {"code": 201},
    "requestObject": {"name": "p"}, "requestReceivedTimestamp": "2026-11-10T00:25:51.000000Z",
}  # fmt: skip


@pytest.mark.parametrize(
    ("known", "held", "name", "method", "target", "status"),
    [
        (CADDY, CADDY_LINE, "ann", "GET", "/a?b=1", 201),
        (TRAEFIK_JSON, TRAEFIK_LINE, "", "GET", "/a", 200),
        (ENVOY_JSON, ENVOY_LINE, "", "GET", "/a", 200),
        (KONG, KONG_LINE, "ann", "POST", "/a?x=1", 201),
        (KUBERNETES, AUDIT_LINE, "ann", "POST", "/api/v1/pods", 201),
    ],
)
def test_each_is_recognised_and_read(known, held, name, method, target, status):
    line = json.dumps(held).encode()
    assert detect(line + b"\n" + line + b"\n").format_name == known.name
    record = known.parser(FormatOptions())(line)
    assert record is not None
    assert int(record.start) == 1794270351
    assert (record.actor.name, record.method, record.target, record.status) == (name, method, target, status)


def test_caddy_hides_credentials_and_shows_the_location():
    record = CADDY.parser(FormatOptions())(json.dumps(CADDY_LINE).encode())
    assert record is not None
    assert (record.actor.token, record.actor.cookie, record.location) == ("", "sid=1", "/a/7")
    assert record.headers == (("user-agent", "curl"),)


def test_an_audit_log_has_bodies():
    record = KUBERNETES.parser(FormatOptions())(json.dumps(AUDIT_LINE).encode())
    assert record is not None
    assert (record.body, record.body_kind) == ('{"name":"p"}', Body.TEXT)
