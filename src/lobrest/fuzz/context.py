"""What a mutator may look at."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lobrest.enhance.complete import Completer
from lobrest.enhance.values import ValueMaker
from lobrest.model.corpus import Corpus
from lobrest.model.operation import ApiSpec, OperationId
from lobrest.model.resource import ResourceInstance, ResourceModel, ResourceName
from lobrest.model.slice import Slice
from lobrest.spec.fields import BodyFields


@dataclass(frozen=True, slots=True)
class MutationContext:
    """Chance, the mined material and the means to complete again."""

    chance: random.Random
    spec: ApiSpec
    model: ResourceModel
    corpus: Corpus
    completer: Completer
    values: ValueMaker
    fields: BodyFields
    slices: Sequence[Slice]
    by_instance: Mapping[ResourceInstance, Sequence[int]]
    """Positions in ``slices`` of those that involve an instance."""
    by_resource: Mapping[ResourceName, Sequence[int]]
    wanted: Sequence[OperationId]
    """Operations worth inserting: never or seldom answered 2XX, the rarest first."""
    users_of: Mapping[ResourceName, Sequence[OperationId]]
    """Operations with a parameter that refers to a resource."""
    focus: int | None = None
    """The step a fault is meant for; None leaves it to chance."""
