"""nginx in front of the service: the same for every tool, and the only witness that counts.

Debian's Lua module lets the log hold the beginning of every refusal and failure; without it the log still has
each request and status, and failures are told apart by operation and status alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .cache import Cache, say
from .problem import BenchError
from .process import Child, start, wait_for
from .service import Place, Started

ANSWER_BYTES = 2000

CONFIGURATION = """
{modules}
worker_processes 1; daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log warn;
events {{ worker_connections 1024; }}
http {{
  map_hash_bucket_size 4096;
  map $who $user {{ default "?"; "" ""; {users} }}
  log_format record escape=json '{{"end":$msec,"took":$request_time,"method":"$request_method",'
    '"uri":"$request_uri","status":$status,"upstream":"$upstream_header_time","user":"$user",'
    '"agent":"$http_user_agent","type":"$content_type","body":"$request_body","location":"$upstream_http_location",'
    '"answer":"{answer}"}}';
  access_log {log} record;
  {lua}
  client_body_temp_path {folder}/tmp; proxy_temp_path {folder}/tmp; fastcgi_temp_path {folder}/tmp;
  uwsgi_temp_path {folder}/tmp; scgi_temp_path {folder}/tmp;
  client_max_body_size 16m; client_body_buffer_size 16m; client_body_in_single_buffer on;
  client_header_buffer_size 64k; large_client_header_buffers 8 64k;
  merge_slashes off; ignore_invalid_headers off; keepalive_requests 1000000; proxy_read_timeout 60s;
  # Some services close idle connections after five seconds: reusing one then would be a 502 of our making.
  upstream service {{ server {host}:{port}; keepalive 32; keepalive_requests 1000000; keepalive_timeout 2s; }}
  server {{
    listen 127.0.0.1:{proxy_port};
    set $who $http_{header};
    {capture}
    location / {{
      proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host $http_host; proxy_set_header Accept-Encoding ""; proxy_next_upstream off;
    }}
  }}
}}
"""

CAPTURE = """
    set $answer "";
    body_filter_by_lua_block {
      if ngx.status >= 400 and ngx.arg[1] and #ngx.arg[1] > 0 then
        local kept = ngx.ctx.kept or ""
        if #kept < LIMIT then ngx.ctx.kept = string.sub(kept .. ngx.arg[1], 1, LIMIT) end
      end
    }
    log_by_lua_block { if ngx.ctx.kept then ngx.var.answer = ngx.ctx.kept end }
"""


@dataclass(frozen=True, slots=True)
class Record:
    """One request as the proxy saw it."""

    at: float
    """Start of the request, seconds since the epoch."""
    took: float
    method: str
    uri: str
    status: int
    answered: bool
    """False when the status is the proxy's own word because the service gave no answer."""
    user: str
    body: str
    answer: str


def start_proxy(place: Place, started: Started, log: Path) -> Child:
    """Start nginx between ``place.proxy`` and ``place.origin``; its log has one JSON line per request."""
    folder = place.folder / "proxy"
    (folder / "tmp").mkdir(parents=True, exist_ok=True)
    nginx = place.cache.program("nginx", "nginx-light")
    modules, package_path = lua_modules(place.cache)
    credentials = started.credentials
    host, port = started.upstream or ("127.0.0.1", place.port)
    header = (credentials[0].header if credentials else "Authorization").lower().replace("-", "_")
    users = " ".join(f'"{quoted(user.value)}" "{quoted(user.name)}";' for user in credentials)
    text = CONFIGURATION.format(
        modules="\n".join(f"load_module {quoted(str(module))};" for module in modules),
        lua=f'lua_package_path "{package_path}/?.lua;;";' if modules else "",
        capture=CAPTURE.replace("LIMIT", str(ANSWER_BYTES)) if modules else "",
        answer="$answer" if modules else "",
        folder=folder,
        log=log,
        users=users,
        header=header,
        host=host,
        port=port,
        proxy_port=place.proxy_port,
    )
    configuration = folder / "nginx.conf"
    configuration.write_text(text)
    child = start(
        "nginx",
        [nginx, "-p", folder, "-c", configuration, "-e", folder / "error.log"],
        output=folder / "output.txt",
        environment={"LD_LIBRARY_PATH": place.cache.libraries("libnginx-mod-http-lua")} if modules else None,
    )
    wait_for(child, place.proxy)
    return child


def lua_modules(cache: Cache) -> tuple[tuple[Path, ...], Path]:
    """nginx's Lua module with its library folder; nothing where Debian's packages cannot be had."""
    try:
        root = cache.debian("libnginx-mod-http-lua")
    except BenchError as error:
        say(f"no Lua for nginx, so the texts of failures are not recorded: {error}")
        return (), Path()
    folder = root / "usr/lib/nginx/modules"
    library = root / "usr/share/lua/5.1"
    return (folder / "ndk_http_module.so", folder / "ngx_http_lua_module.so"), library


def quoted(text: str) -> str:
    """A value for use between double quotes in nginx's configuration."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def read_log(path: Path) -> Iterator[Record]:
    """The requests of a log in the order in which they ended; a torn last line is left out."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                row: dict[str, Any] = json.loads(line, strict=False)
            except json.JSONDecodeError:
                continue
            took = float(row["took"])
            yield Record(
                at=float(row["end"]) - took,
                took=took,
                method=str(row["method"]),
                uri=str(row["uri"]),
                status=int(row["status"]),
                answered=str(row["upstream"]) not in ("", "-"),
                user=str(row["user"]),
                body=str(row["body"]),
                answer=str(row["answer"]),
            )
