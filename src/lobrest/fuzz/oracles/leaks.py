"""Secrets, stack traces and other internals in answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lobrest.fuzz.judge import parsed
from lobrest.fuzz.oracles.alarm import Alarm, Seen, alarm
from lobrest.fuzz.oracles.validators import declared_answer, json_schema
from lobrest.fuzz.play import Performance
from lobrest.model.bug import BugKind, Check, Severity
from lobrest.model.exchange import Exchange, Response
from lobrest.model.operation import ApiSpec, Json, Operation
from lobrest.model.pointer import leaves, parts
from lobrest.spec.fields import array_items, properties_of

_LARGEST: Final = 500_000


@dataclass(frozen=True, slots=True)
class _Sign:
    """A text that nobody should be shown. The pattern is common to Python, JavaScript and grep -E."""

    kind: BugKind
    name: str
    hints: tuple[bytes, ...]
    """One of them is in every match: looked for first, because that is cheap."""
    pattern: str


_SIGNS: Final = (
    _Sign(BugKind.INTERNALS, "a Python traceback", (b"Traceback (",), r"Traceback \(most recent call last\)"),
    _Sign(
        BugKind.INTERNALS,
        "a Java stack trace",
        (b".java:", b".kt:", b".scala:", b".groovy:"),
        r"at [A-Za-z_$][A-Za-z0-9_$.<>/]*\([A-Za-z0-9_$]+\.(java|kt|scala|groovy):[0-9]+\)",
    ),
    _Sign(BugKind.INTERNALS, "a Go stack trace", (b"goroutine ",), r"goroutine [0-9]+ \[[a-z ]+"),
    _Sign(
        BugKind.INTERNALS, "a .NET stack trace", (b":line ",), r"at [A-Za-z0-9_.<>`]+\(.*\) in .+:line [0-9]+"
    ),
    _Sign(
        BugKind.INTERNALS,
        "a Node.js stack trace",
        (b".js:", b".ts:", b".mjs:", b".cjs:"),
        r"at [^\n]{0,200}[/\\(][^\n ]{1,200}\.[mc]?[jt]s:[0-9]+:[0-9]+",
    ),
    _Sign(BugKind.INTERNALS, "a Ruby backtrace", (b".rb:",), r"[A-Za-z0-9_/.-]+\.rb:[0-9]+:in [`']"),
    _Sign(
        BugKind.INTERNALS,
        "a PHP error",
        (b".php",),
        r"(Stack trace:|Fatal error|Uncaught [A-Za-z]+).{1,300}\.php",
    ),
    _Sign(
        BugKind.INTERNALS,
        "an error of the database",
        (b"SQL", b"ORA-", b"syntax error at or near", b"constraint", b"PG::", b"psycopg"),
        r"(SQLSTATE\[|You have an error in your SQL syntax|ORA-[0-9]{5}|syntax error at or near "
        r"|SQLITE_[A-Z]+|sqlite3\.[A-Z][a-z]+Error|psycopg2?\.[a-z.]*[A-Z]|PG::[A-Z][A-Za-z]+"
        r"|(UNIQUE|FOREIGN KEY|NOT NULL|CHECK) constraint failed"
        r"|violates (foreign key|unique|not-null|check) constraint)",
    ),
    _Sign(BugKind.SECRET, "a private key", (b"PRIVATE KEY-----",), r"-----BEGIN ([A-Z]+ )?PRIVATE KEY-----"),
    _Sign(BugKind.SECRET, "a cloud access key", (b"AKIA",), r"AKIA[0-9A-Z]{16}"),
    _Sign(
        BugKind.SECRET,
        "a password hash",
        (b"$2a$", b"$2b$", b"$2y$", b"$argon2", b"pbkdf2"),
        r"(\$2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{50}|\$argon2(id|i|d)\$v=|pbkdf2[a-z0-9_:]*\$[0-9]+\$[^ ]{10})",
    ),
    _Sign(
        BugKind.SECRET,
        "a connection string with its password",
        (b"://",),
        r"(postgres(ql)?|mysql|mariadb|mongodb(\+srv)?|rediss?|amqps?|mssql)://[^ :/@]+:[^ @/]+@",
    ),
)
_COMPILED: Final = tuple((sign, re.compile(sign.pattern.encode())) for sign in _SIGNS)
_PASSWORD: Final = re.compile(
    r"^(pass(word|wd|phrase)|pwd|(hashed|encrypted|plain|user)_?pass(word|wd)|pass(word|wd)_?(hash|digest|salt))$",
    re.IGNORECASE,
)
_MASKED: Final = re.compile(r"^[\W_xX]*$|hidden|redacted|filtered|masked|protected", re.IGNORECASE)


class LeakOracle:
    """Looks for signs of leaks in answers. What the flow itself has sent is no leak when it comes back."""

    def __init__(self, spec: ApiSpec) -> None:
        self._spec = spec
        self._declared: dict[tuple[str, int], frozenset[str]] = {}

    def told(self, seen: Seen) -> Iterator[Alarm]:
        """Signs in every answer that is read."""
        for position, result in enumerate(seen.performance.results):
            response = result.exchange.response
            if response is None or not response.body or not seen.looked_at[position]:
                continue
            body = response.body[:_LARGEST]
            told = False
            for sign, pattern in _COMPILED:
                if not any(hint in body for hint in sign.hints):
                    continue
                match = pattern.search(body)
                if match is not None and not _was_sent(seen.performance, position, match[0]):
                    told = told or sign.kind is BugKind.SECRET
                    yield _told(position, result.exchange, sign, match[0])
            if not told and (b"assw" in body or b"pwd" in body):
                yield from self._passwords(position, result.exchange, response)

    def _passwords(self, position: int, exchange: Exchange, response: Response) -> Iterator[Alarm]:
        operation = self._spec.operations[exchange.request.operation]
        document = parsed(response)
        if not exchange.ok or not isinstance(document, dict | list):
            return
        for where, value in leaves(document):
            name = next((part for part in reversed(parts(where)) if not part.isdigit()), "")
            if not isinstance(value, str) or not _PASSWORD.match(name) or not value or _MASKED.search(value):
                continue
            if name in self._declares(operation, exchange.status):
                continue
            yield alarm(
                BugKind.SECRET,
                operation.id,
                exchange.status,
                f"field {name}",
                position=position,
                message=f"the answer has a filled field {name!r}",
                severity=Severity.HIGH,
                evidence=f"{len(value)} characters at /{where}; the specification does not say that it is shown",
                check=Check(statuses=("2XX",), pattern=f'"{re.escape(name)}" *: *"[^"*]'),
            )
            return

    def _declares(self, operation: Operation, status: int) -> frozenset[str]:
        key = (str(operation.id), status)
        if key not in self._declared:
            answer = declared_answer(operation, status)
            schema = json_schema(answer) if answer is not None else None
            self._declared[key] = frozenset(_names(self._spec, dict(schema), 0)) if schema else frozenset()
        return self._declared[key]


def _names(spec: ApiSpec, schema: Json, depth: int) -> Iterator[str]:
    """Names of fields that answers may show."""
    if depth > 4 or not isinstance(schema, dict):
        return
    items = array_items(spec, schema)
    if items is not None:
        yield from _names(spec, dict(items), depth + 1)
    for name, inner in properties_of(spec, schema).items():
        if spec.resolve(inner).get("writeOnly") is not True:
            yield name
            yield from _names(spec, dict(inner), depth + 1)


def _was_sent(performance: Performance, position: int, text: bytes) -> bool:
    """Did the flow bring it itself?"""
    sent = (one.exchange.request for one in performance.results[: position + 1])
    return any(
        text in (request.body or b"") or text.decode("utf-8", "replace") in request.target for request in sent
    )


def _told(position: int, exchange: Exchange, sign: _Sign, text: bytes) -> Alarm:
    secret = sign.kind is BugKind.SECRET
    shown = f"{len(text)} characters" if secret else ascii(text[:160].decode("utf-8", "replace"))[1:-1]
    return alarm(
        sign.kind,
        exchange.request.operation,
        exchange.status,
        sign.name,
        position=position,
        message=f"the answer shows {sign.name}",
        severity=Severity.HIGH if secret else Severity.MEDIUM,
        evidence=shown,
        check=Check(statuses=(str(exchange.status),), pattern=sign.pattern),
    )
