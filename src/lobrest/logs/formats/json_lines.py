"""JSON lines of any shape: a map from roles to fields, given by a person, a format, or found in the lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final

import msgspec

from lobrest.errors import ConfigError
from lobrest.logs.formats.format import Format
from lobrest.logs.formats.record import (
    Actor,
    Body,
    FormatOptions,
    LineError,
    Record,
    Shape,
    origin_form,
    url_host,
)
from lobrest.logs.formats.times import TimeReader, duration

ROLES: Final = (
    "time", "method", "target", "path", "query", "request", "status", "duration", "user", "token", "cookie",
    "address",
    "agent", "acting_as", "body", "body_length", "media_type", "headers", "response", "response_cut",
    "location", "host", "request_id", "date",
)  # fmt: skip
"""What a field can mean.

``target`` has the query in it, ``path`` has not; ``request`` is a whole request line; ``date`` is there where
``time`` is the time of day only.
"""

_HIDDEN = frozenset({"REDACTED", "[REDACTED]", "[FILTERED]", "***", "<redacted>", "-", ""})
_ESCAPE = re.compile(rb"\\x([0-9A-Fa-f]{2})")
_BARE_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_LONE_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_VERBS = {"CREATE": "POST", "UPDATE": "PUT", "LIST": "GET", "WATCH": "GET", "DELETECOLLECTION": "DELETE"}


def shape(
    *, duration_unit: float = 1.0, time_is_start: bool = False, verbs: bool = False, **roles: str
) -> Shape:
    """A shape from ``role="field.nested other"``: candidates by blanks, nesting by dots, ``\\.`` a dot in
    a name.
    """
    fields = {role: tuple(_path(name) for name in names.split()) for role, names in roles.items()}
    return Shape(fields, duration_unit, time_is_start, _VERBS if verbs else {})


def shape_of_map(mapping: Mapping[str, str]) -> Shape:
    """A person's field map; raises ``ConfigError`` on a role that does not exist or one that is missing."""
    options = {"duration_unit", "time_is_start"}
    for role in mapping:
        if role not in ROLES and role not in options:
            raise ConfigError(f"{role!r} is not a role of a log field", hint=f"known are {', '.join(ROLES)}")
    fields = {role: (_path(name),) for role, name in mapping.items() if role not in options}
    _check(fields)
    units = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
    unit = units.get(mapping.get("duration_unit", "s"))
    if unit is None:
        raise ConfigError("duration_unit is one of s, ms, us, ns")
    return Shape(fields, unit, str(mapping.get("time_is_start", "")).lower() in ("true", "yes", "1"))


def _check(fields: Mapping[str, object]) -> None:
    has_target = "request" in fields or "target" in fields or "path" in fields
    if "time" not in fields or not has_target or ("method" not in fields and "request" not in fields):
        raise ConfigError(
            "a field map needs time, and request or method with target or path",
            hint='e.g. {time = "ts", method = "method", target = "uri", status = "status"}',
        )


def _path(name: str) -> tuple[str, ...]:
    return tuple(part.replace("\0", ".") for part in name.replace("\\.", "\0").split("."))


