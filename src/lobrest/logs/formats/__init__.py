"""Log formats: one parser a file, and the way to find out which one fits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from lobrest.errors import ConfigError, LogError, UsageError
from lobrest.logs.formats.apache import APACHE
from lobrest.logs.formats.aws import ALB, API_GATEWAY
from lobrest.logs.formats.combined import COMBINED
from lobrest.logs.formats.envoy import ENVOY
from lobrest.logs.formats.format import Format
from lobrest.logs.formats.gateways import CADDY, ENVOY_JSON, KONG, KUBERNETES, TRAEFIK_JSON
from lobrest.logs.formats.gitlab import GITLAB
from lobrest.logs.formats.haproxy import HAPROXY
from lobrest.logs.formats.har import HAR
from lobrest.logs.formats.json_lines import JSON_LINES, find_shape
from lobrest.logs.formats.logfmt import LOGFMT, as_json_line
from lobrest.logs.formats.loose import LOOSE
from lobrest.logs.formats.mitmproxy import MITMPROXY
from lobrest.logs.formats.nginx import INGRESS_NGINX, NGINX
from lobrest.logs.formats.record import FormatOptions, LineError, Record, Shape
from lobrest.logs.formats.traefik import TRAEFIK
from lobrest.logs.formats.w3c import CLOUDFRONT, W3C
from lobrest.logs.formats.wrapping import Unwrapper, Wrapping, find_wrapping

FORMATS: Final[tuple[Format, ...]] = (
    GITLAB, COMBINED, NGINX, INGRESS_NGINX, APACHE, CADDY, TRAEFIK, TRAEFIK_JSON, ENVOY, ENVOY_JSON,
    HAPROXY, KONG, W3C,
    CLOUDFRONT, ALB, API_GATEWAY, KUBERNETES, HAR, MITMPROXY, JSON_LINES, LOGFMT,
    LOOSE,
)  # fmt: skip
"""Every format, in the order they are shown."""
AUTO: Final = "auto"
_SAMPLE = 60
_NO_OPTIONS: Final = FormatOptions()


@dataclass(frozen=True, slots=True)
class Detection:
    """Which format a file has."""

    format_name: str
    """Empty where none fits."""
    confidence: float
    """Share of the first lines that it reads, from 0 to 1."""
    why: str
    wrapping: Wrapping = Wrapping.NONE
    options: FormatOptions = _NO_OPTIONS

    @property
    def format(self) -> Format:
        """The format itself."""
        return by_name(self.format_name)


def by_name(name: str) -> Format:
    """The format of a name; raises ``UsageError`` where there is none."""
    for known in FORMATS:
        if known.name == name:
            return known
    raise UsageError(
        f"unknown log format {name!r}", hint=f"known are auto, {', '.join(known.name for known in FORMATS)}"
    )


def detect(
    head: bytes, name: str = "", options: FormatOptions = _NO_OPTIONS, wanted: str = AUTO
) -> Detection:
    """The format of a file from its first bytes; ``wanted`` settles it, then only the wrapping is looked
    for.
    """
    candidates = FORMATS if wanted == AUTO else (by_name(wanted),)
    for known in candidates:
        if known.documents is not None and (wanted != AUTO or (known.looks_like and known.looks_like(head))):
            return Detection(known.name, 1.0, f"the file is a {known.title} document", options=options)
    lines = _sample(head)
    if not lines:
        return Detection(
            "",
            0.0,
            f"{name or 'the file'} is empty" if not head.strip() else "no whole line in the first bytes",
        )
    wrapping = find_wrapping(lines)
    wrapped = lines
    if wrapping is not Wrapping.NONE:
        lines = _unwrapped(lines, wrapping)
    options = replace(options, context=_context(head))
    best: tuple[float, int, int, Format, FormatOptions] | None = None
    for known in candidates:
        if known.documents is not None:
            continue
        found = _try(known, lines, options, settled=wanted != AUTO)
        if found is None:
            continue
        share, read, with_options = found
        if best is None or (round(share, 1), known.specific, read) > (
            round(best[0], 1),
            best[3].specific,
            best[1],
        ):
            best = (share, read, known.specific, known, with_options)
    if (best is None or best[0] == 0.0) and LOOSE in candidates and wrapping is not Wrapping.NONE:
        # The only time may be what the collector wrote.
        found = _try(LOOSE, wrapped, options, settled=wanted != AUTO)
        if found is not None and found[0] > 0.0:
            lines, wrapping = wrapped, Wrapping.NONE
            best = (found[0], found[1], LOOSE.specific, LOOSE, options)
    if wanted != AUTO and (best is None or best[0] == 0.0):
        known = by_name(wanted)
        return Detection(known.name, 0.0, "asked for, but none of the first lines fit", wrapping, options)
    if best is None or best[0] == 0.0:
        return Detection("", 0.0, f"none of the {len(lines)} lines looked at fits a known format")
    share, read, _, known, with_options = best
    why = f"{read} of the first {len(lines)} lines are {known.title}"
    if with_options.shape is not None:
        why += f" ({_roles(with_options.shape)})"
    if wrapping is not Wrapping.NONE:
        why += f", wrapped by {wrapping}"
    return Detection(known.name, round(share, 3), why, wrapping, with_options)


def _try(
    known: Format, lines: list[bytes], options: FormatOptions, *, settled: bool
) -> tuple[float, int, FormatOptions] | None:
    """Share and number of lines that the format reads; None where it cannot even be tried."""
    if known in (JSON_LINES, LOGFMT) and not options.fields:
        shape = find_shape(lines[:20] if known is JSON_LINES else _pairs(lines[:20]))
        if shape is None:
            return None
        options = replace(options, shape=shape)
    if known in (NGINX, APACHE) and not options.template and not settled:
        return None
    try:
        parse = known.parser(options)
    except ConfigError:
        if settled:
            raise
        return None
    good = bad = 0
    for line in lines:
        if known.looks_like is not None and not settled and not known.looks_like(line):
            bad += not line.startswith(b"#")
            continue
        try:
            record = parse(line)
        except LineError:
            bad += 1
            continue
        good += record is not None
    return (good / (good + bad) if good else 0.0), good, options


def _pairs(lines: list[bytes]) -> list[bytes]:
    found = []
    for line in lines:
        try:
            found.append(as_json_line(line))
        except LineError:
            continue
    return found


def _roles(shape: Shape) -> str:
    return ", ".join(f"{role}={'.'.join(paths[0])}" for role, paths in shape.fields.items())


def _sample(head: bytes) -> list[bytes]:
    lines = head.split(b"\n")
    if len(lines) > 1:
        lines.pop()  # most likely cut
    held = [line.rstrip(b"\r") for line in lines if line.strip()]
    if len(held) <= _SAMPLE:
        return held
    step = len(held) / _SAMPLE
    return [held[int(number * step)] for number in range(_SAMPLE)]


def _unwrapped(lines: list[bytes], wrapping: Wrapping) -> list[bytes]:
    unwrap = Unwrapper(wrapping)
    inner = []
    for line in lines:
        try:
            inner.append(unwrap(line))
        except LineError:
            continue
    return inner


def _context(head: bytes) -> bytes:
    context = b""
    for known in FORMATS:
        if known.context is not None:
            context = known.context(head, context)
    return context


__all__ = [
    "AUTO",
    "FORMATS",
    "Detection",
    "Format",
    "FormatOptions",
    "LineError",
    "LogError",
    "Record",
    "Wrapping",
    "by_name",
    "detect",
]  # fmt: skip
