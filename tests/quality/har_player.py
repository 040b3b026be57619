"""Plays a HAR file that lobrest has written: the usual fields, and what they say of values that flow."""

from __future__ import annotations

import http.client
import json
import re
import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from lobrest import report

ENCODE = {
    "url": lambda text: quote(text, safe=""),
    "json": lambda text: json.dumps(text)[1:-1],
    "raw": lambda text: text,
}


def happens(har: str, url: str, credentials: Mapping[str, str]) -> bool:
    """Is the bug there? Raises ``RuntimeError`` where a step before the last cannot be done."""
    log = json.loads(har)["log"]
    check = log["_check"]
    values = {one["name"]: _fresh(one) for one in log["_fresh"]}
    kept = b""
    for position, entry in enumerate(log["entries"]):
        last = position == len(log["entries"]) - 1
        time.sleep(check["pause"] if last else 0)
        status, headers, content = _send(entry, url, credentials, values)
        if last:
            return _judged(check, status, headers, content, kept)
        if 200 <= entry["response"]["status"] < 300 and not 200 <= status < 300:
            raise RuntimeError(f"step {position + 1} answered {status}: {content[:200]!r}")
        for capture in entry["_step"]["captures"]:
            values[capture["name"]] = _picked(capture, headers, content)
        if position == check["same_as"]:
            kept = content
    raise RuntimeError("no entries")


def _fresh(one: Mapping[str, Any]) -> str:
    text = secrets.token_hex(one["length"])
    if one["kind"] == "digits":
        text = "".join(str(int(letter, 16) % 10) for letter in text)
    return ("Aa1!" + text if one["kind"] == "secret" else text)[: one["length"]]


def _filled(text: str, values: Mapping[str, str], encoding: str) -> str:
    return re.sub(
        r"\{\{(\w+)\}\}",
        lambda hole: ENCODE[encoding](values[hole[1]]) if hole[1] in values else hole[0],
        text,
    )


def _send(
    entry: Mapping[str, Any], url: str, credentials: Mapping[str, str], values: Mapping[str, str]
) -> tuple[int, Any, bytes]:
    step, request = entry["_step"], entry["request"]
    headers = {one["name"]: _filled(one["value"], values, "raw") for one in step["headers"]}
    if entry.get("_actor"):
        headers["Authorization"] = credentials[entry["_actor"]]
    body = None if step["body"] is None else _filled(step["body"], values, step["encoding"]).encode()
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    connection.request(request["method"], _filled(step["target"], values, "url"), body, headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, answer.headers, content


def _picked(capture: Mapping[str, Any], headers: Any, content: bytes) -> str:
    if capture["source"] == "body":
        value = json.loads(content)
        for part in capture["where"].split("/") if capture["where"] else []:
            name = part.replace("~1", "/").replace("~0", "~")
            value = value[int(name)] if isinstance(value, list) else value[name]
        return value if isinstance(value, str) else json.dumps(value)
    if capture["source"] == "location":
        path = [part for part in urlsplit(headers["Location"]).path.split("/") if part]
        return unquote(path[int(capture["where"])])
    return str(headers[capture["where"]])


def _judged(check: Mapping[str, Any], status: int, headers: Any, content: bytes, other: bytes) -> bool:
    scope: dict[str, Any] = {"CHECK": check, "json": json, "re": re}
    source = Path(next(iter(report.__path__))) / "templates/judging.py.j2"
    exec(compile(source.read_text(encoding="utf-8"), "judging.py", "exec"), scope)
    code = f"{status:03d}"
    media = (headers.get("Content-Type") or "").partition(";")[0].strip().lower()
    value = check["value"]
    return (
        any(code == one or (one[1:] == "XX" and one[0] == code[0]) for one in check["statuses"])
        and (not check["pattern"] or re.search(check["pattern"].encode(), content) is not None)
        and (not check["media_type"] or media == check["media_type"])
        and (check["same_as"] is None or scope["steady"](other) == scope["steady"](content))
        and (value is None or any(map(scope["is_wrong"], scope["places"](content, value[0]))))
    )