class JsonLineParser:
    """Decodes only the fields that play a role."""

    def __init__(self, known: Shape) -> None:
        self._shape = known
        self._times = TimeReader()
        self._roles: list[str] = []
        paths: list[tuple[str, ...]] = []
        for role, candidates in known.fields.items():
            for path in candidates:
                self._roles.append(role)
                paths.append(path)
        tree, getters = _struct_of(paths)
        self._decoder = msgspec.json.Decoder(tree)
        self._get = attrgetter(*getters)
        self._getters = [attrgetter(getter) for getter in getters]
        self._actors: dict[tuple[str, ...], Actor] = {}

    def __call__(self, line: bytes) -> Record | None:
        values = self._values(line)
        if values is None:
            return None
        at = values.get
        method, target = self._request(values)
        moment = self._times.any(at("time") if "date" not in values else f"{at('date')}T{at('time')}")
        if not self._shape.time_is_start:
            moment -= duration(at("duration"), self._shape.duration_unit)
        headers = read_headers(at("headers"))
        body, kind = self._body(values)
        return Record(
            start=max(moment, 0.0),
            method=method,
            target=target,
            status=status_number(at("status")),
            actor=self._actor(values, headers),
            body=body,
            body_kind=kind,
            media_type=text_of(at("media_type")) or headers.get("content-type", ""),
            response="" if text_of(at("response_cut")).lower() in ("true", "1") else as_json(at("response")),
            location=first_text(at("location")),
            headers=tuple((name, value) for name, value in headers.items() if name not in CREDENTIALS),
            host=first_text(at("host")) or headers.get("host", "") or self._url_host(values),
            request_id=text_of(at("request_id")) or headers.get("x-request-id", ""),
        )

    @staticmethod
    def _url_host(values: Mapping[str, Any]) -> str:
        target = values.get("target") or values.get("path")
        return url_host(target) if isinstance(target, str) and not target.startswith("/") else ""

    def _values(self, line: bytes) -> dict[str, Any] | None:
        stripped = line.strip()
        if not stripped or stripped[0] == 35:
            return None
        if stripped[0] != 123:
            raise LineError("not a JSON object")
        root = decode_tolerantly(self._decoder, stripped)
        values: dict[str, Any] = {}
        try:
            leaves = self._get(root)
            if len(self._roles) == 1:
                leaves = (leaves,)
        except AttributeError:
            leaves = tuple(_leaf(root, getter) for getter in self._getters)
        for role, value in zip(self._roles, leaves, strict=True):
            if value is not None and value != "" and value != "-" and role not in values:
                values[role] = value
        return values

    def _request(self, values: Mapping[str, Any]) -> tuple[str, str]:
        request = values.get("request")
        if isinstance(request, str) and request:
            parts = request.split(" ")
            if len(parts) == 2 and parts[1].startswith("/"):
                parts.append("")
            if len(parts) < 3:
                raise LineError("no request line")
            return parts[0].upper(), origin_form(" ".join(parts[1:-1]))
        method = values.get("method")
        target = values.get("target") or values.get("path")
        if not isinstance(method, str) or not isinstance(target, str) or not target:
            raise LineError("no method or path")
        target = origin_form(target)
        query = values.get("query")
        if isinstance(query, str) and query not in _HIDDEN and "?" not in target:
            target = f"{target}?{query.lstrip('?')}"
        method = method.upper()
        return self._shape.verbs.get(method, method), target

    def _actor(self, values: Mapping[str, Any], headers: Mapping[str, str]) -> Actor:
        key = (
            clear_text(values.get("user")),
            clear_text(values.get("token")) or visible(headers.get("authorization")) or _key_header(headers),
            clear_text(values.get("cookie")) or visible(headers.get("cookie")),
            clear_text(values.get("address")),
            clear_text(values.get("agent")) or headers.get("user-agent", ""),
            clear_text(values.get("acting_as")) or visible(headers.get("sudo")),
        )
        actor = self._actors.get(key)
        if actor is None:
            if len(self._actors) > 50_000:
                self._actors.clear()
            actor = self._actors[key] = Actor(*key)
        return actor

    def _body(self, values: Mapping[str, Any]) -> tuple[str, Body]:
        if "body" not in self._shape.fields:
            return "", Body.UNKNOWN
        body = as_json(values.get("body"))
        if body in ("", "-"):
            # A body that went to a temporary file is logged as nothing, though its length is known.
            length = text_of(values.get("body_length"))
            return "", Body.UNKNOWN if length.isdigit() and int(length) > 0 else Body.TEXT
        return body, Body.TEXT


CREDENTIALS: Final = frozenset(
    {"authorization", "proxy-authorization", "cookie", "set-cookie", "private-token", "x-api-key",
    "x-auth-token",
     "api-key", "x-access-token", "x-csrf-token", "apikey", "x-gitlab-token", "job-token", "deploy-token"}
)  # fmt: skip
"""Headers that never leave the reader."""


def _key_header(headers: Mapping[str, str]) -> str:
    for name in (
        "private-token",
        "x-api-key",
        "x-auth-token",
        "x-access-token",
        "api-key",
        "apikey",
        "job-token",
    ):
        value = visible(headers.get(name))
        if value:
            return value
    return ""


def visible(value: str | None) -> str:
    """The value, or nothing where the log hides it."""
    return "" if value is None or value in _HIDDEN or value.endswith(("REDACTED", "[FILTERED]")) else value


def clear_text(value: object) -> str:
    """A name or number as text; nothing where it is hidden."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, list):
        return ", ".join(clear_text(item) for item in value[:8])
    return text_of(value)


def text_of(value: object) -> str:
    """A scalar as text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) and abs(value) < 1e30 else ""


def first_text(value: object) -> str:
    """A text, or the first of a list."""
    return text_of(value[0] if isinstance(value, list) and value else value)


