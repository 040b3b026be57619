"""Specifications from files and URLs."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path
from urllib.parse import urljoin

from lobrest.errors import SpecError
from lobrest.model.operation import ApiSpec
from lobrest.spec import load_spec

_LARGEST = 64 << 20
_SECONDS = 30.0


def read_spec(source: str, *, follow: bool = False) -> ApiSpec:
    """Load the document a file name or URL names; raises ``SpecError`` with what to do.

    References to other documents are followed only with ``follow``: a document could name any file or host.
    """
    return load_spec(_read(source), name=source, fetch=partial(_beside, source) if follow else None)


def _read(source: str) -> bytes:
    return _fetched(source) if _is_url(source) else _file(source)


def _beside(source: str, address: str) -> bytes:
    """Another document, its address seen from the first one."""
    if _is_url(address):
        return _fetched(address)
    return _read(urljoin(source, address) if _is_url(source) else str(Path(source).parent / address))


def _is_url(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def _file(source: str) -> bytes:
    try:
        with Path(source).open("rb") as file:  # a device or a pipe has no size: what is read is counted
            return _bounded(file.read(_LARGEST + 1), source)
    except IsADirectoryError as error:
        raise SpecError("is a folder", source=source, hint="name the OpenAPI document itself") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise SpecError(
            f"cannot be read: {reason}", source=source, hint="name an OpenAPI file or its URL"
        ) from error


def _fetched(source: str) -> bytes:
    try:
        with urllib.request.urlopen(source, timeout=_SECONDS) as answer:
            data: bytes = answer.read(_LARGEST + 1)
    except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        reason = " ".join(str(getattr(error, "reason", None) or error or type(error).__name__).split())
        raise SpecError(f"cannot be fetched: {reason}", source=source, hint="is the service up?") from error
    return _bounded(data, source)


def _bounded(data: bytes, source: str) -> bytes:
    if len(data) > _LARGEST:
        raise SpecError("is larger than 64 MiB", source=source, hint="is it a specification?")
    return data
