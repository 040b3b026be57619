"""The whole of stage 1: rules, evidence from logs, a language model, and the overrides of a person."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from lobrest.model.operation import ApiSpec, Location, Method, Operation, OperationId, Parameter, ParameterRef
from lobrest.model.resource import Decider, Dependency, Resource, ResourceModel, ResourceName
from lobrest.ports import LanguageModel
from lobrest.resources.build import Decided, ModelBuilder
from lobrest.resources.flows import ValueFlow, with_flows
from lobrest.resources.landscape import Landscape, Reference
from lobrest.resources.links import linked_values
from lobrest.resources.overrides import Overrides, read_overrides
from lobrest.resources.prompts import Asked, ask_creates, ask_lists, ask_references
from lobrest.resources.rules import Findings, apply_rules
from lobrest.resources.words import PEOPLE, is_plural, parameter_noun
from lobrest.spec.fields import types
from lobrest.spec.template import name_words

_DOUBT = 0.7
"""Decisions below this confidence are asked about in hybrid mode."""


class Mode(StrEnum):
    """Who decides first."""

    RULES = "rules"
    LLM = "llm"
    HYBRID = "hybrid"


Watch = Callable[[str], None]


def analyse(
    spec: ApiSpec,
    *,
    overrides: Mapping[str, Any] | None = None,
    flows: Iterable[ValueFlow] | None = None,
    model: LanguageModel | None = None,
    mode: str = "rules",
    watch: Watch | None = None,
) -> ResourceModel:
    """Decide what every operation creates, lists and needs.

    ``overrides`` is the table ``[resources]`` of ``lobrest.toml`` (see ``overrides.py``) and wins over all.
    ``flows`` are values seen flowing from answers to later requests in logs.
    With a ``model``, ``mode`` ``llm`` asks it everything and ``hybrid`` what the rules doubt; where it gives
    no usable answer the rules decide. ``watch`` is told in a line how that went. Without one: deterministic.
    """
    person = read_overrides(overrides, spec)
    chosen = Mode(mode)
    findings = apply_rules(spec, creates=person.creates, lists=person.lists)
    operations: dict[OperationId, Decider] = {}
    parameters: dict[ParameterRef, Decider] = {}
    if model is not None and chosen is not Mode.RULES:
        told = _Consultation(spec, model, chosen, person)
        findings = told.consult(findings)
        operations.update(dict.fromkeys(told.operations, Decider.MODEL))
        parameters.update(dict.fromkeys(told.parameters, Decider.MODEL))
        if watch is not None:
            watch(told.summary())
    operations.update(dict.fromkeys((*person.creates, *person.lists), Decider.PERSON))
    result = ModelBuilder(findings, Decided(operations, parameters)).build()
    observed = [*linked_values(spec), *(flows or ())]
    if observed:
        catalogue = findings.land.catalogue
        declared = {
            parameter.ref for route in catalogue.routes.values() for parameter in catalogue.parameters(route)
        }
        shown = with_flows(declared, result.dependencies, result.creations, result.retrievals, observed)
        result = replace(result, dependencies=shown)
    return _decided_by_person(result, person)


@dataclass(slots=True)
class _Consultation:
    """The questions to a model in their order: operations first, since resources follow from them."""

    spec: ApiSpec
    model: LanguageModel
    mode: Mode
    person: Overrides
    operations: tuple[OperationId, ...] = ()
    parameters: tuple[ParameterRef, ...] = ()
    asked: Asked = field(default_factory=Asked)

    def consult(self, findings: Findings) -> Findings:
        land = findings.land
        creates, first = ask_creates(self.model, self._posts(land))
        lists, second = ask_lists(self.model, self._gets(land))
        self.asked = first + second
        self.operations = (*creates, *lists)
        if creates or lists:
            findings = apply_rules(
                self.spec,
                creates={**creates, **self.person.creates},
                lists={**lists, **self.person.lists},
            )
        if self.asked.failure:
            return findings
        land = findings.land
        names = tuple(land.resources)
        wanted = self._doubtful(findings)
        answers, third = ask_references(self.model, self.spec, wanted, names)
        self.asked += third
        self.parameters = tuple(answers)
        references = dict(findings.references)
        for ref, resource in answers.items():
            if resource is None:
                references.pop(ref, None)
            elif ref not in references or references[ref].resource != resource:
                references[ref] = Reference(ref, resource, 0.8, "the language model says so")
        return Findings(land, references)

    def summary(self) -> str:
        """One line: how many questions, answers and refusals, and what went wrong."""
        text = f"language model: {self.asked.answered} of {self.asked.questions} questions answered"
        if self.asked.refused:
            text += f", {self.asked.refused} answers refused"
        if self.asked.failure:
            text += f"; {self.asked.failure}; the rules decide the rest"
        return text

    def _posts(self, land: Landscape) -> list[Operation]:
        found = []
        for operation in self.spec.operations.values():
            if operation.method is not Method.POST or operation.id in self.person.creates:
                continue
            if self.mode is Mode.LLM or operation.id in land.doubts:
                found.append(operation)
        return found

    def _gets(self, land: Landscape) -> list[Operation]:
        found = []
        for operation in self.spec.operations.values():
            if operation.method is not Method.GET or operation.id in self.person.lists:
                continue
            role = land.listing.get(operation.id)
            route = land.catalogue.routes[operation.id]
            plural = bool(route.path) and is_plural(route.path[-1])
            doubtful = role.confidence <= _DOUBT if role is not None else plural
            if self.mode is Mode.LLM or doubtful:
                found.append(operation)
        return found

    def _doubtful(self, findings: Findings) -> list[Parameter]:
        found = []
        for route in findings.land.catalogue.routes.values():
            for parameter in findings.land.catalogue.parameters(route):
                if parameter.ref in self.person.dependencies or not _askable(self.spec, parameter):
                    continue
                if findings.land.chosen(route, parameter.ref.pointer):
                    continue
                reference = findings.references.get(parameter.ref)
                if reference is not None:
                    doubtful = reference.confidence <= _DOUBT
                else:
                    doubtful = _looks_like_identity(parameter)
                if self.mode is Mode.LLM or doubtful:
                    found.append(parameter)
        return found


def _askable(spec: ApiSpec, parameter: Parameter) -> bool:
    if parameter.ref.location in (Location.HEADER, Location.COOKIE):
        return False
    schema = spec.resolve(parameter.schema)
    kinds = types(schema)
    plain = not kinds or bool({"string", "integer"} & set(kinds))
    return plain and "enum" not in schema and parameter.ref.pointer.count("/") <= 2


def _looks_like_identity(parameter: Parameter) -> bool:
    words = name_words(parameter.name)
    noun = parameter_noun(parameter.name)
    return bool(words) and (words[-1] in ("id", "ids", "uuid", "iid") or (bool(noun) and noun[-1] in PEOPLE))


def _decided_by_person(model: ResourceModel, person: Overrides) -> ResourceModel:
    """Put the overrides in: names of resources, dependencies, parents."""
    if not (person.resources or person.dependencies or person.parents):
        return model
    creations = {
        key: replace(one, resource=person.resources.get(key, one.resource))
        for key, one in model.creations.items()
    }
    retrievals = {
        key: replace(one, resource=person.resources.get(key, one.resource))
        for key, one in model.retrievals.items()
    }
    dependencies = dict(model.dependencies)
    for ref, override in person.dependencies.items():
        if override.resource is None:
            dependencies.pop(ref, None)
            continue
        known = dependencies.get(ref)
        same = known is not None and known.resource == override.resource
        bindings = override.bindings or (known.bindings if known is not None and same else ())
        dependencies[ref] = Dependency(
            ref, override.resource, bindings, 1.0, "lobrest.toml says so", Decider.PERSON
        )
    named: list[ResourceName] = [
        *model.resources,
        *person.resources.values(),
        *(one.resource for one in person.dependencies.values() if one.resource is not None),
        *person.parents,
    ]
    resources: dict[ResourceName, Resource] = {}
    for name in dict.fromkeys(named):
        before = model.resources.get(name, Resource(name))
        made = [one.operation for one in creations.values() if one.resource == name]
        listed = [one.operation for one in retrievals.values() if one.resource == name]
        resources[name] = Resource(
            name,
            person.parents.get(name, before.parent),
            (
                *(one for one in before.creators if one in made),
                *(o for o in made if o not in before.creators),
            ),
            (
                *(one for one in before.listers if one in listed),
                *(o for o in listed if o not in before.listers),
            ),
        )
    return replace(
        model,
        resources=resources,
        creations=creations,
        retrievals=retrievals,
        dependencies=dependencies,
    )
