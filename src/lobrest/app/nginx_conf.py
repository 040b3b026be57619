"""The ``log_format`` of an nginx.conf."""

from __future__ import annotations

from pathlib import Path

import crossplane

from lobrest.errors import ConfigError


def template_from(setting: str) -> str:
    """A log format as a setting gives it: the text itself, or ``nginx.conf`` or ``nginx.conf:name``.

    Without a name it is the format that an ``access_log`` uses, else the only one. Raises ``ConfigError``.
    """
    place, _, name = setting.partition(".conf:")
    if name or setting.endswith(".conf"):
        return _read(Path(f"{place}.conf" if name else setting), name)
    return setting


def _read(path: Path, name: str) -> str:
    if not path.is_file():
        raise ConfigError("no such file", source=str(path))
    parsed = crossplane.parse(str(path), catch_errors=True, comments=False, ignore=(), single=False)
    formats: dict[str, str] = {}
    used: list[str] = []
    for part in parsed["config"]:
        _collect(part["parsed"], formats, used)
    if not formats:
        why = parsed["errors"][0]["error"] if parsed["errors"] else "it has no log_format"
        raise ConfigError(str(why), source=str(path))
    wanted = name or next((one for one in used if one in formats), "")
    if not wanted and len(formats) == 1:
        wanted = next(iter(formats))
    if wanted not in formats:
        raise ConfigError(
            f"no log_format {wanted!r}" if wanted else "several log_formats",
            source=str(path),
            hint=f"name one of {', '.join(formats)} after a colon",
        )
    return formats[wanted]


def _collect(block: list[dict[str, object]], formats: dict[str, str], used: list[str]) -> None:
    for directive in block:
        arguments = directive.get("args")
        if not isinstance(arguments, list):
            continue
        if directive.get("directive") == "log_format" and len(arguments) > 1:
            escape = f"{arguments[1]} " if str(arguments[1]).startswith("escape=") else ""
            formats[str(arguments[0])] = escape + "".join(map(str, arguments[2 if escape else 1 :]))
        elif directive.get("directive") == "access_log" and len(arguments) > 1:
            used.append(str(arguments[1]))
        inner = directive.get("block")
        if isinstance(inner, list):
            _collect(inner, formats, used)
