"""Seeds as a person reads them: who does what, what completion added and why, where values come from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import PurePath

from rich.text import Text

from lobrest.enhance.sources import names_to_make, sources_of
from lobrest.model.entry import Arguments, LogEntry, Place, UserId
from lobrest.model.operation import Json, Location, ParameterRef
from lobrest.model.resource import Binding, ResourceModel, Source
from lobrest.model.seed import Identity, Origin, Seed, Step, Wire
from lobrest.report.wording import count, one_line

_MARKS = {
    Origin.LOG: " ",
    Origin.AUGMENTED: "*",
    Origin.CREATION: "+",
    Origin.LISTING: "?",
    Origin.MUTATION: "~",
}
_MOST_USERS = 4
_OTHERS = 2
"""Sources named beside the first."""

LEGEND = "  from the log · + added: makes what a later step needs · ? added: finds it in a list · * no log shows it"


def seed_lines(seed: Seed, model: ResourceModel, *, number: int) -> Iterator[Text]:
    """A heading, the steps with where their values come from, and what could not be completed."""
    yield _heading(seed, number)
    wires: dict[int, list[Wire]] = {}
    for wire in seed.wires:
        wires.setdefault(wire.step, []).append(wire)
    identities: dict[int, list[Identity]] = {}
    for identity in seed.identities:
        identities.setdefault(identity.step, []).append(identity)
    fresh: dict[int, list[ParameterRef]] = {}
    for index, ref in sorted(names_to_make(seed, model)):
        fresh.setdefault(index, []).append(ref)
    logged = {entry.source: entry for entry in seed.source.entries if entry.source is not None}
    width = len(str(len(seed.steps)))
    several = len({step.entry.user for step in seed.steps}) > 1
    for index, step in enumerate(seed.steps):
        users = sorted({wire.step + 1 for wire in seed.wires if wire.producer == index})
        yield _step(index, step, width, users, several=several)
        bound = {one.parameter for one in (*wires.get(index, ()), *identities.get(index, ()))}
        bound.update(fresh.get(index, ()))
        details = [
            *(_wired(wire, seed, model) for wire in wires.get(index, ())),
            *(_personal(one) for one in identities.get(index, ())),
            *(_made_new(ref, step) for ref in fresh.get(index, ()) if step.entry.arguments.get(ref)),
            *_made_up(step, logged),
            *_sent(step.entry.arguments, bound),
        ]
        for told in details:
            line = Text(" " * (width + 7), no_wrap=True, overflow="ellipsis")
            line.append_text(told)
            yield line
    for note in seed.notes:
        yield Text(f"  ! {one_line(note, 200)}", "yellow")


def _heading(seed: Seed, number: int) -> Text:
    added = sum(step.origin in (Origin.CREATION, Origin.LISTING) for step in seed.steps)
    line = Text(f"seed {number}", "bold")
    line.append(f"  {count(len(seed.steps), 'step')}", "bold")
    if added:
        line.append(f", {added} added")
    if seed.origin is Origin.AUGMENTED:
        line.append(", an operation that no log shows")
    elif seed.source.entries:
        places = [entry.source for entry in seed.source.entries if entry.source is not None]
        line.append(f", from {_span(places)}" if places else "")
    people = [_who(user) for user in seed.users[:_MOST_USERS]]
    more = len(seed.users) - len(people)
    line.append(f", by {', '.join(people)}" + (f" and {more} more" if more else ""))
    line.append(f"  {seed.id}", "dim")
    return line


def _span(places: list[Place]) -> str:
    first, last = places[0], places[-1]
    begin = f"{PurePath(first.file).name}:{first.line}"
    if first == last:
        return begin
    return f"{begin} … {last.line if first.file == last.file else f'{PurePath(last.file).name}:{last.line}'}"


def _step(index: int, step: Step, width: int, users: list[int], *, several: bool) -> Text:
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append(f"  {index + 1:>{width}}  ", "dim")
    added = step.origin in (Origin.CREATION, Origin.LISTING)
    line.append(f"{_MARKS[step.origin]} ", "green" if added else "dim")
    line.append(one_line(step.entry.operation, 120), "" if added else "bold")
    if several:
        line.append(f"  {_who(step.entry.user)}", "cyan")
    needed = f" for step{'s' if len(users) > 1 else ''} {_numbers(users)}" if users else ""
    if step.reason:
        line.append(f"  {one_line(step.reason, 120)}{needed}", "green")
    elif users:
        line.append(f"  used{needed.replace('for', 'by', 1)}", "dim")
    return line


def _numbers(steps: list[int]) -> str:
    """``2, 4–7``."""
    runs: list[list[int]] = []
    for step in steps:
        if runs and step == runs[-1][-1] + 1:
            runs[-1].append(step)
        else:
            runs.append([step])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def _wired(wire: Wire, seed: Seed, model: ResourceModel) -> Text:
    line = Text(_name(wire.parameter), "cyan")
    line.append(" ← ")
    candidates = sources_of(wire, seed, model)
    if not candidates:
        line.append(f"answer of step {wire.producer + 1}")
        return line
    line.append(_source(candidates[0], wire.producer + 1))
    others = list(dict.fromkeys(_short(one) for one in candidates[1 : 1 + _OTHERS]))
    if others:
        line.append(f", else {', '.join(others)}", "dim")
    return line


def _source(binding: Binding, step: int) -> str:
    where = one_line(binding.pointer, 80)
    match binding.source:
        case Source.RESPONSE:
            return f"answer of step {step} /{where}"
        case Source.LOCATION:
            return f"Location of step {step}, segment {where or '-1'}"
        case Source.REQUEST:
            return f"request of step {step} {where}"
        case Source.LIST:
            return f"an item of the list in step {step} /{where}"


def _short(binding: Binding) -> str:
    where = one_line(binding.pointer, 40)
    return f"/{where}" if binding.source in (Source.RESPONSE, Source.LIST) else f"{binding.source} {where}"


def _personal(identity: Identity) -> Text:
    line = Text(_name(identity.parameter), "cyan")
    line.append(" ← ")
    if identity.owner_of is not None:
        line.append(f"owner of what step {identity.owner_of + 1} makes, else ")
    line.append(f"whoever plays {_who(identity.user)}")
    return line


def _made_new(ref: ParameterRef, step: Step) -> Text:
    line = Text(_name(ref), "cyan")
    line.append(f" ← {_value(step.entry.arguments.get(ref))} with an ending of its own in every play")
    return line


def _made_up(step: Step, logged: dict[Place, LogEntry]) -> Iterator[Text]:
    """What stands in for what the log does not show."""
    original = logged.get(step.entry.source) if step.entry.source is not None else None
    if original is None:
        return
    if not original.arguments.body_known and step.entry.arguments.has_body:
        yield Text("body made up: the log keeps none", "magenta")
    for place in original.arguments.hidden:
        yield Text(f"{one_line(place.partition('/')[2], 80)} made up: the log hides it", "magenta")


def _sent(arguments: Arguments, bound: set[ParameterRef]) -> Iterator[Text]:
    shown: dict[str, Json] = dict(arguments.query)
    if isinstance(arguments.body, dict):
        shown.update(arguments.body)
    elif arguments.has_body:
        shown["body"] = arguments.body
    hidden = {ref.pointer.partition("/")[0] for ref in bound if ref.location is not Location.PATH}
    parts = [f"{one_line(name, 40)}={_value(value)}" for name, value in shown.items() if name not in hidden]
    if parts:
        yield Text(one_line("  ".join(parts), 160), "dim")


def _value(value: Json) -> str:
    return one_line(json.dumps(value, ensure_ascii=False), 40)


def _name(ref: ParameterRef) -> str:
    return one_line(ref.pointer, 60)


def _who(user: UserId) -> str:
    return one_line(user, 20)
