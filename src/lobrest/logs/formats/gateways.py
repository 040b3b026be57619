"""Gateways that log JSON: Caddy, Traefik, Envoy, Kong, and the Kubernetes API server's audit log."""

from __future__ import annotations

from typing import Final

from lobrest.logs.formats.format import Format
from lobrest.logs.formats.json_lines import JsonLineParser, shape
from lobrest.logs.formats.record import FormatOptions, Shape

CADDY_SHAPE: Final = shape(
    time="ts",
    method="request.method",
    target="request.uri",
    status="status",
    duration="duration",
    user="user_id",
    address="request.client_ip request.remote_ip",
    headers="request.headers",
    location="resp_headers.Location",
    host="request.host",
)
TRAEFIK_SHAPE: Final = shape(
    time="StartUTC StartLocal",
    method="RequestMethod",
    target="RequestPath",
    status="DownstreamStatus OriginStatus",
    user="ClientUsername",
    address="ClientHost ClientAddr",
    agent="request_User-Agent",
    token="request_Authorization",
    cookie="request_Cookie",
    media_type="request_Content-Type",
    location="downstream_Location",
    host="RequestHost RequestAddr",
    request_id="request_X-Request-Id",
    time_is_start=True,
)
ENVOY_SHAPE: Final = shape(
    time="start_time",
    method="method :method",
    target="x-envoy-origin-path x_envoy_origin_path x-envoy-original-path path :path",
    status="response_code",
    user="x_user_id x-user-id",
    token="authorization",
    address="x_forwarded_for x-forwarded-for downstream_remote_address",
    agent="user_agent user-agent",
    host="authority :authority",
    request_id="request_id x-request-id x_request_id",
    time_is_start=True,
)
KONG_SHAPE: Final = shape(
    time="started_at",
    method="request.method",
    target="request.uri",
    status="response.status",
    user="consumer.username consumer.custom_id consumer.id "
    "authenticated_entity.consumer_id authenticated_entity.id",
    address="client_ip",
    headers="request.headers",
    body="request.body",
    response="response.body",
    location="response.headers.location",
    host="request.headers.host",
    time_is_start=True,
)
KUBERNETES_SHAPE: Final = shape(
    time="requestReceivedTimestamp stageTimestamp",
    method="verb",
    target="requestURI",
    status="responseStatus.code",
    user="user.username",
    acting_as="impersonatedUser.username",
    address="sourceIPs",
    agent="userAgent",
    body="requestObject",
    response="responseObject",
    time_is_start=True,
    verbs=True,
)


def _format(name: str, title: str, known: Shape, *marks: bytes) -> Format:
    def parser(_options: FormatOptions) -> JsonLineParser:
        return JsonLineParser(known)

    def looks_like(line: bytes) -> bool:
        return line.startswith(b"{") and all(mark in line for mark in marks)

    return Format(name, title, parser, specific=8, looks_like=looks_like)


CADDY: Final = _format("caddy", "Caddy JSON access log", CADDY_SHAPE, b'"request":', b'"uri":', b'"ts":')
TRAEFIK_JSON: Final = _format(
    "traefik-json", "Traefik JSON access log", TRAEFIK_SHAPE, b'"RequestMethod":', b'"RequestPath":'
)
ENVOY_JSON: Final = _format(
    "envoy-json", "Envoy or Istio JSON access log", ENVOY_SHAPE, b'"response_code":', b'"start_time":'
)
KONG: Final = _format("kong", "Kong file-log or http-log", KONG_SHAPE, b'"started_at":', b'"request":')
KUBERNETES: Final = _format(
    "kubernetes-audit", "Kubernetes audit log", KUBERNETES_SHAPE, b'"requestURI":', b'"verb":'
)
