"""What a campaign has learnt about its service. One value, kept and resumed as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from lobrest.model.corpus import Corpus
from lobrest.model.entry import Arguments
from lobrest.model.operation import Json, OperationId, ParameterRef
from lobrest.model.resource import Binding, ResourceName

_EXAMPLES = 24
_POOLED = 40
_PROVED = 2
_FIRST_WAITS = (0.2, 0.5, 1.0)
_LONGEST_WAIT = 8.0
_ALIKE = 8
_ENOUGH = 4
_GOOD_ENOUGH = 0.75
_CLEARLY = 0.12


@dataclass(slots=True)
class Tally:
    """Successes and failures of one choice."""

    good: int = 0
    bad: int = 0

    def told(self, *, success: bool) -> None:
        """Count one more."""
        if success:
            self.good += 1
        else:
            self.bad += 1

    @property
    def rate(self) -> float:
        """Share of successes, one half where nothing is known."""
        return (self.good + 1) / (self.good + self.bad + 2)


_BENEFIT_OF_DOUBT = 1
"""Waits in vain, for one that helped, after which a service is taken to settle at once."""
ANY = OperationId("*")
"""All operations together."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How waiting has gone where an operation was answered with one status."""

    helped: int = 0
    futile: int = 0
    seconds: float = 0.0
    """About how long it took, where it helped."""

    def waits(self, *, told: bool, elsewhere: Patience | None = None) -> tuple[float, ...]:
        """How long to wait before each further try: about as long as it took last time, less and less in vain.

        ``told``: the answer itself says that it is too early. ``elsewhere``: how waiting has gone with the same
        status of all operations together; where it never helps, the next operation is not waited for as long.
        """
        if self.helped:
            known = self.seconds
            waits = (known, known / 2, max(known, _FIRST_WAITS[1]), max(2 * known, _FIRST_WAITS[2]))
            return waits if self.futile <= 2 * self.helped else waits[:1]
        left = len(_FIRST_WAITS) - self.futile
        if elsewhere is not None:
            left -= max(0, elsewhere.futile - _BENEFIT_OF_DOUBT * (1 + elsewhere.helped))
        return _FIRST_WAITS[: max(left, 1 if told else 0)]

    def after(self, seconds: float, *, success: bool) -> Patience:
        """With one more wait of so many seconds in all."""
        if not success:
            return Patience(self.helped, self.futile + 1, self.seconds)
        # A wait that was long enough may have been too long: the next one is a little shorter.
        known = seconds if seconds > self.seconds else 0.9 * seconds
        return Patience(self.helped + 1, self.futile, min(known, _LONGEST_WAIT))


@dataclass(frozen=True, slots=True)
class Pooled:
    """A live instance that some answer showed: what made or listed it, and by whom."""

    resource: ResourceName
    document: Json
    target: str
    """Path of the request that made it: equal paths are equal parents."""
    actor: str


