"""Arguments for an operation: what the corpus shows, then what its schema allows."""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Mapping
from dataclasses import replace

from lobrest.enhance.generate import Generator
from lobrest.enhance.kinship import Kinship
from lobrest.model import pointer
from lobrest.model.corpus import Corpus
from lobrest.model.entry import Arguments
from lobrest.model.operation import ApiSpec, Json, Location, Operation, OperationId, Parameter, ParameterRef
from lobrest.spec.fields import BodyFields

_FORMS = ("x-www-form-urlencoded", "form-data")


class ValueMaker:
    """Builds arguments. One maker serves one plan: chance is its argument."""

    def __init__(
        self,
        spec: ApiSpec,
        corpus: Corpus,
        chance: random.Random,
        *,
        now: float,
        fields: BodyFields | None = None,
        kinship: Kinship | None = None,
        doubtful: Collection[OperationId] = (),
        wanted: Collection[ParameterRef] = (),
    ) -> None:
        """``doubtful`` operations are sent in other forms than those known, ``wanted`` fields always."""
        self._spec = spec
        self._corpus = corpus
        self.chance = chance
        self._doubtful = doubtful
        self._wanted: dict[OperationId, list[ParameterRef]] = {}
        for ref in sorted(wanted):
            if ref.location is Location.BODY and "/" not in ref.pointer:
                self._wanted.setdefault(ref.operation, []).append(ref)
        self._fields = fields or BodyFields(spec)
        self._kinship = kinship or Kinship(spec)
        self.generator = Generator(spec, chance, now=now)

    def arguments(self, operation: OperationId, *, from_corpus: bool = True) -> Arguments:
        """A combination that once gave 2XX, else required and some optional parameters from the schema."""
        examples = self._corpus.examples.get(operation, ()) if from_corpus else ()
        declared = self._spec.operations[operation]
        if not examples:
            return self.generated(declared)
        known = self.completed(declared, self.chance.choice(examples))
        return self._varied(declared, known) if operation in self._doubtful else known

    def _varied(self, operation: Operation, arguments: Arguments) -> Arguments:
        """Another form of a known request: more of its optional switches, now and then another field."""
        preferred = operation.body.preferred() if operation.body else None
        schema = self.generator.merged(preferred[1]) if preferred else {}
        properties = schema.get("properties")
        if not isinstance(properties, dict) or not isinstance(arguments.body, dict):
            return arguments
        if self.chance.random() < 0.5:  # what is known is not forgotten
            return arguments
        body = dict(arguments.body)
        for name, inner in properties.items():
            if not isinstance(inner, dict) or (name in body and not isinstance(body[name], bool)):
                continue
            if self.generator.type_of(self._spec.resolve(inner)) == "boolean":
                body[name] = not body[name] if name in body else True
                if self.chance.random() < 0.6:
                    del body[name]
            elif self.chance.random() < 0.08:
                body[name] = self.generator.value(inner, name=name)
        return replace(arguments, body=body)

    def generated(self, operation: Operation, *, optional_share: float = 0.15) -> Arguments:
        """From declarations alone."""
        path: dict[str, str] = {}
        query: dict[str, Json] = {}
        header: dict[str, str] = {}
        cookie: dict[str, str] = {}
        for parameter in operation.parameters:
            wanted = parameter.required or self.chance.random() < optional_share
            match parameter.ref.location:
                case Location.PATH:
                    path[parameter.ref.pointer] = as_text(self.parameter_value(parameter))
                case Location.QUERY if wanted:
                    query[parameter.ref.pointer] = self.parameter_value(parameter)
                case Location.HEADER if parameter.required:
                    header[parameter.ref.pointer] = as_text(self.parameter_value(parameter))
                case Location.COOKIE if parameter.required:
                    cookie[parameter.ref.pointer] = as_text(self.parameter_value(parameter))
        arguments = Arguments(path=path, query=query, header=header, cookie=cookie)
        return self.with_body(operation, arguments)

    def completed(self, operation: Operation, arguments: Arguments) -> Arguments:
        """What a log could not show is made: a body it does not keep, path parameters it lost."""
        missing = {
            parameter.ref.pointer: as_text(self.parameter_value(parameter))
            for parameter in operation.parameters
            if parameter.ref.location is Location.PATH and parameter.ref.pointer not in arguments.path
        }
        if missing:
            arguments = replace(arguments, path={**arguments.path, **missing})
        if not arguments.body_known and not arguments.has_body:
            arguments = self.with_body(operation, arguments)
        return self._revealed(operation, arguments) if arguments.hidden else arguments

    def _revealed(self, operation: Operation, arguments: Arguments) -> Arguments:
        """Values that the log hid are made anew."""
        declared = {
            f"{one.ref.location}/{one.ref.pointer}": one
            for one in (*operation.parameters, *self._fields.of(operation))
        }
        for place in arguments.hidden:
            location, _, name = place.partition("/")
            known = declared.get(place)
            if known is not None:
                arguments = arguments.with_value(known.ref, self.parameter_value(known))
            elif location in (Location.QUERY, Location.BODY):
                ref = ParameterRef(operation.id, Location(location), name)
                last = pointer.parts(name)[-1:]
                value = self.generator.value({"type": "string"}, name=last[0] if last else "")
                arguments = arguments.with_value(ref, value)
        return replace(arguments, hidden=())

    def with_body(self, operation: Operation, arguments: Arguments) -> Arguments:
        """The same with a generated body, where the operation takes one."""
        preferred = operation.body.preferred() if operation.body else None
        if preferred is None:
            return replace(arguments, body=None, has_body=False, body_known=True)
        known = self._known_bodies(operation.id)
        if known:
            example = self.chance.choice(known)
            made = replace(
                arguments, body=example.body, has_body=True, media_type=example.media_type, body_known=True
            )
            if operation.id in self._doubtful:
                made = self._varied(operation, made)
        else:
            media_type, schema = preferred
            body = self.generator.value(schema)
            made = replace(arguments, body=body, has_body=True, media_type=media_type, body_known=True)
        return self._with_wanted(operation, made)

    def _with_wanted(self, operation: Operation, arguments: Arguments) -> Arguments:
        """With the fields that the service is known to miss."""
        wanted = self._wanted.get(operation.id)
        if not wanted or not isinstance(arguments.body, dict):
            return arguments
        declared = {one.ref: one for one in self._fields.of(operation)}
        for ref in wanted:
            if ref in declared and ref.pointer not in arguments.body:
                arguments = arguments.with_value(ref, self.parameter_value(declared[ref]))
        return arguments

    def _known_bodies(self, operation: OperationId) -> list[Arguments]:
        """Requests with a body that worked: of the operation, else of others that take the same body."""
        own = [one for one in self._corpus.examples.get(operation, ()) if one.has_body]
        if own:
            return own
        return [
            one
            for kin in self._kinship.of(operation)
            for one in self._corpus.examples.get(kin, ())
            if one.has_body
        ]

    def is_customary(self, operation: OperationId, ref: ParameterRef) -> bool:
        """Does the document require it, or every known request that worked have it?"""
        examples = self._corpus.examples.get(operation, ())
        if examples:
            return all(_has(example, ref) for example in examples)
        declared = self._spec.operations[operation]
        if ref.location is not Location.BODY:
            return any(one.ref == ref and one.required for one in declared.parameters)
        preferred = declared.body.preferred() if declared.body else None
        required = self.generator.merged(preferred[1]).get("required") if preferred else None
        return isinstance(required, list) and ref.pointer.partition("/")[0] in required

    def parameter_value(self, parameter: Parameter) -> Json:
        """A value seen for this parameter, else one from its schema."""
        seen = self._corpus.values.get(parameter.ref)
        if seen and self.chance.random() < 0.8:
            return self.chance.choice(seen)
        return self.generator.value(parameter.schema, name=parameter.name)

    def known_value(self, operation: OperationId, name: str, generated: Json) -> Json:
        """A body field's value as the corpus has it for this operation, else the generated one."""
        for example in self._known_bodies(operation):
            if isinstance(example.body, Mapping) and name in example.body:
                return example.body[name]
        return generated


def _has(arguments: Arguments, ref: ParameterRef) -> bool:
    if ref.location is Location.BODY:
        return pointer.first(arguments.body, ref.pointer) is not None
    return ref.pointer in arguments.at(ref.location)


def as_text(value: Json) -> str:
    """A scalar as a path segment or header writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, list):
        return ",".join(as_text(item) for item in value)
    if isinstance(value, dict):
        return json.dumps(value, separators=(",", ":"))
    return str(value)


def is_form(media_type: str | None) -> bool:
    """Does a media type hold named fields rather than JSON?"""
    return media_type is not None and any(form in media_type for form in _FORMS)
