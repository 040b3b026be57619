"""The same eight requests as many servers, gateways and collectors would log them.

Each case writes one request: number, method, target, status and user. None of these services is known to lobrest.
"""

# ruff: noqa: E501

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

REQUESTS = (
    ("GET", "/api/projects/7", 200, "ann"),
    ("POST", "/api/projects/7/issues", 201, "ann"),
    ("GET", "/api/projects/7/issues/3", 200, "bob"),
    ("PUT", "/api/projects/g%2Fp/issues/4", 200, "ann"),
    ("GET", "/api/projects?search=a%20b&page=2", 200, "bob"),
    ("GET", "/api/repos/ann/x", 200, "ann"),
)
BEGIN = 1_794_270_351.25
CASES: dict[str, Callable[[int, str, str, int, str], str]] = {}
NOT_READ = frozenset({"uvicorn", "morgan dev"})
"""They write no time at all."""
HALF_READ = frozenset({"two processes"})
"""Two formats in one file: the more frequent one is read, the rest counted."""
NO_QUERY = frozenset(
    {
        "serilog",
        "rails lograge json",
        "api gateway json path",
        "http api v2 routeKey+rawPath",
        "gitlab style other service",
    }
)


def log(name: str) -> bytes:
    """Eight lines."""
    return b"".join(CASES[name](n, *REQUESTS[n % len(REQUESTS)]).encode() + b"\n" for n in range(8))


def moment(n: int) -> datetime:
    return datetime.fromtimestamp(BEGIN + n, UTC)


def iso(n: int) -> str:
    return moment(n).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def clf(n: int, rest: str = "") -> str:
    return moment(n).strftime("%d/%b/%Y:%H:%M:%S") + rest


def plus2(n: int) -> str:
    return moment(n).astimezone(timezone(timedelta(hours=2))).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "+02:00"


def case(name: str):
    def known(write):
        CASES[name] = write
        return write

    return known


def comb(i, m, p, s, u):
    return f'10.0.0.{1 + ord(u[0]) % 3} - {u} [{clf(i)} +0000] "{m} {p} HTTP/1.1" {s} 12 "-" "cli/{u}"'


@case("combined")
def combined(i, m, p, s, u):
    return comb(i, m, p, s, u)


@case("combined in docker")
def combined_in_docker(i, m, p, s, u):
    return json.dumps({"log": comb(i, m, p, s, u) + "\n", "stream": "stdout", "time": iso(i)})


@case("combined in CRI")
def combined_in_CRI(i, m, p, s, u):
    return f"{iso(i)} stdout F {comb(i, m, p, s, u)}"


@case("combined in journald json")
def combined_in_journald_json(i, m, p, s, u):
    return json.dumps(
        {
            "__REALTIME_TIMESTAMP": str(int((BEGIN + i) * 1e6)),
            "_HOSTNAME": "h",
            "SYSLOG_IDENTIFIER": "nginx",
            "MESSAGE": comb(i, m, p, s, u),
        }
    )


@case("combined in syslog rfc3164")
def combined_in_syslog_rfc3164(i, m, p, s, u):
    return f"Nov 10 00:25:5{i} web1 nginx: {comb(i, m, p, s, u)}"


@case("combined in syslog rfc5424")
def combined_in_syslog_rfc5424(i, m, p, s, u):
    return f"<190>1 {iso(i)} web1 nginx 1234 - - {comb(i, m, p, s, u)}"


@case("journalctl short")
def journalctl_short(i, m, p, s, u):
    return f"Nov 10 00:25:5{i} web1 gunicorn[812]: {comb(i, m, p, s, u)}"


@case("filebeat")
def filebeat(i, m, p, s, u):
    return json.dumps(
        {
            "@timestamp": iso(i),
            "agent": {"type": "filebeat"},
            "log": {"file": {"path": "/var/log/nginx/access.log"}, "offset": 12},
            "message": comb(i, m, p, s, u),
            "host": {"name": "web"},
        }
    )


