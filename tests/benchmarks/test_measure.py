"""Reading coverage reports."""

from __future__ import annotations

from pathlib import Path

from benchmarks.bench.measure import go_counts, jacoco_lines, lines_run, tally
from benchmarks.bench.services.sinatra import ruby_lines


def test_go_statements_are_summed_by_file_and_part() -> None:
    lines = [
        "mode: set",
        "example.org/app/services/pull/merge.go:10.2,12.3 3 1",
        "example.org/app/services/pull/merge.go:14.2,16.3 2 0",
        "example.org/app/services/pull/merge.go:14.2,16.3 2 1",
        "example.org/app/models/user.go:1.1,2.2 5 0",
    ]
    counts = go_counts(lines, "example.org/app")
    assert counts == {"services/pull/merge.go": (5, 5), "models/user.go": (0, 5)}
    everything, services = tally(counts, {"services": "services/"})
    assert (everything.covered, everything.total, services.percent) == (5, 10, 100.0)


def test_jacoco_lines_are_summed_by_package(tmp_path: Path) -> None:
    report = tmp_path / "jacoco.csv"
    report.write_text(
        "GROUP,PACKAGE,CLASS,LINE_MISSED,LINE_COVERED\na,io.rest,Api,1,3\na,io.core,Engine,4,0\n"
    )
    everything, rest = jacoco_lines(report, {"rest": "io.rest"})
    assert (everything.covered, everything.total) == (3, 8)
    assert rest.percent == 75.0


def test_an_inner_range_that_did_not_run_overrules_the_outer() -> None:
    source = "function a() {\n  if (x) {\n    b();\n  }\n  // done\n  c();\n}\n"
    begin = source.index("{\n    b")
    functions = [
        {"ranges": [{"startOffset": 0, "endOffset": len(source), "count": 1}]},
        {
            "ranges": [
                {"startOffset": 0, "endOffset": len(source), "count": 2},
                {"startOffset": begin, "endOffset": source.index("  // done"), "count": 0},
            ]
        },
    ]
    assert lines_run(source, functions) == {1: True, 2: True, 3: False, 6: True}


def test_ruby_lines_without_code_do_not_count() -> None:
    (everything,) = ruby_lines({"app.rb": [1, None, 0, 3]})
    assert (everything.covered, everything.total) == (2, 3)
    assert ruby_lines({}) == ()
