"""nginx: combined, ingress-nginx, and any ``log_format``."""

from __future__ import annotations

import re
from typing import Final

from lobrest.errors import ConfigError
from lobrest.logs.formats.combined import CombinedParser
from lobrest.logs.formats.format import Format
from lobrest.logs.formats.json_lines import JsonLineParser, shape_of_map
from lobrest.logs.formats.record import FormatOptions, Parser
from lobrest.logs.formats.text import Piece, TextShape, template_parser

INGRESS: Final = (
    '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" '
    '"$http_user_agent" $request_length $request_time [$proxy_upstream_name] '
    "[$proxy_alternative_upstream_name] $upstream_addr $upstream_response_length $upstream_response_time "
    "$upstream_status $req_id"
)

_ROLES: Final = {
    "remote_addr": "address", "http_x_forwarded_for": "address", "realip_remote_addr": "address",
    "the_real_ip": "address",
    "http_x_real_ip": "address", "proxy_protocol_addr": "address", "remote_user": "user", "time_local": "clf",
    "time_iso8601": "iso", "msec": "epoch", "request": "request", "request_method": "method", "request_uri":
    "target",
    "filtered_request_uri": "target", "uri": "path", "document_uri": "path", "args": "query",
    "query_string": "query",
    "status": "status", "request_time": "duration", "http_user_agent": "agent", "request_body": "body",
    "content_type": "media_type", "http_content_type": "media_type", "http_authorization": "token",
    "http_private_token": "token", "http_x_api_key": "token", "http_cookie": "cookie", "http_sudo":
    "acting_as",
    "http_x_user_id": "user", "http_x_user": "user", "sent_http_location": "location",
    "upstream_http_location": "location", "host": "host", "http_host": "host", "server_name": "host",
    "request_id": "request_id", "req_id": "request_id", "http_x_request_id": "request_id",
}  # fmt: skip
_VARIABLE = re.compile(r"\$\{(\w+)\}|\$(\w+)")
_DIRECTIVE = re.compile(r"^\s*log_format\s+(\S+)\s+(.*?);?\s*$", re.DOTALL)
_ESCAPE_OPTION = re.compile(r"^escape=(\w+)\s+")
_STRINGS = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")


def template_of(text: str) -> tuple[str, bool]:
    """The template inside a ``log_format`` directive or the bare template, and whether it is JSON-escaped."""
    found = _DIRECTIVE.match(text)
    rest = found.group(2) if found else text
    option = _ESCAPE_OPTION.match(rest)
    escaped = option is not None and option.group(1) == "json"
    if option:
        rest = rest[option.end() :]
    if found:
        strings = [(single or double) for single, double in _STRINGS.findall(rest)]
        rest = "".join(strings) if strings else rest
        rest = re.sub(r"\\(['\"\\])", r"\1", rest)
    return rest, escaped


def compile_template(template: str, *, json_escaped: bool = False) -> TextShape:
    """Pieces of a ``log_format``."""
    pieces: list[Piece] = []
    position = 0
    for found in _VARIABLE.finditer(template):
        if found.start() > position:
            pieces.append(Piece(template[position : found.start()]))
        name = found.group(1) or found.group(2)
        pieces.append(Piece("", _ROLES.get(name, ""), is_field=True))
        position = found.end()
    if position < len(template):
        pieces.append(Piece(template[position:]))
    if not any(piece.is_field for piece in pieces):
        raise ConfigError("the log format has no $variables")
    return TextShape(tuple(pieces), json_escaped=json_escaped)


def _by_template(options: FormatOptions) -> Parser:
    if not options.template:
        return CombinedParser(options)
    text, escaped = template_of(options.template)
    if text.lstrip().startswith("{"):
        return _json_template(text)
    return template_parser(compile_template(text, json_escaped=escaped))


def _json_template(text: str) -> Parser:
    """A JSON ``log_format`` is read as JSON lines: the template says which key holds which variable."""
    from_key = re.compile(r'"([^"]+)"\s*:\s*"?\$\{?(\w+)\}?"?')
    roles: dict[str, str] = {}
    names = {"clf": "time", "iso": "time", "epoch": "time"}
    for key, variable in from_key.findall(text):
        role = _ROLES.get(variable, "")
        if role:
            roles.setdefault(names.get(role, role), key.replace(".", "\\."))
        elif variable == "content_length":
            roles.setdefault("body_length", key.replace(".", "\\."))
    return JsonLineParser(shape_of_map(roles))


def _ingress(_options: FormatOptions) -> Parser:
    return template_parser(compile_template(INGRESS))


NGINX: Final = Format(
    "nginx", "nginx with its log_format; combined when none is given", _by_template, specific=4
)
INGRESS_NGINX: Final = Format("ingress-nginx", "Kubernetes ingress-nginx", _ingress, specific=5)