@case("fluentd k8s")
def fluentd_k8s(i, m, p, s, u):
    return json.dumps(
        {
            "log": comb(i, m, p, s, u),
            "kubernetes": {"pod_name": "x", "labels": {"a": "b"}},
            "stream": "stdout",
            "@timestamp": iso(i),
        }
    )


@case("loki export jsonl")
def loki_export_jsonl(i, m, p, s, u):
    return json.dumps({"labels": {"app": "x"}, "line": comb(i, m, p, s, u), "timestamp": iso(i)})


@case("cloudwatch export")
def cloudwatch_export(i, m, p, s, u):
    return f"{iso(i)} {comb(i, m, p, s, u)}"


@case("cloudwatch json events")
def cloudwatch_json_events(i, m, p, s, u):
    return json.dumps(
        {
            "timestamp": int((BEGIN + i) * 1000),
            "message": comb(i, m, p, s, u),
            "ingestionTime": int((BEGIN + i) * 1000) + 5,
        }
    )


@case("kubectl prefix")
def kubectl_prefix(i, m, p, s, u):
    return f"[pod/web-5d8f/nginx] {comb(i, m, p, s, u)}"


@case("json in docker")
def json_in_docker(i, m, p, s, u):
    return json.dumps(
        {
            "log": json.dumps({"ts": BEGIN + i, "method": m, "url": p, "status": s, "user": u}) + "\n",
            "stream": "stdout",
            "time": iso(i),
        }
    )


@case("json in filebeat message")
def json_in_filebeat_message(i, m, p, s, u):
    return json.dumps(
        {
            "@timestamp": iso(i),
            "message": json.dumps({"ts": BEGIN + i, "method": m, "url": p, "status": s, "user": u}),
        }
    )


@case("uvicorn")
def uvicorn(i, m, p, s, u):
    return f'INFO:     10.0.0.{1 + ord(u[0]) % 3}:5123 - "{m} {p} HTTP/1.1" {s} OK'


@case("uvicorn with time")
def uvicorn_with_time(i, m, p, s, u):
    return f'2026-11-10 00:25:5{i},123 INFO:     10.0.0.{1 + ord(u[0]) % 3}:5123 - "{m} {p} HTTP/1.1" {s} OK'


@case("gunicorn default")
def gunicorn_default(i, m, p, s, u):
    return f'10.0.0.{1 + ord(u[0]) % 3} - - [{clf(i)} +0000] "{m} {p} HTTP/1.1" {s} 123 "-" "cli/{u}"'


@case("werkzeug")
def werkzeug(i, m, p, s, u):
    return f'10.0.0.{1 + ord(u[0]) % 3} - - [{clf(i).replace(":", " ", 1)}] "{m} {p} HTTP/1.1" {s} -'


@case("tomcat")
def tomcat(i, m, p, s, u):
    return f'10.0.0.{1 + ord(u[0]) % 3} - {u} [{clf(i)} +0000] "{m} {p} HTTP/1.1" {s} 512'


@case("jetty ncsa")
def jetty_ncsa(i, m, p, s, u):
    return f'10.0.0.{1 + ord(u[0]) % 3} - {u} [{clf(i)} +0000] "{m} {p} HTTP/1.1" {s} 512 "-" "cli/{u}" 17'


@case("apache vhost_combined")
def apache_vhost_combined(i, m, p, s, u):
    return f'shop.example:443 10.0.0.{1 + ord(u[0]) % 3} - {u} [{clf(i)} +0000] "{m} {p} HTTP/1.1" {s} 512 "-" "cli/{u}"'


@case("morgan dev")
def morgan_dev(i, m, p, s, u):
    return f"{m} {p} {s} 5.123 ms - 42"


