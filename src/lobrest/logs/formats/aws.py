"""AWS: Application Load Balancer, and API Gateway in its four published forms."""

from __future__ import annotations

import re
from typing import Final

from lobrest.logs.formats.combined import CombinedParser
from lobrest.logs.formats.format import Format
from lobrest.logs.formats.json_lines import JsonLineParser, shape, status_number
from lobrest.logs.formats.record import Actor, FormatOptions, LineError, Record, origin_form, url_host
from lobrest.logs.formats.text import METHOD, quoted_words, request_line
from lobrest.logs.formats.times import TimeReader

_ELEMENT: Final = re.compile(r"<(\w{1,40})>([^<]{0,8000})</\w{1,40}>")
_ROUTE_METHOD: Final = re.compile(rb'"routeKey"\s*:\s*"([A-Z]{1,20}) [^"]{0,2000}"')
_GATEWAY_SHAPE: Final = shape(
    time="requestTime requestTimeEpoch",
    request="routeKey",
    method="httpMethod",
    target="path resourcePath",
    status="status",
    user="user caller principalId sub userArn authorizer.principalId authorizer.claims.sub authorizer\\.sub "
    "authorizer\\.principalId authorizer\\.claims\\.sub",
    token="apiKeyId apiKey",
    address="ip sourceIp",
    agent="userAgent",
    host="domainName",
)


class AlbParser:
    """Words and quoted strings; more of them may be appended in time."""

    def __init__(self, _options: FormatOptions) -> None:
        self._times = TimeReader()

    def __call__(self, line: bytes) -> Record | None:
        text = line.decode("utf-8", "replace").strip()
        if not text or text[0] == "#":
            return None
        words = quoted_words(text)
        if len(words) < 14 or words[0] not in ("http", "https", "h2", "grpcs", "ws", "wss"):
            raise LineError("line does not fit the format")
        method, target = request_line(words[12])
        created = words[21] if len(words) > 21 else ""
        if created[4:5] == "-":
            moment = self._times.iso(created)
        else:
            moment = self._times.iso(words[1]) - sum(_positive(word) for word in words[5:8])
        address = words[3].rpartition(":")[0]
        agent = "" if words[13] == "-" else words[13]
        host = url_host(words[12].partition(" ")[2])
        return Record(
            moment, method, target, status_number(words[8]), Actor(address=address, agent=agent), host=host
        )


class ApiGatewayParser:
    """JSON, XML, CSV or common log, as the first character tells."""

    def __init__(self, options: FormatOptions) -> None:
        self._json = JsonLineParser(_GATEWAY_SHAPE)
        self._combined = CombinedParser(options)
        self._times = TimeReader()

    def __call__(self, line: bytes) -> Record | None:
        stripped = line.strip()
        if stripped.startswith(b"{"):
            return self._json(self._with_method(stripped))
        if stripped.startswith(b"<"):
            return self._fields(dict(_ELEMENT.findall(stripped.decode("utf-8", "replace"))))
        if stripped.count(b",") >= 8 and b'"' not in stripped:
            names = (
                "ip",
                "caller",
                "user",
                "requestTime",
                "httpMethod",
                "resourcePath",
                "protocol",
                "status",
            )
            values = stripped.decode("utf-8", "replace").split(",")
            return self._fields(dict(zip(names, values, strict=False)))
        return self._combined(line)

    @staticmethod
    def _with_method(line: bytes) -> bytes:
        # A REST API has httpMethod and a path; an HTTP API only the route key, which is read as a request
        # line, unless the path itself is there: then it tells the method.
        if b'"path"' not in line:
            return line
        if b'"httpMethod"' in line:
            return line.replace(b'"routeKey"', b'"_"', 1)
        return _ROUTE_METHOD.sub(rb'"httpMethod":"\1"', line, count=1)

    def _fields(self, held: dict[str, str]) -> Record:
        method, target = held.get("httpMethod", "").upper(), held.get("path") or held.get("resourcePath", "")
        if not METHOD.match(method) or not target.startswith("/"):
            raise LineError("no method or path")
        user = next((held[name] for name in ("user", "caller") if held.get(name, "-") not in ("-", "")), "")
        return Record(
            self._times.any(held.get("requestTime", "")),
            method,
            origin_form(target),
            status_number(held.get("status", "")),
            Actor(name=user, address=held.get("ip", "")),
        )


def _positive(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        return 0.0
    return number if 0 < number < 86_400 else 0.0


def _is_gateway(line: bytes) -> bool:
    return (
        b'"requestTime' in line
        or b'"routeKey"' in line
        or b"<requestTime>" in line
        or b"resourcePath" in line
    )


ALB: Final = Format("aws-alb", "AWS Application Load Balancer log", AlbParser, specific=7)
API_GATEWAY: Final = Format(
    "aws-api-gateway", "AWS API Gateway access log", ApiGatewayParser, specific=9, looks_like=_is_gateway
)
