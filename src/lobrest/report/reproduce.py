"""From the exchanges of a bug to steps that anybody can run again on another instance of the service."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from lobrest.model.bug import Bug
from lobrest.model.exchange import Exchange, Headers, Request
from lobrest.model.operation import OperationId
from lobrest.model.reproducer import (
    Capture,
    Encoding,
    Fresh,
    FreshKind,
    Reproducer,
    ReproStep,
)
from lobrest.report.secrets import is_secret_field, is_secret_header
from lobrest.report.spans import Span, form_spans, json_spans, target_spans
from lobrest.report.valueflow import Produced, is_identity_name, origin_of, produced_values

_TRANSPORT_HEADERS = frozenset({
    "host", "content-length", "connection", "transfer-encoding", "accept-encoding", "user-agent",
    "date",
})  # fmt: skip
_FRESH_TAIL = re.compile(
    r"(?:[-_.+ ](?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])([0-9a-f]{4,16})|[-_][xX]([0-9A-Za-z]{4,}))(?![0-9A-Za-z])"
)
"""How a name looks that was made to be unique: ``shop-8f3a12``, or ``shop-x0k2a`` as the campaign does it
(``SHOP_X0K2A`` where it is written like that)."""
NO_CREDENTIAL = "lobrest-invalid"
"""Stands where a secret would in credentials that are broken on purpose."""
_BROKEN = (NO_CREDENTIAL, base64.b64encode(f"{NO_CREDENTIAL}:{NO_CREDENTIAL}".encode()).decode())
_LONGEST_SECRET = 72
"""bcrypt's limit: a longer password was made to break something, and stays as it is."""


def reproducer_of(bug: Bug, *, fresh_values: Iterable[str] = ()) -> Reproducer:
    """The steps to a bug, with what flows from answer to request found from the exchanges alone.

    ``fresh_values`` are values that the campaign made up to be unique; others are told by their look.
    """
    steps, fresh = steps_from_exchanges(bug.exchanges, fresh_values=fresh_values)
    return Reproducer(
        bug.number,
        bug.key.operation,
        bug.key.status,
        bug.message,
        steps,
        fresh,
        bug.kind,
        bug.check,
        bug.evidence,
    )


def steps_from_exchanges(
    exchanges: Sequence[Exchange], *, fresh_values: Iterable[str] = ()
) -> tuple[tuple[ReproStep, ...], tuple[Fresh, ...]]:
    """Steps with holes for what earlier answers bring and for what must be new in every run."""
    names = _Names.avoiding(exchanges)
    flow = _Flow(names)
    drafts = []
    for position, exchange in enumerate(exchanges):
        drafts.append(_draft(position, exchange, flow))
        flow.answered(position, exchange)
    fresh = _FreshTokens.of(exchanges, fresh_values, names)
    steps = [
        replace(
            draft.finished(fresh),
            captures=tuple(
                Capture(name, one.source, one.where)
                for one, name in flow.captured.items()
                if one.step == position
            ),
        )
        for position, draft in enumerate(drafts)
    ]
    return tuple(steps), (*fresh.values.values(), *flow.secrets.values())


@dataclass(slots=True)
class _Names:
    """Gives out names of holes that no literal text contains."""

    taken: frozenset[str]
    counters: dict[str, int] = field(default_factory=dict)

    @classmethod
    def avoiding(cls, exchanges: Sequence[Exchange]) -> _Names:
        literal = set[str]()
        for exchange in exchanges:
            request = exchange.request
            for text in (request.target, *(value for _, value in request.headers)):
                literal.update(re.findall(r"\{\{(\w+)\}\}", text))
            literal.update(
                name.decode() for name in re.findall(rb"\{\{([0-9A-Za-z_]+)\}\}", request.body or b"")
            )
        return cls(frozenset(literal))

    def next(self, prefix: str) -> str:
        while True:
            self.counters[prefix] = self.counters.get(prefix, 0) + 1
            name = f"{prefix}{self.counters[prefix]}"
            if name not in self.taken:
                return name


@dataclass(slots=True)
class _Flow:
    """What the answers so far have brought, and what the requests so far have used."""

    names: _Names
    produced: dict[str, list[Produced]] = field(default_factory=dict)
    captured: dict[Produced, str] = field(default_factory=dict)
    secrets: dict[str, Fresh] = field(default_factory=dict)
    sent: set[str] = field(default_factory=set)
    """Texts that the flow itself chose."""
    first_use: dict[tuple[str, str], int] = field(default_factory=dict)

    def answered(self, position: int, exchange: Exchange) -> None:
        for text, one in produced_values(position, exchange):
            self.produced.setdefault(text, []).append(one)

    def hole_for(self, position: int, site: Span, *, in_path: bool) -> str | None:
        """The name of the hole that replaces a value, or None where it stays."""
        if is_secret_field(site.name) and site.is_string and 0 < len(site.text) <= _LONGEST_SECRET:
            return self._secret(site.text)
        chosen_here = site.is_string and site.text in self.sent and not site.text.isdigit()
        origin = None
        if not chosen_here and (in_path or is_identity_name(site.name) or len(site.text) >= 6):
            origin = origin_of(
                site, self.produced.get(site.text, ()), in_path=in_path, used_before=self.first_use
            )
        if origin is None:
            self.first_use.setdefault((site.name, site.text), position)
            if not in_path or not site.text.isdigit():
                self.sent.add(site.text)
            return None
        if origin not in self.captured:
            self.captured[origin] = self.names.next("v")
        return self.captured[origin]

    def _secret(self, text: str) -> str:
        carried = next((one for one in self.produced.get(text, ())), None)
        if carried is not None:
            return self.captured.setdefault(carried, self.names.next("v"))
        if text not in self.secrets:
            self.secrets[text] = Fresh(self.names.next("secret"), FreshKind.SECRET, max(12, len(text)))
        return self.secrets[text].name


