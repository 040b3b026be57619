"""Why operations were never answered with a 2XX: what the service said instead, most frequent first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from .count import SUCCESS
from .message import normalised
from .proxy import Record
from .specification import Matcher, Operation


@dataclass(frozen=True, slots=True)
class Unreached:
    """One operation without a 2XX: its refusals, each with a count and an example."""

    op: str
    attempts: int
    refusals: tuple[tuple[int, str, int, Record], ...]


def unreached(records: Iterable[Record], listed: tuple[Operation, ...], base: str) -> tuple[Unreached, ...]:
    """The operations without a 2XX in the document's order."""
    matcher = Matcher(listed, base)
    reached: set[str] = set()
    refusals: dict[str, Counter[tuple[int, str]]] = {}
    examples: dict[tuple[str, int, str], Record] = {}
    for record in records:
        operation = matcher.match(record.method, record.uri)
        if operation is None:
            continue
        if record.status in SUCCESS:
            reached.add(operation.id)
            continue
        message = normalised(record.answer, uri=record.uri, body=record.body)
        refusals.setdefault(operation.id, Counter())[record.status, message] += 1
        examples.setdefault((operation.id, record.status, message), record)
    return tuple(
        Unreached(
            operation.id,
            sum(refusals.get(operation.id, Counter()).values()),
            tuple(
                (status, message, number, examples[operation.id, status, message])
                for (status, message), number in refusals.get(operation.id, Counter()).most_common()
            ),
        )
        for operation in listed
        if operation.id not in reached
    )


def described(found: tuple[Unreached, ...], *, examples: int = 3) -> str:
    """The causes as text: groups by the most frequent refusal, largest first, then every operation."""
    groups: dict[tuple[int, str], list[Unreached]] = {}
    for item in found:
        key = item.refusals[0][:2] if item.refusals else (0, "never tried")
        groups.setdefault(key, []).append(item)
    lines: list[str] = [f"{len(found)} operations without a 2XX", ""]
    for (status, message), items in sorted(groups.items(), key=lambda pair: -len(pair[1])):
        lines.append(f"## {len(items)} × {status or '-'} {message or '(no message)'}")
        for item in items:
            other = ", ".join(f"{s} {m[:60]!r} ×{n}" for s, m, n, _ in item.refusals[1:4])
            lines.append(f"- {item.op}  ({item.attempts} tries{'; also ' + other if other else ''})")
            for _, _, _, record in item.refusals[:1]:
                if items.index(item) < examples:
                    lines.append(f"    {record.user}: {record.method} {record.uri} {record.body[:200]}")
                    lines.append(f"    → {record.status} {record.answer[:200]}")
        lines.append("")
    return "\n".join(lines)
