"""AWS logs."""

from __future__ import annotations

import json

import pytest

from lobrest.logs.formats import detect
from lobrest.logs.formats.aws import ALB, API_GATEWAY
from lobrest.logs.formats.record import FormatOptions, LineError

ALB_LINE = (
    b"https 2026-11-10T00:25:52.000000Z app/x/1 10.0.0.1:56488 10.0.1.107:80 0.1 0.7 0.2 200 200 125 308 "
    b'"GET https://shop.example:443/a?b=1 HTTP/1.1" "curl/8" ECDHE TLSv1.2 arn:aws:x "Root=1" "-" "-"1 '
    b'2026-11-10T00:25:51.000000Z "forward" "-" "-"'
)
JSON_LINE = {
    "requestId": "r", "ip": "10.0.0.1", "user": "-", "caller": "ann", "requestTime": "10/Nov/2026:00:25:51 +0000",
    "httpMethod": "GET", "resourcePath": "/pets/{petId}", "status": "200", "protocol": "HTTP/1.1",
    "responseLength": "127",
}  # fmt: skip


def test_a_load_balancer_has_the_start_and_a_whole_url():
    assert detect(ALB_LINE + b"\n").format_name == "aws-alb"
    record = ALB.parser(FormatOptions())(ALB_LINE)
    assert record is not None
    assert (record.start, record.target, record.status, record.actor.address) == (
        1794270351.0,
        "/a?b=1",
        200,
        "10.0.0.1",
    )


def test_without_the_start_the_processing_times_are_taken_off():
    record = ALB.parser(FormatOptions())(ALB_LINE.partition(b" ECDHE")[0])
    assert record is not None
    assert record.start == pytest.approx(1794270351.0)


@pytest.mark.parametrize(
    "line",
    [
        json.dumps(JSON_LINE).encode(),
        b'<request id="r"> <ip>10.0.0.1</ip> <caller>ann</caller> <user>-</user> '
        b"<requestTime>10/Nov/2026:00:25:51 +0000</requestTime>"
        b" <httpMethod>GET</httpMethod> <resourcePath>/pets/{petId}</resourcePath> <status>200</status> </request>",
        b"10.0.0.1,ann,-,10/Nov/2026:00:25:51 +0000,GET,/pets/{petId},HTTP/1.1,200,127,r",
    ],
)
def test_a_gateway_in_its_forms(line):
    record = API_GATEWAY.parser(FormatOptions())(line)
    assert record is not None
    assert (record.start, record.method, record.target, record.status, record.actor.name) == (
        1794270351.0,
        "GET",
        "/pets/{petId}",
        200,
        "ann",
    )


def test_a_gateway_is_recognised_and_a_path_beats_the_template():
    line = json.dumps(JSON_LINE | {"path": "/pets/7", "routeKey": "GET /pets/{petId}"}).encode()
    assert detect(line + b"\n").format_name == "aws-api-gateway"
    record = API_GATEWAY.parser(FormatOptions())(line)
    assert record is not None
    assert record.target == "/pets/7"


def test_an_http_api_has_a_route_key():
    held = {key: value for key, value in JSON_LINE.items() if key not in ("httpMethod", "resourcePath")}
    record = API_GATEWAY.parser(FormatOptions())(json.dumps(held | {"routeKey": "GET /pets/{id}"}).encode())
    assert record is not None
    assert (record.method, record.target) == ("GET", "/pets/{id}")


@pytest.mark.parametrize("line", [b"ftp x", b"<a>b</a>", b"a,b,c,d,e,f,g,h,i,j"])
def test_nonsense_is_told(line):
    with pytest.raises(LineError):
        ALB.parser(FormatOptions())(line)
    with pytest.raises(LineError):
        API_GATEWAY.parser(FormatOptions())(line)