def as_json(value: object) -> str:
    """A logged body: text as it is, a JSON value as its text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def status_number(value: object) -> int:
    """The status; 0 for none."""
    if isinstance(value, str):
        value = int(value) if value.isdigit() and len(value) < 5 else 0
    if isinstance(value, float):
        value = int(value) if 0 <= value < 1000 else 0
    return value if isinstance(value, int) and 0 <= value < 1000 else 0


def read_headers(value: object) -> dict[str, str]:
    """Headers as an object of texts or lists, or a list of ``{"name", "value"}`` or pairs; lower-case
    names.
    """
    headers: dict[str, str] = {}
    if isinstance(value, dict):
        for name, held in list(value.items())[:200]:
            first = held[0] if isinstance(held, list) and held else held
            if isinstance(first, str):
                headers.setdefault(str(name).lower(), first)
    elif isinstance(value, list):
        for item in value[:200]:
            if isinstance(item, dict):
                name, held = item.get("name"), item.get("value")
            elif isinstance(item, list | tuple) and len(item) == 2:
                name, held = item
            else:
                continue
            if isinstance(name, str) and isinstance(held, str):
                headers.setdefault(name.lower(), held)
    return headers


def decode_tolerantly(decoder: msgspec.json.Decoder[Any], line: bytes) -> Any:
    """Decode; once more with broken UTF-8, bare control bytes and nginx's ``\\xHH`` mended; raises
    ``LineError``.
    """
    try:
        return decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        pass
    except RecursionError:
        raise LineError("nested too deeply") from None
    mended = line.decode("utf-8", "replace").encode()
    mended = _ESCAPE.sub(rb"\\u00\1", mended)
    mended = _BARE_CONTROL.sub(b"", mended)
    mended = _LONE_SURROGATE.sub(rb"\\ufffd", mended) if b"\\ud" in mended or b"\\uD" in mended else mended
    try:
        return decoder.decode(mended)
    except msgspec.ValidationError:
        raise LineError("fields of an unexpected type") from None
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise LineError("not valid JSON") from None
    except RecursionError:
        raise LineError("nested too deeply") from None


def _leaf(root: object, getter: Callable[[object], Any]) -> Any:
    try:
        return getter(root)
    except AttributeError:
        return None


def _struct_of(paths: Sequence[tuple[str, ...]]) -> tuple[type[Any], list[str]]:
    """A struct type with just these nested fields, and for each path its attribute path."""
    tree: dict[str, Any] = {}
    for path in paths:
        node = tree
        for part in path[:-1]:
            held = node.setdefault(part, {})
            if not isinstance(held, dict):
                held = node[part] = {}
            node = held
        node.setdefault(path[-1], None)
    names: dict[tuple[str, ...], str] = {}
    kind = _struct(tree, (), names)
    getters = []
    for path in paths:
        getters.append(".".join(names[path[: end + 1]] for end in range(len(path))))
    return kind, getters


def _struct(node: Mapping[str, Any], above: tuple[str, ...], names: dict[tuple[str, ...], str]) -> type[Any]:
    fields: list[tuple[str, Any, Any]] = []
    renamed: dict[str, str] = {}
    for number, (key, inner) in enumerate(node.items()):
        name = f"f{number}"
        names[(*above, key)] = name
        renamed[name] = key
        if isinstance(inner, dict):
            nested = _struct(inner, (*above, key), names)
            fields.append((name, nested | None, None))
        else:
            fields.append((name, Any, None))
    return msgspec.defstruct("Line", fields, rename=renamed, gc=False)


# Names that loggers use, most telling first; compared in lower case without punctuation.
_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "time": (
        "msec", "starttime", "startedat", "startedatetime", "starteddatetime", "startutc",
        "requesttimestamp", "timeiso8601",
        "timestamp", "time", "ts", "datetime", "date", "timelocal", "requestreceivedtimestamp", "t", "at",
        "when",
    ),
    "method": ("method", "requestmethod", "httpmethod", "verb", "httprequestmethod", "reqmethod",
    "requesthttpmethod", "csmethod"),
    "target": (
        "requesturi", "uri", "url", "target", "originalurl", "requesturl", "httpurl", "urloriginal",
        "httptarget",
        "requesttarget", "rawpath", "requestpath", "path", "urlpath", "httppath", "pathinfo", "csuristem",
    ),
    "query": ("querystring", "args", "query", "urlquery", "requestquery", "qs", "csuriquery"),
    "request": ("request", "requestline"),
    "status": (
        "status", "statuscode", "responsestatus", "httpstatus", "httpstatuscode", "responsecode", "code",
        "responsestatuscode",
        "httpresponsestatuscode", "sc", "downstreamstatus", "scstatus",
    ),
    "duration": (
        "requesttime", "rt", "durations", "durationms", "duration", "latencyms", "latency", "elapsedms",
        "elapsed",
        "responsetime", "responsetimems", "took", "tookms", "timetaken", "processtime", "durationns",
        "durationus",
    ),
    "user": (
        "userid", "username", "user", "remoteuser", "login", "account", "accountid", "principal", "subject",
        "sub",
        "consumer", "consumerusername", "clientusername", "authuser", "uid", "actor", "usernameemail",
        "useremail", "enduserid", "enduser", "csusername", "who",
    ),
    "token": ("authorization", "auth", "token", "tokenid", "apikey", "apikeyid", "accesstoken", "bearer",
    "requestauthorization"),
    "cookie": ("sess", "session", "sessionid", "cookie", "sid", "cookies", "httpcookie", "requestcookie"),
    "address": (
        "remoteaddr", "remoteip", "clientip", "ip", "clientaddr", "xforwardedfor", "sourceip",
        "remoteaddress", "clienthost",
        "client", "remote", "peer", "httpxforwardedfor", "addr", "cip", "fwd",
    ),
    "agent": ("useragent", "httpuseragent", "ua", "agent", "requestuseragent", "useragentoriginal", "csuseragent"),
    "acting_as": ("sudo", "actingas", "impersonate", "impersonateduser", "onbehalfof", "httpsudo", "runas"),
    "body": ("requestbody", "reqbody", "body", "payload", "requestpayload", "postdata",
    "requestbodycontent", "requestobject"),
    "body_length": ("contentlength", "requestcontentlength", "requestlength"),
    "media_type": ("contenttype", "requestcontenttype", "ct", "mimetype"),
    "headers": ("requestheaders", "headers", "reqheaders"),
    "response": ("responsebody", "respbody", "resbody", "responsepayload", "responseobject",
    "responsebodycontent"),
    "response_cut": ("resptruncated", "responsetruncated", "responsebodytruncated"),
    "location": ("resplocation", "responselocation", "locationheader", "senthttplocation",
    "upstreamhttplocation", "location"),
    "host": ("host", "httphost", "requesthost", "authority", "servername", "vhost", "domainname", "xforwardedhost",
    "urldomain", "hostheader", "xhostheader", "cshost"),
    "request_id": ("requestid", "xrequestid", "reqid", "httpxrequestid", "httprequestid", "correlationid"),
}  # fmt: skip

_STARTS = frozenset(
    {"starttime", "startedat", "starteddatetime", "startutc", "requestreceivedtimestamp", "requesttimestamp"}
)
_OWN_SIDE = ("response", "resp", "upstream", "origin")


def find_shape(lines: Iterable[bytes]) -> Shape | None:
    """The shape that the lines themselves show, by the names of their fields and what is in them; None if
    none.
    """
    samples = [sample for sample in (_sample(line) for line in lines) if sample]
    if not samples:
        return None
    paths: dict[tuple[str, ...], list[object]] = {}
    for sample in samples:
        for path, value in _flatten(sample):
            paths.setdefault(path, []).append(value)
    fields: dict[str, tuple[tuple[str, ...], ...]] = {}
    for role, names in _NAMES.items():
        found = _candidates(role, names, paths)
        if found:
            fields[role] = found
    for role in ("time", "method", "target", "status"):
        if role not in fields and not (role != "time" and "request" in fields):
            fields |= _by_content(role, paths, len(samples))
    if "time" not in fields:
        fields |= _day_and_time(paths)
    if "request" in fields and "target" in fields and "method" in fields:
        del fields["request"]
    if "response" in fields and "body" in fields:
        fields["body"] = tuple(path for path in fields["body"] if path not in fields["response"])
    try:
        _check(fields)
    except ConfigError:
        return None
    time_name = _plain(fields["time"][0][-1])
    return Shape(fields, _unit(fields.get("duration", ()), paths), time_name in _STARTS)


def _sample(line: bytes) -> dict[str, Any]:
    try:
        value = decode_tolerantly(msgspec.json.Decoder(Any), line.strip())
    except LineError:
        return {}
    return value if isinstance(value, dict) else {}


def _flatten(
    value: Mapping[str, Any], above: tuple[str, ...] = ()
) -> Iterable[tuple[tuple[str, ...], object]]:
    for key, inner in list(value.items())[:300]:
        path = (*above, str(key))
        yield path, inner
        if isinstance(inner, dict) and len(path) < 4:
            yield from _flatten(inner, path)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _candidates(
    role: str, names: Sequence[str], paths: Mapping[tuple[str, ...], list[object]]
) -> tuple[tuple[str, ...], ...]:
    ranked: list[tuple[int, int, tuple[str, ...]]] = []
    for path, values in paths.items():
        held = [value for value in values if value not in (None, "", "-")]
        whole, last = _plain("".join(path)), _plain(path[-1])
        theirs = role in ("response", "response_cut", "location", "status")
        if not theirs and _plain(path[0]).startswith(_OWN_SIDE) and (len(path) > 1 or last not in names):
            continue
        rank = next((number for number, name in enumerate(names) if name in (whole, last)), None)
        if rank is None or not _fits(role, held):
            continue
        ranked.append((rank, len(path), path))
    ranked.sort()
    return tuple(path for _, _, path in ranked[: 1 if role in ("time", "status", "duration") else 3])


def _fits(role: str, values: Sequence[object]) -> bool:
    """Do the values look like what the name promises? A field that is always empty may be anything."""
    if role == "status":
        return any(100 <= status_number(value) < 600 for value in values)
    if role == "time":
        return bool(values) and all(_is_time(value) for value in values[:5])
    if role == "method":
        return any(isinstance(value, str) and value.isalpha() and value.isascii() for value in values)
    if role == "target":
        return any(isinstance(value, str) and (value.startswith("/") or "://" in value) for value in values)
    if role == "request":
        return any(isinstance(value, str) and value.count(" ") >= 1 and "/" in value for value in values)
    if role == "headers":
        return any(isinstance(value, dict | list) for value in values)
    if role in ("body", "response"):
        return True
    if role == "location":
        return all(isinstance(value, str) and ("/" in value) for value in values)
    if role in ("user", "token", "cookie", "acting_as"):
        return all(isinstance(value, str | int) for value in values)
    return all(isinstance(value, str | int | float | list) for value in values)


_METHODS: Final = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})


def _by_content(
    role: str, paths: Mapping[tuple[str, ...], list[object]], lines: int
) -> dict[str, tuple[tuple[str, ...], ...]]:
    """A field that is in every line and can only be one thing, whatever it is called."""
    fits: dict[str, Callable[[object], bool]] = {
        "time": _is_recent,
        "method": lambda value: isinstance(value, str) and value.upper() in _METHODS,
        "target": lambda value: isinstance(value, str) and value.startswith("/"),
        "status": lambda value: 100 <= status_number(value) < 600,
    }
    found = [path for path, values in paths.items() if len(values) == lines and all(map(fits[role], values))]
    # Of several numbers that look like a status nobody knows which one is it.
    return {role: (min(found, key=len),)} if len(found) == 1 or (found and role == "time") else {}


def _day_and_time(
    paths: Mapping[tuple[str, ...], list[object]],
) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Date and time of day in fields of their own."""
    for path, values in paths.items():
        if "date" not in path[-1]:
            continue
        beside = (*path[:-1], path[-1].replace("date", "time"))
        hours = paths.get(beside, [])
        if len(hours) == len(values) and all(
            _is_time(f"{day}T{hour}") for day, hour in zip(values, hours, strict=True)
        ):
            return {"date": (path,), "time": (beside,)}
    return {}


