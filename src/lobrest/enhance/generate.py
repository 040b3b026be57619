"""A value that fits a schema, guided by the name of what it is for."""

from __future__ import annotations

import math
import random
import re
import string
from base64 import b64encode
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from rstr import Rstr as Xeger

from lobrest.model.operation import ApiSpec, Json, Schema

_WORDS = (
    "amber", "basalt", "cedar", "delta", "ember", "fjord", "grove", "harbor", "iris", "juniper",
    "krill", "lumen", "maple", "nova", "opal", "pine", "quartz", "ridge", "sable", "tundra",
)  # fmt: skip
_BASE64 = "bG9icmVzdA=="
_PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
"""One pixel."""
_MAX_DEPTH = 6
_DAY = 86_400.0
_QUANTIFIED = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(?:(,)(\d*))?\}|.", re.DOTALL)
_UNBOUNDED = 100
"""What the generator of patterns takes for ``*`` and ``+``."""
_LONGEST_PATTERN = 20_000


class Generator:
    """Values over schemas. Chance and the present moment are arguments."""

    def __init__(self, spec: ApiSpec, chance: random.Random, *, now: float) -> None:
        self._spec = spec
        self._chance = chance
        self._now = now

    def value(self, schema: Schema, *, name: str = "", optional_share: float = 0.3, depth: int = 0) -> Json:
        """A value for ``schema``; declared examples, defaults and enums are preferred."""
        schema = self._spec.resolve(schema)
        for given in self._declared(schema):
            return given
        variants = schema.get("oneOf") or schema.get("anyOf")
        if isinstance(variants, list) and variants and depth <= _MAX_DEPTH:
            usable = [v for v in variants if isinstance(v, dict) and v.get("type") != "null"]
            if usable:
                chosen = self._chance.choice(usable)
                return self.value(chosen, name=name, optional_share=optional_share, depth=depth + 1)
        if isinstance(schema.get("allOf"), list):
            schema = self.merged(schema)
        match self.type_of(schema):
            case "object":
                return self._object(schema, optional_share=optional_share, depth=depth)
            case "array":
                return self._array(schema, name=name, optional_share=optional_share, depth=depth)
            case "integer":
                return self._integer(schema)
            case "number":
                return float(self._integer(schema)) + 0.5 * (self._chance.random() < 0.3)
            case "boolean":
                return self._chance.random() < 0.5
            case "null":
                return None
            case _:
                return self._string(schema, name)

    def type_of(self, schema: Schema) -> str:
        """The type declared or implied; ``string`` where nothing is said."""
        declared = schema.get("type")
        if isinstance(declared, list):
            declared = next((kind for kind in declared if kind != "null"), "null")
        if isinstance(declared, str):
            return declared
        if "properties" in schema or "additionalProperties" in schema:
            return "object"
        return "array" if "items" in schema else "string"

    def merged(self, schema: Schema, depth: int = 0) -> Schema:
        """``allOf`` folded into one object schema."""
        schema = self._spec.resolve(schema)
        everything = schema.get("allOf")
        if not isinstance(everything, list) or depth > _MAX_DEPTH:
            return schema
        properties: dict[str, Json] = {}
        required: list[Json] = []
        result: dict[str, Json] = {key: value for key, value in schema.items() if key != "allOf"}
        for part in [*everything, {key: value for key, value in schema.items() if key != "allOf"}]:
            if not isinstance(part, dict):
                continue
            inner = self.merged(part, depth + 1)
            inner_properties = inner.get("properties")
            if isinstance(inner_properties, dict):
                properties.update(inner_properties)
            inner_required = inner.get("required")
            if isinstance(inner_required, list):
                required.extend(inner_required)
            for key, value in inner.items():
                result.setdefault(key, value)
        if properties:
            result["properties"] = properties
        if required:
            result["required"] = required
        return result

    def _declared(self, schema: Schema) -> list[Json]:
        if "const" in schema:
            return [schema["const"]]
        choices = schema.get("enum")
        if isinstance(choices, list) and choices:
            return [self._chance.choice([c for c in choices if c is not None] or [None])]
        examples = schema.get("examples")
        if isinstance(examples, list) and examples and self._chance.random() < 0.8:
            return [self._chance.choice(examples)]
        if "default" in schema and schema["default"] is not None and self._chance.random() < 0.6:
            return [schema["default"]]
        return []

    def _object(self, schema: Schema, *, optional_share: float, depth: int) -> Json:
        properties = schema.get("properties")
        if not isinstance(properties, dict) or depth > _MAX_DEPTH:
            return {}
        required = schema.get("required")
        needed = {one for one in required if isinstance(one, str)} if isinstance(required, list) else set()
        made: dict[str, Json] = {}
        for name, inner in properties.items():
            if not isinstance(inner, Mapping) or inner.get("readOnly") is True:
                continue
            if name in needed or is_file(inner) or (depth < 2 and self._chance.random() < optional_share):
                made[name] = self.value(inner, name=name, optional_share=optional_share / 2, depth=depth + 1)
        return made

    def _array(self, schema: Schema, *, name: str, optional_share: float, depth: int) -> Json:
        items = schema.get("items")
        at_least = schema.get("minItems")
        count = max(at_least if isinstance(at_least, int) else 0, 1)
        if not isinstance(items, Mapping) or depth > _MAX_DEPTH:
            return []
        return [
            self.value(items, name=name, optional_share=optional_share, depth=depth + 1)
            for _ in range(min(count, 5))
        ]

    def _integer(self, schema: Schema) -> int:
        floors = [_limit(schema.get("minimum"), math.ceil)]
        floors.append(_limit(schema.get("exclusiveMinimum"), lambda limit: math.floor(limit) + 1))
        ceilings = [_limit(schema.get("maximum"), math.floor)]
        ceilings.append(_limit(schema.get("exclusiveMaximum"), lambda limit: math.ceil(limit) - 1))
        low = max((one for one in floors if one is not None), default=None)
        high = min((one for one in ceilings if one is not None), default=None)
        least = low if low is not None else 1 if high is None or high >= 1 else high - 20
        most = high if high is not None else least + 20
        return self._chance.randint(least, max(least, min(most, least + 1000)))

    def _string(self, schema: Schema, name: str) -> str:
        form = schema.get("format")
        made = self._formatted(str(form) if form else "") or self._described(schema, name.lower())
        if made is None:
            pattern = schema.get("pattern")
            made = self._patterned(pattern) if isinstance(pattern, str) else None
        if made is None:
            made = self._named(name.lower())
        shortest, longest = schema.get("minLength"), schema.get("maxLength")
        if isinstance(shortest, int) and len(made) < shortest <= 10_000:
            made += "".join(self._chance.choices(string.ascii_lowercase, k=shortest - len(made)))
        if isinstance(longest, int) and 0 <= longest < len(made):
            made = made[:longest]
        return made

    def _formatted(self, form: str) -> str | None:
        match form:
            case "date-time":
                return self._moment("%Y-%m-%dT%H:%M:%SZ")
            case "date":
                return self._moment("%Y-%m-%d")
            case "time":
                return "12:30:00Z"
            case "email":
                return f"{self.word()}@example.org"
            case "uuid":
                return self._uuid()
            case "uri" | "url" | "iri" | "uri-reference":
                return f"http://127.0.0.1:9/{self.word()}"
            case "hostname":
                return f"{self.word()}.example.org"
            case "ipv4":
                return "127.0.0.1"
            case "ipv6":
                return "::1"
            case "byte":
                return _BASE64
            case "binary":
                return "lobrest"
            case "password":
                return self.password()
            case "duration":
                return "PT1H"
            case _:
                return None

    def _described(self, schema: Schema, name: str) -> str | None:
        """What a description asks for in words that no format says."""
        description = str(schema.get("description") or "")[:300].lower()
        if "ssh" in description and "key" in f"{name} {description}":
            return self.public_key()
        if "base64" in description:
            return (
                _PICTURE if re.search(r"image|avatar|picture|icon|logo", f"{name} {description}") else _BASE64
            )
        return None

    def public_key(self) -> str:
        """An SSH public key that belongs to nobody."""
        head = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00 "
        return f"ssh-ed25519 {b64encode(head + self._chance.randbytes(32)).decode()} lobrest"

    def _named(self, name: str) -> str:
        """A likely string for a field of that name, where the schema says nothing."""
        if "mail" in name:
            return f"{self.word()}@example.org"
        if "password" in name or "secret" in name:
            return self.password()
        if name.endswith(("url", "uri")) or "website" in name or name == "link":
            return f"http://127.0.0.1:9/{self.word()}"
        if "color" in name or "colour" in name:
            return "#" + "".join(self._chance.choices("0123456789abcdef", k=6))
        if name.endswith(("_at", "date", "deadline", "since", "until", "before", "after")):
            return self._moment("%Y-%m-%dT%H:%M:%SZ")
        if "uuid" in name or "guid" in name:
            return self._uuid()
        if "content" in name and "type" not in name:
            return _BASE64  # reads as text too
        if "path" in name or "file" in name:
            return f"{self.word()}.txt"
        return f"{self.word()}-{''.join(self._chance.choices(string.ascii_lowercase + string.digits, k=4))}"

    def word(self) -> str:
        """A plain word."""
        return self._chance.choice(_WORDS)

    def password(self) -> str:
        """A password that common rules accept; it protects nothing."""
        return f"Lo{self.word()}-{self._chance.randint(1000, 9999)}!"

    def _uuid(self) -> str:
        digits = "".join(self._chance.choices("0123456789abcdef", k=30))
        return f"{digits[:8]}-{digits[8:12]}-4{digits[12:15]}-a{digits[15:18]}-{digits[18:30]}"

    def _moment(self, form: str) -> str:
        seconds = self._now + self._chance.randint(1, 30) * _DAY
        return datetime.fromtimestamp(seconds, tz=UTC).strftime(form)

    def _patterned(self, pattern: str) -> str | None:
        if len(pattern) > 300 or _longest(pattern) > _LONGEST_PATTERN:
            return None
        try:
            return str(Xeger(self._chance).xeger(pattern))[:10_000]
        except (re.error, ValueError, KeyError, NotImplementedError, OverflowError):
            return None  # a dialect other than Python's: the name decides


def is_file(schema: Mapping[str, Json]) -> bool:
    """Is a field a file? An upload without one is none."""
    return schema.get("type") == "file" or schema.get("format") == "binary"


def _limit(given: Json, whole: Callable[[float], int]) -> int | None:
    """A declared limit as a whole number, None where it is no number."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        return None
    return whole(given)


def _longest(pattern: str) -> int:
    """About how long a string of a pattern can get: quantifiers multiply what they stand behind."""
    totals, last = [0], 0
    for token in _QUANTIFIED.finditer(pattern):
        text = token.group()
        if text == "(":
            totals.append(0)
            last = 0
        elif text == ")" and len(totals) > 1:
            last = totals.pop()
            totals[-1] += last
        elif text in ("*", "+") or token.group(1):
            most = (token.group(3) or _UNBOUNDED) if token.group(2) else token.group(1)
            times = int(most) if most else _UNBOUNDED
            totals[-1] += last * (times - 1)
            last *= times
        else:
            last = 1
            totals[-1] += 1
    return sum(totals)