@case("express json nested")
def express_json_nested(i, m, p, s, u):
    return json.dumps(
        {
            "level": 30,
            "time": int((BEGIN + i) * 1000),
            "pid": 1,
            "hostname": "h",
            "req": {
                "id": i,
                "method": m,
                "url": p,
                "headers": {"user-agent": "cli/" + u, "authorization": "Bearer tok" + u},
                "remoteAddress": "10.0.0.1",
            },
            "res": {"statusCode": s, "headers": {}},
            "responseTime": 12,
            "msg": "request completed",
        }
    )


@case("ecs")
def ecs(i, m, p, s, u):
    return json.dumps(
        {
            "@timestamp": iso(i),
            "http": {"request": {"method": m}, "response": {"status_code": s}},
            "url": {"path": p.partition("?")[0], "query": p.partition("?")[2]},
            "user": {"name": u},
            "event": {"duration": 12000000},
            "client": {"ip": "10.0.0.1"},
            "user_agent": {"original": "cli/" + u},
        }
    )


@case("ecs dotted")
def ecs_dotted(i, m, p, s, u):
    return json.dumps(
        {
            "@timestamp": iso(i),
            "http.request.method": m,
            "http.response.status_code": s,
            "url.path": p.partition("?")[0],
            "url.query": p.partition("?")[2],
            "user.name": u,
            "client.ip": "10.0.0.1",
        }
    )


@case("otel")
def otel(i, m, p, s, u):
    return json.dumps(
        {
            "Timestamp": str(int((BEGIN + i) * 1e9)),
            "Attributes": {
                "http.method": m,
                "http.target": p,
                "http.status_code": s,
                "enduser.id": u,
                "net.peer.ip": "10.0.0.1",
            },
            "Resource": {"service.name": "shop"},
        }
    )


@case("epoch ns, odd keys")
def epoch_ns_odd_keys(i, m, p, s, u):
    return json.dumps(
        {"t_ns": int((BEGIN + i) * 1e9), "verb": m, "resource": p, "code": str(s), "who": u, "took_us": 1200}
    )


@case("serilog")
def serilog(i, m, p, s, u):
    return json.dumps(
        {
            "@t": iso(i),
            "@mt": "HTTP {RequestMethod} {RequestPath} responded {StatusCode} in {Elapsed:0.0000} ms",
            "RequestMethod": m,
            "RequestPath": p.partition("?")[0],
            "StatusCode": s,
            "Elapsed": 12.4,
            "UserName": u,
        }
    )


@case("spring actuator/logbook")
def spring_actuator_logbook(i, m, p, s, u):
    return json.dumps(
        {
            "timestamp": plus2(i),
            "origin": "remote",
            "type": "response",
            "method": m,
            "uri": "https://shop.example" + p,
            "status": s,
            "remote": "10.0.0.1",
            "principal": u,
            "duration": 13,
        }
    )


@case("rails lograge json")
def rails_lograge_json(i, m, p, s, u):
    return json.dumps(
        {
            "method": m,
            "path": p.partition("?")[0],
            "format": "json",
            "controller": "ProjectsController",
            "action": "show",
            "status": s,
            "duration": 12.4,
            "view": 1.1,
            "db": 3.2,
            "@timestamp": iso(i),
            "user_id": u,
            "params": {},
        }
    )


@case("go zap comma decimals")
def go_zap_comma_decimals(i, m, p, s, u):
    return json.dumps(
        {
            "ts": iso(i).replace(".", ","),
            "msg": "access",
            "http_method": m,
            "request_uri": p,
            "status_code": str(s),
            "user_name": u,
            "latency": "12,5",
        }
    )


@case("logfmt")
def logfmt(i, m, p, s, u):
    return f'time="{iso(i)}" level=info msg="handled request" method={m} path="{p}" status={s} user={u} duration=12.3ms remote=10.0.0.1'


