"""Who plays whom: users of the log and the credentials at hand."""

from __future__ import annotations

from collections.abc import Sequence

from lobrest.fuzz.knowledge import Knowledge
from lobrest.model.entry import UserId
from lobrest.model.seed import Seed


def cast(seed: Seed, everybody: Sequence[str]) -> dict[UserId, str]:
    """Each user gets credentials; different users different ones while there are enough.

    A user whose name is that of a credential plays itself. The busiest user gets the first credential.
    """
    if not everybody:
        return {}
    parts: dict[UserId, str] = {user: user for user in seed.users if user in everybody}
    free = [name for name in everybody if name not in parts.values()]
    for user in seed.users:
        if user not in parts:
            parts[user] = free.pop(0) if free else everybody[len(parts) % len(everybody)]
    return parts


def actors(
    seed: Seed, parts: dict[UserId, str], everybody: Sequence[str], knowledge: Knowledge
) -> tuple[str, ...]:
    """The credentials of each step. Where somebody is refused every time, whoever is accepted steps in."""
    chosen = []
    for step in seed.steps:
        actor = parts.get(step.entry.user, everybody[0] if everybody else "")
        mine = knowledge.actors.get((step.entry.operation, actor))
        if mine is not None and mine.good == 0 and mine.bad >= 2 and not step.broken:
            accepted = [
                name
                for name in everybody
                if (known := knowledge.actors.get((step.entry.operation, name))) and known.good > 0
            ]
            actor = accepted[0] if accepted else actor
        chosen.append(actor)
    return tuple(chosen)
