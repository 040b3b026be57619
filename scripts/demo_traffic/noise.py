"""What else passes the same proxy: monitors, browsers, scanners, another service's GraphQL."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from demo_traffic.lines import Visit

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
ASSETS = ("application-5c1f.js", "application-9b2e.css", "icons-77aa.svg", "logo.png", "emoji-3f.json")
SCANS = (
    "/wp-login.php",
    "/.env",
    "/.git/config",
    "/phpmyadmin/",
    "/api/v2/users",
    "/admin/login",
    "/cgi-bin/luci",
)


def noise(random: Random, start: float, end: float) -> Iterator[Visit]:
    """Visits between two times, in no particular order."""
    time = start
    while time < end:
        yield Visit(time, 0.002, "GET", "/-/health", 200, 15, "10.0.0.5", "kube-probe/1.29")
        time += 900
    for _ in range(int((end - start) / 1500)):
        at = random.uniform(start, end)
        address = f"203.0.113.{random.randint(20, 60)}"
        for asset in random.sample(ASSETS, random.randint(1, 3)):
            at += random.uniform(0.01, 0.2)
            status, size = random.choice(((304, 0), (200, random.randint(900, 60000))))
            yield Visit(at, 0.003, "GET", f"/assets/{asset}", status, size, address, BROWSER)
    for _ in range(int((end - start) / 3600)):
        at, address = random.uniform(start, end), f"203.0.113.{random.randint(20, 60)}"
        yield Visit(at, 0.05, "POST", "/api/graphql", 200, random.randint(200, 4000), address, BROWSER)
    for _ in range(int((end - start) / 5400)):
        at, address = random.uniform(start, end), f"198.51.100.{random.randint(2, 250)}"
        agent = random.choice(("Mozilla/5.0 zgrab/0.x", "curl/7.68.0", "-"))
        yield Visit(at, 0.001, "GET", random.choice(SCANS), 404, 39, address, agent)