@case("heroku router")
def heroku_router(i, m, p, s, u):
    return f'{iso(i)} heroku[router]: at=info method={m} path="{p}" host=shop.example request_id=8601b555-6a83-4c12-8269-97c8e32cdb22 fwd="204.204.204.{1 + ord(u[0]) % 3}" dyno=web.1 connect=1ms service=18ms status={s} bytes=13 tls_version=tls1.1 protocol=https'


@case("apache x-forwarded first")
def apache_x_forwarded_first(i, m, p, s, u):
    return f'203.0.113.{1 + ord(u[0]) % 3}, 10.0.0.9 - {u} [{clf(i)} +0000] "{m} {p} HTTP/1.1" {s} 512 "-" "cli/{u}"'


@case("nginx main with xff")
def nginx_main_with_xff(i, m, p, s, u):
    return comb(i, m, p, s, u) + ' "203.0.113.9"'


@case("nginx with rt and host tail")
def nginx_with_rt_and_host_tail(i, m, p, s, u):
    return comb(i, m, p, s, u) + ' rt=0.123 uct="0.000" host=shop.example rid=abc'


@case("ingress-nginx")
def ingress_nginx(i, m, p, s, u):
    return (
        comb(i, m, p, s, u)
        + " 89 0.500 [default-web-8080] [] 172.17.0.5:8080 59 0.000 200 529a007902362a5f51385a5fa7049884"
    )


@case("traefik clf")
def traefik_clf(i, m, p, s, u):
    return f'10.0.0.1 - {u} [{clf(i)} +0000] "{m} {p} HTTP/1.1" {s} 0 "-" "cli/{u}" {i} "web@docker" "http://172.19.0.3:5601" 2ms'


@case("alb")
def alb(i, m, p, s, u):
    return f'https {iso(i)} app/lb/c86a 81.2.69.{1 + ord(u[0]) % 3}:56488 10.0.1.107:80 0.001 0.020 0.000 {s} {s} 125 308 "{m} https://shop.example:443{p} HTTP/1.1" "cli/{u}" ECDHE TLSv1.2 arn:aws:x "Root=1-5da09954-2c34" "shop.example" "arn" 0 {iso(i)} "forward" "-" "-" "10.0.1.107:80" "{s}" "-" "-" TID_abc'


@case("cloudfront")
def cloudfront(i, m, p, s, u):
    a, _, q = p.partition("?")
    row = "\t".join(
        [
            "2026-11-10",
            f"00:25:5{i}",
            "FRA2",
            "182",
            f"192.0.2.{1 + ord(u[0]) % 3}",
            m,
            "d1.cloudfront.net",
            a,
            str(s),
            "-",
            "cli/" + u,
            q or "-",
            "-",
            "Miss",
            "id==",
            "shop.example",
            "https",
            "-",
            "0.001",
            "-",
        ]
    )
    return (
        "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken x-forwarded-for\n"
        if i == 0
        else ""
    ) + row


@case("cloudfront json v2")
def cloudfront_json_v2(i, m, p, s, u):
    a, _, q = p.partition("?")
    return json.dumps(
        {
            "date": "2026-11-10",
            "time": f"00:25:5{i}",
            "x-edge-location": "FRA2",
            "c-ip": "192.0.2.1",
            "cs-method": m,
            "cs(Host)": "d1.cloudfront.net",
            "cs-uri-stem": a,
            "cs-uri-query": q or "-",
            "sc-status": str(s),
            "cs(User-Agent)": "cli/" + u,
            "time-taken": "0.001",
        }
    )


@case("iis")
def iis(i, m, p, s, u):
    a, _, q = p.partition("?")
    return (
        "#Software: IIS\n#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken\n"
        if i == 0
        else ""
    ) + f"2026-11-10 00:25:5{i} 10.0.0.9 {m} {a} {q or '-'} 443 CORP\\{u} 10.0.0.1 cli/{u} - {s} 0 0 12"


