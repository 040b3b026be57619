"""What ``--coverage`` takes."""

from __future__ import annotations

import pytest

from lobrest.errors import UsageError
from lobrest.probes import open_probe
from lobrest.probes.command import CommandProbe
from lobrest.probes.go import GoProbe
from lobrest.probes.jacoco import JacocoProbe
from lobrest.probes.python import PythonFileProbe, UrlProbe


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("go:/tmp/x", GoProbe),
        ("coverage.py:.coverage", PythonFileProbe),
        ("coverage.py:http://127.0.0.1:9/x", UrlProbe),
        ("jacoco:127.0.0.1:6300", JacocoProbe),
        ("jacoco:[::1]:6300", JacocoProbe),
        ("command:cat 'a b'", CommandProbe),
    ],
)
def test_every_kind(written: str, kind: type):
    assert isinstance(open_probe(written), kind)


@pytest.mark.parametrize(
    "written", ["", "go", "go:", "jacoco:x", "jacoco:x:y", "jacoco::1", "ruby:x", "command:'", "command:  "]
)
def test_everything_else_is_wrong_use(written: str):
    with pytest.raises(UsageError):
        open_probe(written)
