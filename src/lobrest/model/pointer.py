"""Places inside JSON values: pointers without the first slash, ``*`` for every element of an array."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from lobrest.model.operation import Json


@lru_cache(maxsize=8192)
def parts(pointer: str) -> tuple[str, ...]:
    """The unescaped parts of a pointer; the empty pointer is the whole value."""
    if not pointer:
        return ()
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/"))


def join(*names: str) -> str:
    """Parts to a pointer."""
    return "/".join(name.replace("~", "~0").replace("/", "~1") for name in names)


def find(value: Json, pointer: str) -> Iterator[Json]:
    """Every value at the pointer; nothing where it leads nowhere."""
    yield from _walk(value, parts(pointer))


def first(value: Json, pointer: str) -> Json:
    """The first value at the pointer that is not null, else None."""
    if pointer and type(value) is dict and "/" not in pointer and "~" not in pointer:
        return value.get(pointer)  # a plain name, as most are
    return next((found for found in find(value, pointer) if found is not None), None)


def _walk(value: Json, path: tuple[str, ...]) -> Iterator[Json]:
    if not path:
        yield value
        return
    head, rest = path[0], path[1:]
    if isinstance(value, dict):
        if head in value:
            yield from _walk(value[head], rest)
    elif isinstance(value, list):
        if head == "*":
            for item in value:
                yield from _walk(item, rest)
        elif head.isdigit() and int(head) < len(value):
            yield from _walk(value[int(head)], rest)


def replaced(value: Json, pointer: str, new: Json) -> Json:
    """A copy with ``new`` at the pointer; missing objects are made, ``*`` means the first element."""
    return _replaced(value, parts(pointer), new)


def _replaced(value: Json, path: tuple[str, ...], new: Json) -> Json:
    if not path:
        return new
    head, rest = path[0], path[1:]
    if head == "*" or (isinstance(value, list) and head.isdigit()):
        items = list(value) if isinstance(value, list) else []
        index = 0 if head == "*" else int(head)
        if index < len(items):
            items[index] = _replaced(items[index], rest, new)
        else:
            items.append(_replaced(None, rest, new))
        return items
    fields = dict(value) if isinstance(value, dict) else {}
    fields[head] = _replaced(fields.get(head), rest, new)
    return fields


def removed(value: Json, pointer: str) -> Json:
    """A copy without what stands at the pointer."""
    return _removed(value, parts(pointer))


def _removed(value: Json, path: tuple[str, ...]) -> Json:
    if not path:
        return None
    head, rest = path[0], path[1:]
    if isinstance(value, dict) and head in value:
        fields = dict(value)
        if rest:
            fields[head] = _removed(fields[head], rest)
        else:
            del fields[head]
        return fields
    if isinstance(value, list) and value:
        index = 0 if head == "*" else int(head) if head.isdigit() else len(value)
        if index < len(value):
            items = list(value)
            if rest:
                items[index] = _removed(items[index], rest)
            else:
                del items[index]
            return items
    return value


def leaves(value: Json, *, limit: int = 400) -> Iterator[tuple[str, Json]]:
    """Every scalar with its concrete pointer, breadth first, at most ``limit``."""
    queue: list[tuple[str, Json]] = [("", value)]
    given = 0
    position = 0
    while position < len(queue) and given < limit:
        pointer, current = queue[position]
        position += 1
        prefix = f"{pointer}/" if pointer else ""
        if isinstance(current, dict):
            queue.extend((prefix + join(str(name)), inner) for name, inner in current.items())
        elif isinstance(current, list):
            queue.extend((f"{prefix}{index}", inner) for index, inner in enumerate(current[:20]))
        else:
            given += 1
            yield pointer, current