@case("api gateway json path")
def api_gateway_json_path(i, m, p, s, u):
    return json.dumps(
        {
            "requestId": f"id{i}",
            "ip": "10.0.0.1",
            "user": u,
            "requestTime": clf(i) + " +0000",
            "httpMethod": m,
            "resourcePath": "/x",
            "path": p.partition("?")[0],
            "status": str(s),
            "protocol": "HTTP/1.1",
        }
    )


@case("http api v2 routeKey+rawPath")
def http_api_v2_routeKey_rawPath(i, m, p, s, u):
    return json.dumps(
        {
            "requestId": f"id{i}",
            "ip": "10.0.0.1",
            "requestTime": clf(i) + " +0000",
            "routeKey": m + " /x/{id}",
            "path": p.partition("?")[0],
            "status": str(s),
            "authorizer.sub": u,
        }
    )


@case("kong")
def kong(i, m, p, s, u):
    return json.dumps(
        {
            "request": {
                "method": m,
                "uri": p,
                "url": "http://shop.example" + p,
                "headers": {"host": "shop.example", "user-agent": "c"},
                "size": "3",
                "querystring": {},
            },
            "response": {"status": s, "size": "3", "headers": {}},
            "latencies": {"request": 5},
            "client_ip": "10.0.0.1",
            "consumer": {"username": u, "id": "x"},
            "started_at": int((BEGIN + i) * 1000),
        }
    )


@case("haproxy captures")
def haproxy_captures(i, m, p, s, u):
    return f'Nov 10 00:25:5{i} lb haproxy[5089]: 10.0.0.{1 + ord(u[0]) % 3}:22222 [{clf(i, ".222")}] www-https~ myapp/node2 0/0/0/18/18 {s} 200 - - ---- 222/222/2/0/0 0/0 {{shop.example|cli/{u}|Bearer%20tok}} {{json}} "{m} {p} HTTP/1.1"'


@case("envoy text")
def envoy_text(i, m, p, s, u):
    return f'[{iso(i)}] "{m} {p} HTTP/1.1" {s} - 0 89 5 4 "10.0.0.{1 + ord(u[0]) % 3}" "cli/{u}" "c219f6da-2b7f-483e-9ced-ec323d93{i}0a9" "shop:80" "172.27.0.3:80"'


@case("istio text 1.20")
def istio_text_1_20(i, m, p, s, u):
    return f'[{iso(i)}] "{m} {p} HTTP/1.1" {s} - via_upstream - "-" 0 89 5 4 "10.0.0.{1 + ord(u[0]) % 3}" "cli/{u}" "c219f6da-2b7f-483e-9ced-ec323d93{i}0a9" "shop:80" "172.27.0.3:80" inbound|80|| 127.0.0.6:1 10.1.1.1:80 10.0.0.1:2 - default'


@case("caddy")
def caddy(i, m, p, s, u):
    return json.dumps(
        {
            "level": "info",
            "ts": BEGIN + i,
            "logger": "http.log.access",
            "msg": "handled request",
            "request": {
                "remote_ip": "10.0.0.1",
                "method": m,
                "host": "shop.example",
                "uri": p,
                "headers": {"User-Agent": ["cli/" + u]},
            },
            "user_id": u,
            "duration": 0.01,
            "size": 3,
            "status": s,
        }
    )


@case("traefik json")
def traefik_json(i, m, p, s, u):
    return json.dumps(
        {
            "ClientHost": "10.0.0.1",
            "ClientUsername": u,
            "DownstreamStatus": s,
            "Duration": 3454189,
            "RequestHost": "shop.example",
            "RequestMethod": m,
            "RequestPath": p,
            "StartUTC": iso(i),
            "request_User-Agent": "c",
            "time": iso(i),
        }
    )


@case("envoy json")
def envoy_json(i, m, p, s, u):
    return json.dumps(
        {
            "start_time": iso(i),
            "method": m,
            "path": p,
            "response_code": s,
            "duration": 3,
            "user_agent": "cli/" + u,
            "x_forwarded_for": "10.0.0.1",
            "authority": "shop",
            "request_id": f"abcdefgh-{i}",
        }
    )


