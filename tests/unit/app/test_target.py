"""Where requests go, and where they must not."""

from __future__ import annotations

import pytest

from lobrest.app.target import base_path, origin, refuse_production
from lobrest.errors import TargetError, UsageError
from lobrest.model.operation import ApiSpec


def spec(*, base: tuple[str, ...] = ("",), servers: tuple[str, ...] = ()) -> ApiSpec:
    return ApiSpec("t", "1", {}, base_paths=base, servers=servers)


@pytest.mark.parametrize(
    ("target", "base", "path"),
    [
        ("http://h", "", ""),
        ("http://h/", "/api/v4", "/api/v4"),
        ("http://h/api/v4", "/api/v4", "/api/v4"),
        ("http://h/api/v4/", "/api/v4", "/api/v4"),
        ("http://h/gitlab", "/api/v4", "/gitlab/api/v4"),
        ("http://h/x", "", "/x"),
    ],
)
def test_the_path_in_front_of_every_operation(target: str, base: str, path: str):
    assert base_path(target, spec(base=(base,))) == path


def test_a_document_without_servers():
    assert base_path("http://h/x", spec(base=())) == "/x"


def test_the_origin():
    assert origin("https://h:8443/api?x=1") == "https://h:8443"
    assert origin("http://[::1]:80/x") == "http://[::1]:80"


@pytest.mark.parametrize(
    "target",
    [
        "h:80",
        "localhost",
        "ftp://h",
        "http://",
        "",
        "/x",
        "http//h",
        "http://[::1",
        "http://h:99999",
        "http://h:port",
    ],
)
def test_what_is_no_url_is_a_named_error(target: str):
    with pytest.raises(UsageError, match="is not the URL of a service"):
        origin(target)


@pytest.mark.parametrize("target", ["http://api.acme.org", "https://API.acme.org:8443/x"])
def test_the_public_address_of_the_service_is_refused(target: str):
    document = spec(servers=("https://api.acme.org/v1",))
    with pytest.raises(TargetError, match="may be production") as error:
        refuse_production(target, document, allowed=False)
    assert "--i-know" in str(error.value)
    refuse_production(target, document, allowed=True)


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1:1", "http://localhost:3", "http://[::1]:80", "http://staging"]
)
def test_other_hosts_are_tested(target: str):
    refuse_production(
        target, spec(servers=("http://127.0.0.1", "http://localhost", "http://[::1]")), allowed=False
    )


def test_servers_and_targets_that_are_no_urls_do_no_harm():
    refuse_production("http://staging", spec(servers=("http://[::1", "{scheme}://x", "")), allowed=False)
    with pytest.raises(UsageError):
        refuse_production("http://[::1", spec(), allowed=False)


@pytest.mark.parametrize("host", ["localhost.acme.org", "127.acme.org"])
def test_a_name_that_only_begins_like_this_machine_is_not_this_machine(host: str):
    with pytest.raises(TargetError):
        refuse_production(f"http://{host}", spec(servers=(f"https://{host}",)), allowed=False)


@pytest.mark.parametrize("target", ["http://shop.acme.org", "https://SHOP.acme.org.:8443/x"])
def test_a_host_of_the_logs_is_refused(target: str):
    with pytest.raises(TargetError, match="a host that the logs name") as error:
        refuse_production(target, spec(), allowed=False, logged=("Shop.acme.org",))
    assert error.value.exit_status == 3
    refuse_production(target, spec(), allowed=True, logged=("shop.acme.org",))
    refuse_production("http://staging.acme.org", spec(), allowed=False, logged=("shop.acme.org",))


@pytest.mark.parametrize(
    "target", ["http://127.0.0.2:80", "http://localhost", "http://x.localhost", "http://0.0.0.0"]
)
def test_this_machine_is_tested_whatever_the_logs_name(target: str):
    refuse_production(
        target, spec(), allowed=False, logged=("127.0.0.2", "localhost", "x.localhost", "0.0.0.0")
    )


def test_of_too_many_hosts_the_neighbours_are_refused_too():
    logged = ("a.shops.acme.org", "b.shops.acme.org")
    refuse_production("http://z.shops.acme.org", spec(), allowed=False, logged=logged)
    with pytest.raises(TargetError):
        refuse_production("http://z.shops.acme.org", spec(), allowed=False, logged=logged, more_logged=True)
    refuse_production("http://z.acme.org", spec(), allowed=False, logged=logged, more_logged=True)
    refuse_production("http://staging", spec(), allowed=False, logged=("production",), more_logged=True)


def test_a_declared_server_with_variables():
    document = spec(servers=("https://{region}.api.acme.org/v1", "https://{anything}"))
    with pytest.raises(TargetError):
        refuse_production("http://eu.api.acme.org", document, allowed=False)
    refuse_production("http://staging.acme.org", document, allowed=False)
    refuse_production("http://staging", document, allowed=False)
