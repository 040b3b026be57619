"""Finding out which format fits."""

from __future__ import annotations

import pytest
from tests.unit.logs.forge import reader
from tests.unit.logs.lines import CASES, HALF_READ, NO_QUERY, NOT_READ, log

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


@pytest.mark.parametrize("name", CASES)
def test_logs_of_services_that_nobody_here_has(name):
    held = reader()
    held.feed("some.log", [log(name)])
    read = held.finish(allow_empty=True)
    told = read.statistics
    if name in NOT_READ:
        assert [drop.reason for drop in told.dropped] == ["format not recognised"]
        return
    if name in HALF_READ:
        assert len(read) == 4
        return
    assert len(read) == 8, [(drop.reason, drop.count) for drop in told.dropped]
    assert told.users == (1 if name == "openstack wsgi" else 2)
    assert 6.5 < told.last - told.first < 7.5
    first, third, fourth, fifth = (read.entry(number) for number in (0, 2, 3, 4))
    assert (first.operation, first.arguments.path) == ("GET /projects/{id}", {"id": "7"})
    assert third.arguments.path == {"id": "7", "iid": "3"}
    # IIS and CloudFront write what the rest of the world sent; a slash inside a value stays inside it.
    assert fourth.arguments.path["iid"] == "4"
    assert fourth.arguments.path["id"] == "g/p"
    if name not in NO_QUERY:
        assert fifth.arguments.query == {"search": "a b", "page": "2"}