@case("gitlab style other service")
def gitlab_style_other_service(i, m, p, s, u):
    return json.dumps(
        {
            "time": iso(i),
            "severity": "INFO",
            "duration_s": 0.1,
            "status": s,
            "method": m,
            "path": p.partition("?")[0],
            "params": [],
            "host": "x",
            "remote_ip": "::1",
            "ua": "c",
            "username": u,
        }
    )


@case("k8s audit")
def k8s_audit(i, m, p, s, u):
    return json.dumps(
        {
            "kind": "Event",
            "level": "Metadata",
            "stage": "ResponseComplete",
            "requestURI": p,
            "verb": {"GET": "get", "POST": "create", "PUT": "update"}[m],
            "user": {"username": u},
            "sourceIPs": ["10.0.0.1"],
            "responseStatus": {"code": s},
            "requestReceivedTimestamp": iso(i),
            "stageTimestamp": iso(i),
        }
    )


@case("gcp lb")
def gcp_lb(i, m, p, s, u):
    return json.dumps(
        {
            "httpRequest": {
                "requestMethod": m,
                "requestUrl": "https://shop.example" + p,
                "status": s,
                "userAgent": "cli/" + u,
                "remoteIp": f"10.0.0.{1 + ord(u[0]) % 3}",
                "latency": "0.012s",
            },
            "timestamp": iso(i),
            "insertId": f"x{i}",
            "resource": {"type": "http_load_balancer"},
        }
    )


@case("azure app gateway")
def azure_app_gateway(i, m, p, s, u):
    return json.dumps(
        {
            "timeStamp": iso(i),
            "resourceId": "/SUBSCRIPTIONS/X",
            "operationName": "ApplicationGatewayAccess",
            "properties": {
                "clientIP": f"10.0.0.{1 + ord(u[0]) % 3}",
                "httpMethod": m,
                "requestUri": p.partition("?")[0],
                "requestQuery": p.partition("?")[2],
                "userAgent": "cli/" + u,
                "httpStatus": s,
                "httpVersion": "HTTP/1.1",
                "host": "shop.example",
                "timeTaken": 0.012,
            },
        }
    )


@case("openstack wsgi")
def openstack_wsgi(i, m, p, s, u):
    return f'nova-api.log 2026-11-10 00:25:5{i}.008 25746 INFO nova.osapi_compute.wsgi.server [req-38101a0b-2096 {u} tenant - - -] 10.11.10.1 "{m} {p} HTTP/1.1" status: {s} len: 1893 time: 0.2477829'


@case("python app log with junk")
def python_app_log_with_junk(i, m, p, s, u):
    return comb(i, m, p, s, u) + '\nTraceback (most recent call last):\n  File "x.py", line 3\nValueError: no'


@case("two processes")
def two_processes(i, m, p, s, u):
    return (
        comb(i, m, p, s, u)
        if i % 2
        else json.dumps({"ts": BEGIN + i, "method": m, "url": p, "status": s, "user": u})
    )


@case("trailing slash and case")
def trailing_slash_and_case(i, m, p, s, u):
    return comb(i, m.lower() if i % 2 else m, p if "?" in p else p + "/", s, u)


@case("gateway prefix")
def gateway_prefix(i, m, p, s, u):
    return comb(i, m, "/edge/eu" + p, s, u)


@case("prefix instead of base")
def prefix_instead_of_base(i, m, p, s, u):
    return comb(i, m, "/internal/v4" + p.removeprefix("/api"), s, u)


@case("no base at all")
def no_base_at_all(i, m, p, s, u):
    return comb(i, m, p.removeprefix("/api"), s, u)


@case("full url target")
def full_url_target(i, m, p, s, u):
    return comb(i, m, "http://shop.example" + p, s, u)
