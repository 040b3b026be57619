"""Stage 3, slices to seeds: operations no log shows, creations no slice has, values for the rest."""

from __future__ import annotations

import random
from collections.abc import Sequence

from lobrest.enhance.augment import augment
from lobrest.enhance.complete import Completer
from lobrest.enhance.introductions import mine_introductions
from lobrest.enhance.people import who_is_who
from lobrest.enhance.recipes import mine_recipes
from lobrest.enhance.values import ValueMaker
from lobrest.model.corpus import Corpus
from lobrest.model.operation import ApiSpec
from lobrest.model.resource import ResourceModel
from lobrest.model.seed import Origin, Seed
from lobrest.model.slice import Slice

__all__ = ["Completer", "ValueMaker", "augment", "enhanced"]


def enhanced(
    spec: ApiSpec,
    model: ResourceModel,
    corpus: Corpus,
    slices: Sequence[Slice],
    *,
    chance: random.Random,
    now: float,
    reuse: bool = True,
) -> list[Seed]:
    """Every slice completed, and one seed for each operation that no slice shows."""
    values = ValueMaker(spec, corpus, chance, now=now)
    completer = Completer(
        spec,
        model,
        values,
        people=who_is_who(slices, model, spec),
        recipes=mine_recipes(slices, spec, model).always if reuse else None,
        introductions=mine_introductions(slices, spec, model) if reuse else None,
    )
    seeds = [completer.complete(piece, reuse=reuse) for piece in slices]
    shown = {entry.operation for piece in slices for entry in piece.entries}
    missing = augment(spec, shown, values)
    return seeds + [completer.complete(piece, origin=Origin.AUGMENTED, reuse=reuse) for piece in missing]