def _is_recent(value: object) -> bool:
    """A time of this century: smaller numbers are counts of something."""
    return not isinstance(value, bool) and _is_time(value) and TimeReader().any(value) > 9.4e8


def _is_time(value: object) -> bool:
    try:
        moment = TimeReader().any(value)
    except LineError:
        return False
    return moment > 1e8


def _unit(candidates: Sequence[tuple[str, ...]], paths: Mapping[tuple[str, ...], list[object]]) -> float:
    if not candidates:
        return 1.0
    name = candidates[0][-1].lower()
    for suffix, unit in (("_ms", 1e-3), ("ms", 1e-3), ("_ns", 1e-9), ("_us", 1e-6), ("_s", 1.0)):
        if name.endswith(suffix):
            return unit
    values = [value for value in paths[candidates[0]] if value is not None]
    # Whole numbers are counts of something small; seconds are written with a fraction.
    whole = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
    if not whole or len(whole) < len(values) or _plain(name) in ("requesttime", "rt"):
        return 1.0
    return 1e-9 if max(whole) > 10_000_000 else 1e-3


def _parser(options: FormatOptions) -> JsonLineParser:
    if options.fields:
        return JsonLineParser(shape_of_map(options.fields))
    if options.shape is not None:
        return JsonLineParser(options.shape)
    raise ConfigError("no field map for JSON lines, and none could be found", hint="give one in lobrest.toml")


JSON_LINES: Final = Format("json", "JSON lines", _parser, specific=1)