@dataclass(frozen=True, slots=True)
class _Draft:
    """A step whose texts still hold fresh tokens as they were."""

    step: ReproStep

    def finished(self, fresh: _FreshTokens) -> ReproStep:
        return replace(
            self.step,
            target=fresh.put_into(self.step.target),
            body=None if self.step.body is None else fresh.put_into(self.step.body),
        )


@dataclass(frozen=True, slots=True)
class _FreshTokens:
    """Parts of names that were made to be unique, and the holes that stand for them."""

    values: dict[str, Fresh]

    @classmethod
    def of(cls, exchanges: Sequence[Exchange], given: Iterable[str], names: _Names) -> _FreshTokens:
        tokens: dict[str, Fresh] = {}
        for text in given:
            for token in re.findall(r"[0-9a-f]{4,}", text)[-1:]:
                cls._add(tokens, token, names)
        for exchange in exchanges:
            if exchange.request.method in ("POST", "PUT", "PATCH"):
                for span in _all_spans(exchange.request):
                    for match in _FRESH_TAIL.finditer(span.text):
                        cls._add(tokens, match[1] or match[2], names)
        return cls(tokens)

    @staticmethod
    def _add(tokens: dict[str, Fresh], token: str, names: _Names) -> None:
        if token not in tokens:
            kind = FreshKind.DIGITS if token.isdigit() else FreshKind.HEX
            tokens[token] = Fresh(names.next("fresh"), kind, len(token))

    def put_into(self, text: str) -> str:
        for token, fresh in self.values.items():
            pattern = rf"(?:(?<![0-9A-Za-z])|(?<=-x|_x|_X)|(?<=%2F|%20)){token}(?![0-9A-Za-z])"
            text = re.sub(pattern, "{{" + fresh.name + "}}", text)
        return text


def _draft(position: int, exchange: Exchange, flow: _Flow) -> _Draft:
    request = exchange.request
    template = _template(request.operation)
    path_length = len(request.target.partition("?")[0])
    edits = [
        (span, flow.hole_for(position, span, in_path=span.start < path_length))
        for span in target_spans(request.target, template)
    ]
    text, encoding = text_body(request)
    body_edits = [
        (span, flow.hole_for(position, span, in_path=False)) for span in _body_spans(text, encoding)
    ]
    step = ReproStep(
        operation=request.operation,
        method=request.method,
        target=_with_holes(request.target, edits),
        headers=_plain_headers(request.headers),
        body=None if text is None else _with_holes(text, body_edits),
        body_encoding=encoding,
        raw_body=request.body if text is None else None,
        actor=request.actor,
        expected=exchange.status,
    )
    return _Draft(step)


def _with_holes(text: str, edits: Sequence[tuple[Span, str | None]]) -> str:
    for span, name in sorted(edits, key=lambda edit: -edit[0].start):
        if name is not None:
            text = text[: span.start] + "{{" + name + "}}" + text[span.end :]
    return text


def text_body(request: Request) -> tuple[str | None, Encoding]:
    """A request's body as text and how values stand in it; None where it is no text."""
    if request.body is None:
        return None, Encoding.RAW
    try:
        text = request.body.decode("utf-8")
    except UnicodeDecodeError:
        return None, Encoding.RAW
    if "\x00" in text:
        return None, Encoding.RAW
    media_type = next((value for name, value in request.headers if name.lower() == "content-type"), "")
    if "x-www-form-urlencoded" in media_type:
        return text, Encoding.URL
    if "json" in media_type or (not media_type and text[:1] in "{["):
        return text, Encoding.JSON
    return text, Encoding.RAW


def _body_spans(text: str | None, encoding: Encoding) -> list[Span]:
    if text is None or encoding is Encoding.RAW:
        return []
    return form_spans(text) if encoding is Encoding.URL else json_spans(text) or []


def _all_spans(request: Request) -> list[Span]:
    text, encoding = text_body(request)
    return [*target_spans(request.target, _template(request.operation)), *_body_spans(text, encoding)]


def _plain_headers(headers: Headers) -> Headers:
    return tuple(
        (name, value)
        for name, value in headers
        if name.lower() not in _TRANSPORT_HEADERS
        and (not is_secret_header(name) or any(broken in value for broken in _BROKEN))
    )


def _template(operation: OperationId) -> str:
    return operation.partition(" ")[2]
