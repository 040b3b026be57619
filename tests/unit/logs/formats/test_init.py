"""Finding out which format fits."""

from __future__ import annotations

import pytest

from lobrest.errors import ConfigError, UsageError
from lobrest.logs.formats import FORMATS, FormatOptions, by_name, detect

COMBINED = b'10.0.0.1 - - [10/Nov/2026:00:25:51 +0000] "GET /a HTTP/1.1" 200 1 "-" "x"\n'


def test_it_says_which_how_sure_and_why():
    found = detect(COMBINED * 3 + b"noise\n", "access.log")
    assert (found.format_name, found.confidence) == ("combined", 0.75)
    assert "3 of the first 4 lines" in found.why


def test_json_says_which_fields():
    found = detect(b'{"ts":1700000000,"method":"GET","uri":"/a","status":200}\n' * 2)
    assert found.format_name == "json"
    assert "target=uri" in found.why


@pytest.mark.parametrize("head", [b"", b"\n\n", b"lorem ipsum\n", b"\x00\x01\xff" * 100, b"{}\n{}\n"])
def test_what_is_no_log_is_no_format(head):
    found = detect(head)
    assert (found.format_name, found.confidence) == ("", 0.0)
    assert found.why


def test_a_name_settles_it():
    assert detect(COMBINED, wanted="combined").confidence == 1.0
    assert detect(b"x\n", wanted="combined").format_name == "combined"
    assert (
        detect(COMBINED, options=FormatOptions(template="combined"), wanted="apache").format_name == "apache"
    )
    with pytest.raises(UsageError, match="known are auto"):
        detect(COMBINED, wanted="klingon")
    with pytest.raises(ConfigError):
        detect(COMBINED, options=FormatOptions(template="plain"), wanted="nginx")


def test_a_template_is_tried_by_itself():
    options = FormatOptions(template='$remote_addr "$request" $status [$time_local]')
    line = b'10.0.0.1 "GET /a HTTP/1.1" 200 [10/Nov/2026:00:25:51 +0000]\n'
    assert detect(line, options=options).format_name == "nginx"


def test_names_are_different_and_known():
    names = [known.name for known in FORMATS]
    assert len(set(names)) == len(names)
    assert all(by_name(name).name == name for name in names)