@dataclass(slots=True)
class Knowledge:
    """Counts and examples, fed by executions in the order they were planned."""

    bindings: dict[tuple[ResourceName, OperationId, str, Binding], Tally] = field(default_factory=dict)
    """By resource, producing operation, name of the consuming parameter and source."""
    creators: dict[OperationId, Tally] = field(default_factory=dict)
    unique: set[ParameterRef] = field(default_factory=set)
    examples: dict[OperationId, list[Arguments]] = field(default_factory=dict)
    actors: dict[tuple[OperationId, str], Tally] = field(default_factory=dict)
    recipes: dict[tuple[OperationId, tuple[OperationId, ...]], Tally] = field(default_factory=dict)
    """By operation and what was done before it."""
    pool: dict[ResourceName, list[Pooled]] = field(default_factory=dict)
    merits: dict[tuple[OperationId, str], Tally] = field(default_factory=dict)
    """By creation and form of its request: what could be done with what it made."""
    wanted: set[ParameterRef] = field(default_factory=set)
    """Fields that the service missed, whatever the document says."""
    patience: Mapping[tuple[OperationId, int], Patience] = field(default_factory=dict)
    """By operation and the status that was waited on. Replaced, never changed: plans hold on to it."""

    def ordered(
        self,
        resource: ResourceName,
        producer: OperationId,
        parameter: str,
        candidates: Iterable[Binding],
    ) -> tuple[Binding, ...]:
        """Candidates, those first that led to success; the analysis' order decides among equals.

        One that has proved itself stands alone: what fails then fails for another reason.
        """

        def rank(binding: Binding) -> float:
            tally = self.bindings.get((resource, producer, parameter, binding))
            return -tally.rate if tally else -0.5

        best = sorted(candidates, key=rank)
        if best:
            tally = self.bindings.get((resource, producer, parameter, best[0]))
            if tally is not None and tally.good >= _PROVED:
                return (best[0],)
        return tuple(best)

    def bound(
        self,
        resource: ResourceName,
        producer: OperationId,
        parameter: str,
        binding: Binding,
        *,
        success: bool,
    ) -> None:
        """A value taken by ``binding`` led to success, or did not."""
        tally = self.bindings.setdefault((resource, producer, parameter, binding), Tally())
        if success or tally.good == 0:  # a source that once worked is not to blame for a later refusal
            tally.told(success=success)

    def created(self, operation: OperationId, *, success: bool) -> None:
        """A creation worked, or did not."""
        self.creators.setdefault(operation, Tally()).told(success=success)

    def creator_scores(self) -> Mapping[OperationId, float]:
        """How well each creator works."""
        return {operation: tally.rate for operation, tally in self.creators.items()}

    def worked(self, operation: OperationId, arguments: Arguments) -> None:
        """A combination that the live service took."""
        kept = self.examples.setdefault(operation, [])
        path, body = arguments.path, arguments.body
        if any([one.path == path and one.body == body and one == arguments for one in kept]):  # noqa: C419
            return
        form, size = form_of(arguments), _size(body)
        alike = [index for index, one in enumerate(kept) if _size(one.body) == size and form_of(one) == form]
        if len(alike) >= _ALIKE:  # room for other forms
            del kept[alike[0]]
        kept.append(arguments)
        if len(kept) > _EXAMPLES:
            del kept[0]

    def waited(self, operation: OperationId, status: int, seconds: float, *, success: bool) -> None:
        """An operation was waited for, and worked then, or did not."""
        known = {
            (one, status): self.patience.get((one, status), Patience()).after(seconds, success=success)
            for one in (operation, ANY)
        }
        self.patience = {**self.patience, **known}

    def keep(self, instance: Pooled) -> None:
        """A live instance for later use."""
        kept = self.pool.setdefault(instance.resource, [])
        kept.append(instance)
        if len(kept) > _POOLED:
            del kept[0]

    def corpus(self, mined: Corpus) -> Corpus:
        """The mined corpus with what the live service took for operations no log shows."""
        bodies = with_bodies(mined)
        examples = dict(mined.examples)
        for op, found in self.examples.items():
            if op not in mined.examples:
                examples[op] = tuple(found)
            elif op not in bodies:  # the log keeps none: those that worked are all there is
                examples[op] = (*mined.examples[op], *(one for one in found if one.has_body))
        for operation in {one for one, _ in self.merits}:
            if operation in examples:
                examples[operation] = self._worthy(operation, examples[operation])
        return Corpus(examples=examples, values=mined.values)

    def served(self, operation: OperationId, arguments: Arguments, *, success: bool) -> None:
        """Something was done with what a creation had made, or could not be done."""
        self.merits.setdefault((operation, form_of(arguments)), Tally()).told(success=success)

    def doubtful(self) -> frozenset[OperationId]:
        """Creations of which no form that was tried makes things that much can be done with."""
        best: dict[OperationId, float] = {}
        for (operation, _), tally in self.merits.items():
            if tally.good + tally.bad >= _ENOUGH:
                best[operation] = max(best.get(operation, 0.0), tally.rate)
        return frozenset(operation for operation, rate in best.items() if rate < _GOOD_ENOUGH)

    def _worthy(self, operation: OperationId, examples: tuple[Arguments, ...]) -> tuple[Arguments, ...]:
        """Examples without those of a form that clearly serves worse than another."""
        known = {
            form: tally.rate
            for (op, form), tally in self.merits.items()
            if op == operation and tally.good + tally.bad >= _ENOUGH
        }
        if len(known) < 2:
            return examples
        least = max(known.values()) - _CLEARLY
        kept = tuple(one for one in examples if known.get(form_of(one), 1.0) >= least)
        return kept or examples


def with_bodies(corpus: Corpus) -> frozenset[OperationId]:
    """Operations of which the corpus shows what they were sent."""
    return frozenset(
        op for op, found in corpus.examples.items() if any(one.has_body or one.body_known for one in found)
    )


def _size(body: Json) -> int:
    return len(body) if isinstance(body, dict) else 0


def form_of(arguments: Arguments) -> str:
    """Which fields a request has and how its switches are set: what may decide what becomes of it."""
    body = arguments.body if isinstance(arguments.body, dict) else {}
    if not body:
        return ""
    parts = [f"{name}={value}" if isinstance(value, bool) else name for name, value in body.items()]
    return " ".join(sorted(parts))
