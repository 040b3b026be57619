"""The two families of mutators, written out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from lobrest.fuzz.context import MutationContext
from lobrest.fuzz.mutators.combination import swap_combination
from lobrest.fuzz.mutators.graft import graft
from lobrest.fuzz.mutators.identity import other_person, rebind, unbind
from lobrest.fuzz.mutators.order import delete_step, insert_operation, race, repeat_step, swap_steps
from lobrest.fuzz.mutators.perturb import add_field, drop_field, perturb_value
from lobrest.fuzz.mutators.raw import raw_body
from lobrest.fuzz.mutators.splice import splice
from lobrest.fuzz.mutators.transplant import transplant
from lobrest.fuzz.mutators.value import swap_value
from lobrest.model.seed import Seed

Mutator: TypeAlias = Callable[[Seed, MutationContext], Seed | None]

BUSINESS: Final[tuple[Mutator, ...]] = (splice, transplant, swap_combination, swap_value, graft)
"""Keep what the business needs: their children are expected to work."""

FIELD_FAULTS: Final[tuple[Mutator, ...]] = (
    perturb_value,
    drop_field,
    add_field,
    raw_body,
    unbind,
    rebind,
    other_person,
    repeat_step,
    race,
)
"""Break one thing about one request."""

ORDER_FAULTS: Final[tuple[Mutator, ...]] = (
    insert_operation,
    delete_step,
    repeat_step,
    swap_steps,
    other_person,
    race,
    rebind,
)
"""Break the order of a flow, or who takes part in it."""
