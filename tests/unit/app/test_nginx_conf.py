"""The log_format of an nginx.conf."""

from __future__ import annotations

import pytest

from lobrest.app.nginx_conf import template_from
from lobrest.errors import ConfigError
from lobrest.logs.formats import FormatOptions, by_name

CONF = """
events {}
http {
  log_format other '$remote_addr $status';
  log_format timed escape=json '{"t":"$msec",'
                   '"r":"$request","s":"$status"}';
  server { access_log /var/log/a.log timed; }
}
"""


def test_the_used_format_is_found_and_reads_lines(tmp_path):
    (tmp_path / "nginx.conf").write_text(CONF)
    template = template_from(str(tmp_path / "nginx.conf"))
    record = by_name("nginx").parser(FormatOptions(template=template))(
        b'{"t":"1794270351.5","r":"GET /a HTTP/1.1","s":"200"}'
    )
    assert record is not None
    assert (record.start, record.target) == (1794270351.5, "/a")


def test_a_format_by_name(tmp_path):
    (tmp_path / "nginx.conf").write_text(CONF)
    assert template_from(f"{tmp_path}/nginx.conf:other") == "$remote_addr $status"
    with pytest.raises(ConfigError, match="no log_format 'none'"):
        template_from(f"{tmp_path}/nginx.conf:none")


def test_text_is_text():
    assert template_from("$remote_addr x") == "$remote_addr x"


@pytest.mark.parametrize("text", ["", "http {", "events {}", "log_format;", "\x00\xff"])
def test_a_useless_file_is_an_error(tmp_path, text):
    (tmp_path / "x.conf").write_text(text)
    with pytest.raises(ConfigError):
        template_from(str(tmp_path / "x.conf"))
    with pytest.raises(ConfigError, match="no such file"):
        template_from(str(tmp_path / "missing.conf"))
