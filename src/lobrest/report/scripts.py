"""Reproducers as scripts: bash with curl, Python's standard library, pytest. None of them needs lobrest."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from lobrest.fuzz.oracles.reading import VOLATILE
from lobrest.model.bug import BugKind, Check
from lobrest.model.reproducer import CaptureSource, Encoding, Fresh, Reproducer, ReproStep
from lobrest.report.wording import one_line

_HOLE = re.compile(r"\{\{(\w+)\}\}")


def auth_variables(reproducer: Reproducer) -> dict[str, str]:
    """For each user of the flow, the environment variable that holds the header line to log in with."""
    return variables_of(step.actor for step in reproducer.steps)


def variables_of(actors: Iterable[str]) -> dict[str, str]:
    """The same for users by name, in the order of their steps."""
    variables: dict[str, str] = {}
    for actor in actors:
        if not actor or actor in variables:
            continue
        plain = re.sub(r"[^A-Z0-9]+", "_", actor.upper()).strip("_") or "USER"
        name, count = f"LOBREST_AUTH_{plain}", 1
        while name in variables.values():
            count += 1
            name = f"LOBREST_AUTH_{plain}_{count}"
        variables[actor] = name
    return variables


def title_of(reproducer: Reproducer) -> str:
    """One line that names the bug."""
    return f"bug {reproducer.number}: {reproducer.operation} {what_happens(reproducer)}"


def what_happens(reproducer: Reproducer) -> str:
    """What is wrong, as it stands after the name of the operation."""
    if reproducer.kind is not BugKind.SERVER_ERROR:
        return one_line(f"{reproducer.message} [{reproducer.kind}]", 200)
    return f"answers {reproducer.status}" if reproducer.status else "gets no answer"


def check_of(reproducer: Reproducer) -> dict[str, object]:
    """How the last answer is judged, as plain values: everything that is given must hold."""
    check = reproducer.check
    value = check.value
    return {
        "statuses": list(reproducer.statuses),
        "value": None if value is None else [value.pointer, str(value.rule), list(value.argument)],
        "pattern": check.pattern,
        "media_type": check.media_type,
        "same_as": check.same_as,
        "slower_than": check.slower_than,
        "pause": check.pause,
        "volatile": VOLATILE.pattern,
    }


def python_script(reproducer: Reproducer) -> str:
    """``repro.py``: exit status 1 the bug still happens, 0 it does not, 2 it could not be tried."""
    return _render("repro.py.j2", reproducer, "python3 repro.py")


def pytest_file(reproducer: Reproducer) -> str:
    """``test_bug_N.py``: fails while the bug is there; an error when its preparation cannot be done."""
    return _render("test_bug.py.j2", reproducer, f"pytest test_bug_{reproducer.number}.py")


def curl_script(reproducer: Reproducer) -> str:
    """``repro.sh``: the same exit statuses as ``repro.py``."""
    names = frozenset(_names(reproducer))
    actors = auth_variables(reproducer)
    return (
        _templates()
        .get_template("repro.sh.j2")
        .render(
            title=title_of(reproducer),
            status=reproducer.status,
            usual=_is_usual(reproducer),
            check=check_of(reproducer),
            check_text=json.dumps(check_of(reproducer)),
            statuses="|".join(one.replace("X", "?") for one in reproducer.statuses),
            usage=_usage(actors, "bash repro.sh"),
            actors=actors,
            fresh=reproducer.fresh,
            steps=[_ShellStep.of(step, names, actors) for step in reproducer.steps],
            captures_body=any(
                capture.source is CaptureSource.BODY for step in reproducer.steps for capture in step.captures
            ),
        )
    )


@dataclass(frozen=True, slots=True)
class _ShellCapture:
    name: str
    command: str
    where: str
    label: str


@dataclass(frozen=True, slots=True)
class _ShellStep:
    """A step whose fields are shell words already."""

    method: str
    target: str
    actor: str
    variable: str
    headers: tuple[str, ...]
    body: str | None
    base64: str | None
    captures: tuple[_ShellCapture, ...]
    expected: int
    must_work: bool

    @classmethod
    def of(cls, step: ReproStep, names: frozenset[str], actors: dict[str, str]) -> _ShellStep:
        lines = [f"{name}: {value}" if value else f"{name};" for name, value in step.headers]
        if not any(name.lower() == "content-type" for name, _ in step.headers):
            lines.append("Content-Type:")  # curl would call the body a form
        return cls(
            method=shell_quote(step.method),
            target=_shell_template(step.target, Encoding.URL, names),
            actor=shell_quote(step.actor),
            variable=shell_quote(actors.get(step.actor, "")),
            headers=tuple(_shell_template(line, Encoding.RAW, names) for line in lines),
            body=None if step.body is None else _shell_template(step.body, step.body_encoding, names),
            base64=None if step.raw_body is None else base64.encodebytes(step.raw_body).decode().strip(),
            captures=tuple(
                _ShellCapture(
                    capture.name,
                    f"pick_{capture.source}",
                    shell_quote(
                        capture.where.lstrip("-")
                        if capture.source is CaptureSource.LOCATION
                        else capture.where
                    ),
                    shell_quote(f"{capture.source} {capture.where}"),
                )
                for capture in step.captures
            ),
            expected=step.expected,
            must_work=200 <= step.expected < 300,
        )


def shell_quote(text: str) -> str:
    """A word that bash reads as exactly this text, in printable ASCII alone."""
    if re.fullmatch(r"[A-Za-z0-9_./:=,@%+-]+", text):
        return text
    if text.isascii() and text.isprintable():
        return "'" + text.replace("'", "'\\''") + "'"
    escaped = "".join(
        chr(byte) if 0x20 <= byte < 0x7F and byte not in b"'\\" else f"\\x{byte:02x}"
        for byte in text.encode("utf-8", "surrogateescape")
    )
    # A hexadecimal escape ends after two digits in bash, so what follows needs no separation.
    return f"$'{escaped}'"


def _shell_template(text: str, encoding: Encoding, names: frozenset[str]) -> str:
    words = []
    position = 0
    for hole in _HOLE.finditer(text):
        if hole[1] not in names:
            continue
        if hole.start() > position:
            words.append(shell_quote(text[position : hole.start()]))
        value = f'"${hole[1]}"'
        words.append(value if encoding is Encoding.RAW else f'"$({encoding} {value})"')
        position = hole.end()
    if position < len(text):
        words.append(shell_quote(text[position:]))
    return "".join(words) or "''"


def _names(reproducer: Reproducer) -> list[str]:
    return [capture.name for step in reproducer.steps for capture in step.captures] + [
        fresh.name for fresh in reproducer.fresh
    ]


def _usage(actors: dict[str, str], command: str) -> str:
    credentials = "".join(f"{variable}='Header: value' " for variable in actors.values())
    return f"LOBREST_TARGET=http://127.0.0.1:8080 {credentials}{command}"


def _render(template: str, reproducer: Reproducer, command: str) -> str:
    actors = auth_variables(reproducer)
    return (
        _templates()
        .get_template(template)
        .render(
            title=title_of(reproducer),
            number=reproducer.number,
            status=reproducer.status,
            usual=_is_usual(reproducer),
            check=check_of(reproducer),
            usage=_usage(actors, command),
            actors=actors,
            fresh=[_fresh_row(fresh) for fresh in reproducer.fresh],
            steps=[_python_step(step) for step in reproducer.steps],
        )
    )


def _is_usual(reproducer: Reproducer) -> bool:
    """Does the status alone decide?"""
    return reproducer.kind is BugKind.SERVER_ERROR and reproducer.check == Check()


def _fresh_row(fresh: Fresh) -> tuple[str, str, int]:
    return fresh.name, str(fresh.kind), fresh.length


def _python_step(step: ReproStep) -> dict[str, object]:
    return {
        "method": step.method,
        "target": step.target,
        "actor": step.actor,
        "headers": [list(header) for header in step.headers],
        "body": step.body if step.raw_body is None else step.raw_body,
        "encoding": str(step.body_encoding),
        "expected": step.expected,
        "captures": [(capture.name, str(capture.source), capture.where) for capture in step.captures],
    }


@cache  # a campaign with hundreds of bugs renders hundreds of scripts
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("lobrest.report"),
        autoescape=False,  # these are programs, not pages: the filters below quote values
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
    environment.filters["py"] = ascii
    environment.filters["sh"] = shell_quote
    return environment
