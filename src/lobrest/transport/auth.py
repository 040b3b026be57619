"""The values of ``--auth``, read into credentials.

An error names a value by its position or its file, never by its text: the text is a secret.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from lobrest.errors import UsageError
from lobrest.transport.credential import Credential, Credentials, basic_header, basic_username, expand
from lobrest.transport.wfc import read_wfc

# A space after the colon tells a header from a name with a password; a few names are headers without it.
_HEADER: Final = re.compile(
    r"([!#$%&'*+.^_`|~0-9A-Za-z-]+(?=:[ \t])|(?i:authorization|cookie|private-token|x-[0-9a-z-]+))"
    r":[ \t]*(\S.*)"
)
_FILE_SUFFIXES: Final = (".yaml", ".yml", ".json", ".toml")


def read_credentials(values: Sequence[str], *, environment: Mapping[str, str]) -> Credentials:
    """The credentials that ``--auth`` values name, in order.

    A value is ``Header: value``, ``name:password``, or a file in the Web Fuzzing Commons format;
    ``env:NAME`` stands for the variable's content, as the whole value or as the last word of it.
    Raises ``ConfigError`` for a file or variable that cannot be used, ``UsageError`` for any other value.
    """
    users: list[Credential] = []
    for position, value in enumerate(values, start=1):
        place = f"--auth value {position}"
        text = expand(value, environment, source=place) if value.startswith("env:") else value
        if _names_a_file(text):
            users.extend(read_wfc(Path(text), environment=environment))
        else:
            users.append(_inline(text, environment, place=place))
    return Credentials.of(users)


def _names_a_file(text: str) -> bool:
    if _HEADER.fullmatch(text) or "\n" in text or "\0" in text or len(text) > 4096:
        return False
    return text.lower().endswith(_FILE_SUFFIXES) or Path(text).is_file()


def _inline(text: str, environment: Mapping[str, str], *, place: str) -> Credential:
    header = _HEADER.fullmatch(text)
    if header:
        headers = ((header[1], expand(header[2].strip(), environment, source=place)),)
        username = basic_username(headers)
        return Credential(name=username or "", headers=headers, username=username)
    name, colon, password = text.partition(":")
    if not colon or not name or "\n" in text:
        raise UsageError(
            f"{place} is neither a header, a name with a password, nor a file",
            hint="write 'Header: value', name:password, or the name of an authentication file",
        )
    name = expand(name, environment, source=place)
    password = expand(password, environment, source=place)
    return Credential(name=name, headers=(basic_header(name, password),), username=name)
