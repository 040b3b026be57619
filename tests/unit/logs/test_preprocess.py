"""A whole log: what is kept, dropped, joined and told."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from tests.unit.logs.forge import ISSUES, PROJECTS, REPOS, line, reader, shown, table, trail

from lobrest.errors import LogError
from lobrest.logs import LogReader
from lobrest.model.slice import Profile
from lobrest.resources import analyse
from lobrest.spec import Router, load_spec


def reasons(log):
    return {drop.reason: drop.count for drop in log.statistics.dropped}


def test_lines_are_dropped_by_reason_with_their_places():
    log = table(
        line("GET", "/api/projects/1"),
        line("GET", "/health"),
        line("GET", "/api/projects/1", 404),
        b"not json",
        line("GET", "/api/projects/1", 0),
        line("GET", "/api/projects/2", 502),
    )
    assert [entry.status for entry in map(log.entry, range(len(log)))] == [200, 502]
    assert reasons(log) == {
        "not in the specification": 1,
        "answered 4XX": 1,
        "not readable: not a JSON object": 1,
        "no final answer": 1,
    }
    assert {str(drop.places[0]) for drop in log.statistics.dropped} == {f"a.log:{n}" for n in (2, 3, 4, 5)}
    assert log.statistics.lines == 6
    assert log.statistics.unknown == (("GET /health", 1),)


def test_a_5xx_is_an_entry_but_no_example():
    log = table(line("GET", "/api/projects/1", 500), line("GET", "/api/projects/2"))
    examples = log.corpus.examples["GET /projects/{id}"]
    assert [example.path for example in examples] == [{"id": "2"}]
    assert len(log) == 2


def test_time_is_the_start_of_a_request():
    log = table(line("GET", "/api/projects/1", at=10, rt=4.0), line("GET", "/api/projects/2", at=9, rt=0.5))
    assert log.times.tolist() == [1_700_000_006.0, 1_700_000_008.5]


def test_a_queue_is_in_time_order_and_ties_keep_the_order_of_the_file():
    log = table(
        line("GET", "/api/projects/1", at=5),
        line("GET", "/api/projects/2", at=1),
        line("GET", "/api/projects/3", at=5),
        line("GET", "/api/projects/4", at=1, user="bob"),
    )
    queues = {log.users[number]: queue.tolist() for number, queue in enumerate(log.queues())}
    assert queues == {"ann": [1, 0, 2], "bob": [3]}


def test_numbers_are_the_same_thing_as_their_text_and_scopes_tell_equal_numbers_apart():
    log = table(
        line("GET", "/api/projects/15/issues/3"),
        line("GET", "/api/projects/16/issues/3"),
        line(
            "POST",
            "/api/projects/15/merges",
            201,
            body={"source": "fix", "target": "main", "reviewers": ["bob", "cy"]},
        ),
        line("GET", "/api/projects/15/branches/fix"),
    )
    assert shown(log, 0) == {"id": "15", "iid": "3@15"}
    assert shown(log, 1) == {"id": "16", "iid": "3@16"}
    assert shown(log, 2) == {
        "id": "15", "source": "fix@15", "target": "main@15", "reviewers/*": "bob", "reviewers/1": "cy"
    }  # fmt: skip
    assert shown(log, 3)["branch"] == shown(log, 2)["source"]
    assert set(log.instance_set(3)) < set(log.instance_set(2))


def test_the_paper_knows_no_scopes():
    log = table(
        line("GET", "/api/projects/15/issues/3"),
        line("GET", "/api/projects/16/issues/3"),
        profile=Profile.PAPER,
    )
    assert shown(log, 0)["iid"] == shown(log, 1)["iid"] == "3"


def test_an_owner_is_the_scope_of_a_repository_though_no_ancestor():
    log = table(line("GET", "/api/repos/ann/tool"), line("GET", "/api/repos/bob/tool"))
    assert shown(log, 0) == {"owner": "ann", "repo": "tool@ann"}
    assert shown(log, 1) == {"owner": "bob", "repo": "tool@bob"}


def test_the_columns_agree_with_the_entries():
    log = table(
        line("POST", "/api/projects", 201, body={"name": "x"}, response_body={"id": 15, "path": "g/x"}),
        line("GET", "/api/projects/15/issues/3"),
        line("PUT", "/api/projects/15/labels/bug", 200, body={"color": "red"}),
    )
    for index in range(len(log)):
        entry = log.entry(index)
        assert {log.instances[number] for number in log.instance_set(index)} == entry.instances
        assert entry.operation == log.operations[log.operation_ids[index]]
        assert str(entry.source) == f"a.log:{index + 1}"


def test_an_answer_tells_what_was_made_and_its_other_name():
    log = table(
        line("POST", "/api/projects", 201, body={"name": "x"}, response_body={"id": 15, "path": "g/x"}),
        line("GET", "/api/projects/g%2Fx"),
        line("GET", "/api/projects/15"),
    )
    made = log.entry(0).creates
    assert made is not None
    assert made.resource == PROJECTS
    assert set(log.entry(1).uses.values()) == set(log.entry(2).uses.values()) == {made}


def test_a_location_tells_what_was_made():
    log = table(
        line(
            "POST",
            "/api/projects/1/issues",
            201,
            body={"title": "t"},
            resp_location="/api/projects/1/issues/7",
        ),
        line("GET", "/api/projects/1/issues/7"),
    )
    assert trail(log.entry(0).creates) == "7@1"


def test_a_client_chosen_identity_is_made_by_the_request_itself():
    log = table(
        line("PUT", "/api/projects/1/labels/bug", 201, body={"color": "red"}),
        line("GET", "/api/projects/1/labels/bug"),
    )
    assert trail(log.entry(0).creates) == "bug@1"
    assert log.entry(0).creates in log.entry(1).instances


def test_a_name_in_the_request_is_believed_when_it_is_used_later():
    log = table(
        line("POST", "/api/projects/1/branches", 201, body={"branch": "fix", "ref": "main"}),
        line("GET", "/api/projects/1/branches/fix"),
        line("POST", "/api/projects/1/branches", 201, body={"branch": "never", "ref": "main"}),
    )
    assert trail(log.entry(0).creates) == "fix@1"
    assert log.entry(2).creates is None


def test_the_first_later_use_by_the_same_user_explains_a_creation():
    log = table(
        line("GET", "/api/projects/1/issues/4", at=0),
        line("POST", "/api/projects/1/issues", 201, at=1, body={"title": "a"}),
        line("GET", "/api/projects/1/issues/4", at=2),
        line("GET", "/api/projects/2/issues/5", at=3),
        line("GET", "/api/projects/1/issues/9", at=4, user="bob"),
        line("GET", "/api/projects/1/issues/5", at=5),
    )
    made = log.entry(1).creates
    assert made is not None
    assert (made.resource, trail(made)) == (ISSUES, "5@1")
    assert log.statistics.creations == log.statistics.creations_known == 1


def test_numbers_count_up_with_the_creations_that_made_them():
    log = table(
        line("POST", "/api/projects/1/issues", 201, at=1, body={"title": "a"}),
        line("POST", "/api/projects/1/issues", 201, at=2, body={"title": "b"}),
        line("GET", "/api/projects/1/issues/8", at=3),
        line("GET", "/api/projects/1/issues/7", at=4),
    )
    assert [trail(log.entry(index).creates) for index in (0, 1)] == ["7@1", "8@1"]


def test_a_creation_whose_scope_is_not_in_the_request_takes_that_of_its_use():
    log = table(
        line("POST", "/api/repos", 201, at=0, body={"name": "tool"}),
        line("GET", "/api/repos/ann/tool", at=1),
    )
    made = log.entry(0).creates
    assert made is not None
    assert (made.resource, trail(made)) == (REPOS, "tool@ann")


def test_a_rename_gives_a_second_name_and_what_is_inside_goes_with_it():
    log = table(
        line("GET", "/api/repos/ann/old", at=0),
        line("PATCH", "/api/repos/ann/old", at=1, body={"name": "new"}),
        line("GET", "/api/repos/ann/new", at=2),
        line("PATCH", "/api/repos/ann/new", at=3, body={"name": "unused"}),
    )
    assert len({shown(log, index)["repo"] for index in range(4)}) == 1


def test_a_redirect_and_the_same_call_elsewhere_are_one_entry():
    log = table(
        line("GET", "/api/repos/ann/old", 301, at=0),
        line("GET", "/api/repos/ann/new", at=1),
        line("GET", "/api/repos/ann/old", at=60),
        line("GET", "/api/projects/1", 307, at=100),
        line("GET", "/api/projects/2/issues", at=101),
    )
    assert reasons(log) == {"redirect, followed by the same call": 1}
    assert shown(log, 0) == shown(log, 1)
    assert log.entry(2).status == 307


def test_a_transferred_thing_is_the_same_thing_and_its_owners_stay_two():
    log = table(
        line("GET", "/api/repos/ann/tool", 301, at=0, resp_location="http://forge/api/repos/bob/tool"),
        line("GET", "/api/repos/ann/tool", at=50),
        line("GET", "/api/repos/bob/tool", at=90),
    )
    assert shown(log, 1)["repo"] == shown(log, 2)["repo"]
    assert {shown(log, 1)["owner"], shown(log, 2)["owner"]} == {"ann", "bob"}


def test_overlapping_files_count_a_line_once():
    lines = [line("GET", f"/api/projects/{number}", at=number) for number in range(10)]
    held = reader()
    held.feed("a.log.1", [b"\n".join([*lines[:6], lines[5]])])
    held.feed("a.log", [b"\n".join(lines[4:])])
    log = held.finish()
    assert len(log) == 11, "a line that is twice in one file is two requests"
    assert reasons(log) == {"copy of a line in another file": 2}


def test_two_nodes_that_log_at_the_same_time_are_no_copies():
    held = reader()
    first = [line("GET", f"/api/projects/{number}", at=number) for number in range(10)]
    second = [line("GET", f"/api/projects/{number}", at=number) for number in range(5, 6)]
    second += [line("GET", f"/api/projects/{number}", at=number % 10, user="bob") for number in range(20, 40)]
    held.feed("node1", [b"\n".join(first)])
    held.feed("node2", [b"\n".join(second)])
    assert len(held.finish()) == 31


def test_a_folder_of_different_formats_is_read_file_by_file():
    held = reader()
    held.feed("a.json", [line("GET", "/api/projects/1")])
    held.feed(
        "b.log",
        [b'10.0.0.9 - bob [14/Nov/2023:22:13:21 +0000] "GET /api/projects/1 HTTP/1.1" 200 5 "-" "curl/8"\n'],
    )
    held.feed("c.txt", [b"Dear diary,\ntoday nothing happened\n"])
    log = held.finish()
    assert [file.detection.format_name for file in log.statistics.files] == ["json", "combined", ""]
    assert set(log.users) == {"ann", "bob"}
    assert reasons(log) == {"format not recognised": 2}


def test_blocks_give_the_same_as_one_block():
    lines = [
        line("POST", "/api/projects/1/issues", 201, at=number, body={"title": "t"})
        if number % 7 == 0
        else line(
            "GET",
            f"/api/projects/{number % 5}/issues/{number}?label=x{number % 3}",
            at=number,
            user=f"u{number % 4}",
        )
        for number in range(300)
    ]
    whole, parts = table(*lines), table(*lines, block_size=2000)
    for name in ("times", "operation_ids", "statuses", "lines", "user_ids", "created_ids"):
        assert getattr(whole, name).tolist() == getattr(parts, name).tolist()
    assert [whole.entry(index) for index in range(300)] == [parts.entry(index) for index in range(300)]


def test_lines_of_a_megabyte_are_read_wherever_they_stand():
    large = line("POST", "/api/projects", 201, body={"name": "x" * (1 << 20)})
    log = table(large, line("GET", "/api/projects/1"), b'"' * (1 << 20), b'\\"' * (1 << 19), large)
    assert len(log) == 3
    assert log.entry(2).arguments.body == {"name": "x" * (1 << 20)}


def test_a_prefix_that_a_gateway_adds_is_learnt():
    log = table(
        *(line("GET", f"/gateway/v7/projects/{number}") for number in range(5)),
        line("GET", "/gateway/v7/people/ann"),
    )
    assert len(log) == 6
    assert log.entry(0).arguments.path == {"id": "0"}


def test_secrets_never_leave_the_reader():
    log = table(
        line(
            "POST", "/api/login", 200, user="", auth="Bearer abcdef0123456789", sess="s3ss10n",
            body={"email": "ann@example.org", "password": "hunter2hunter2"},
        ),
        line("GET", "/api/projects?search=x&private_token=glpat-abcdefghijklmnopqrst", user=""),
    )  # fmt: skip
    everything = repr([log.entry(0), log.entry(1), log.corpus, log.users, log.statistics])
    for secret in ("hunter2", "abcdef0123456789", "s3ss10n", "glpat-", "10.0.0.1"):
        assert secret not in everything
    assert log.entry(0).arguments.hidden == ("body/password",)
    assert log.entry(1).arguments.hidden == ("query/private_token",)
    assert log.users[log.user_ids[0]].startswith("token-")


def test_flows_tell_which_answer_field_came_back_where():
    log = table(
        line(
            "POST",
            "/api/projects",
            201,
            at=0,
            body={"name": "x"},
            response_body={"id": 4711, "path": "g/x-9"},
        ),
        line("GET", "/api/projects/4711", at=1, response_body={"id": 4711}),
    )
    flows = {
        (flow.source, flow.pointer, flow.target, flow.location, flow.parameter) for flow in log.value_flows
    }
    assert ("POST /projects", "id", "GET /projects/{id}", "path", "id") in flows


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the log is empty"),
        (b"\x00\x01\x02 nonsense\n", "not a log that can be read"),
        (line("GET", "/other"), "no line of the log belongs to the service"),
    ],
)
def test_a_log_with_nothing_of_the_service_is_an_error_that_says_why(data, message):
    held = reader()
    held.feed("x.log", [data] if data else [])
    with pytest.raises(LogError, match=message):
        held.finish()
    held = reader()
    held.feed("x.log", [data] if data else [])
    assert len(held.finish(allow_empty=True)) == 0


def test_statistics_tell_the_span_the_gaps_and_ask_for_limits():
    log = table(
        line("GET", "/api/projects/1", at=0),
        line("GET", "/api/projects/1", at=10),
        line("GET", "/api/projects/1", at=500, user="bob"),
        line("GET", "/api/projects/1", at=30),
        suggest=lambda times, users, offsets, ids: (len(times), float(offsets[-1])),
    )
    told = log.statistics
    assert (told.first, told.last) == (1_700_000_000.0, 1_700_000_500.0)
    assert told.gaps[0.5] == 15.0
    assert (told.suggested_mlt_seconds, told.suggested_stw_seconds) == (4, 4.0)
    assert told.backward_jumps == 1
    assert "GET /people/{person}" in told.operations_unused
    assert told.operations_used == 1


def test_gitlab_parameters_are_split_by_the_specification_and_bent_values_left_out():
    logged = {
        "time": "2026-11-10T00:00:01.500Z", "duration_s": 0.5, "status": 201, "method": "POST", "path": "/api/projects",
        "params": [
            {"key": "name", "value": "x"}, {"key": "public", "value": None}, {"key": "size", "value": "3"},
            {"key": "title", "value": "[FILTERED]"},
        ],
        "route": "/api/:version/projects", "username": "ann", "remote_ip": "10.0.0.1", "ua": "x",
    }  # fmt: skip
    listed = logged | {
        "method": "GET",
        "status": 200,
        "params": [{"key": "search", "value": "y"}],
        "path": "/api/projects",
    }
    log = table(json.dumps(logged).encode(), json.dumps(listed).encode())
    first, second = log.entry(0).arguments, log.entry(1).arguments
    assert first.body == {"name": "x", "size": 3}
    assert set(first.hidden) == {"body/public", "body/title"}
    assert second.query == {"search": "y"}
    assert not second.has_body
    assert log.times[0] == 1794268801.0


RECORDED = Path(__file__).parents[4] / "shared"


@pytest.mark.skipif(not RECORDED.is_dir(), reason="the recorded traffic is not beside the repository")
@pytest.mark.parametrize(
    ("document", "pattern", "least_kept"),
    [
        ("gitea.json", "traffic/gitea/participants.*.log.gz", 0.8),
        ("kinto.json", "traffic/kinto/access.*.log.gz", 0.8),
        ("gitlab-16.1.8.json", "traffic/gitlab/*_*.cli.log.gz", 0.3),
        ("kinto.json", "logs/*/*.log", 0.0),
    ],
)
def test_recorded_logs_are_read_and_every_line_is_explained(document, pattern, least_kept):
    recorded = load_spec((RECORDED / "specs" / document).read_bytes(), name=document)
    resources = analyse(recorded)
    for path in sorted(RECORDED.glob(pattern)):
        if "truth" in path.name:
            continue
        held = LogReader(recorded, Router(recorded), resources, user_key=b"k")
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        held.feed(path.name, [data])
        told = held.finish(allow_empty=True).statistics
        assert told.lines == told.kept + told.not_requests + sum(drop.count for drop in told.dropped)
        assert told.kept >= least_kept * told.lines
        assert not [drop for drop in told.dropped if drop.reason.startswith("not readable") and least_kept]


def test_hosts_of_a_log_are_told_most_frequent_first():
    log = table(
        line("GET", "/api/projects/1", host="b.example"),
        line("GET", "/api/projects/2", host="A.example:8080"),
        line("GET", "/api/projects/3", host="a.example"),
        line("GET", "/elsewhere", host="dropped.example"),
        line("GET", "/api/projects/3", host="<no host>"),
    )
    assert log.statistics.hosts == ("a.example", "b.example", "dropped.example")
    assert log.statistics.hosts_left_out == 0


def test_hosts_are_bounded_and_the_rest_is_counted():
    lines = [line("GET", "/api/projects/1", host=f"h{number}.example") for number in range(80)]
    log = table(*lines, line("GET", "/api/projects/1", host="h79.example"))
    assert len(log.statistics.hosts) == 64
    assert log.statistics.hosts[0] == "h79.example"
    assert log.statistics.hosts_left_out == 16


def mesh(path, request_id, at, cluster, status=200):
    held = {
        "start_time": f"2026-11-10T00:25:{at:06.3f}Z", "method": "GET", "path": path, "response_code": status,
        "request_id": request_id, "upstream_cluster": cluster, "authority": "shop:80", "duration": 3,
    }  # fmt: skip
    return json.dumps(held).encode()


def test_a_request_that_two_proxies_of_a_mesh_logged_is_one():
    log = table(
        mesh("/api/projects/1", "0b1f7c1e-aaaa", 1.002, "inbound|80||"),
        mesh("/api/projects/1", "0b1f7c1e-aaaa", 1.0, "outbound|80||shop"),
        mesh("/api/projects/2", "0b1f7c1e-aaaa", 1.01, "outbound|80||shop"),  # on behalf of the first
        mesh("/api/projects/1", "0b1f7c1e-aaaa", 2.0, "outbound|80||shop", 503),  # another answer
        mesh("/api/projects/1", "77777777-bbbb", 1.003, "outbound|80||shop"),
        mesh("/api/projects/1", "-", 1.003, "outbound|80||shop"),
        mesh("/api/projects/1", "-", 1.003, "outbound|80||shop"),
        mesh("/api/projects/1", "0b1f7c1e-aaaa", 30.0, "outbound|80||shop"),  # an id used for ever
    )
    assert reasons(log) == {"the same request, logged by another proxy": 1}
    assert [str(drop.places[0]) for drop in log.statistics.dropped] == ["a.log:1"]
    assert len(log) == 7
