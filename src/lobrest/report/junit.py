"""JUnit XML, as CI systems read it: a failed case a bug, a passed case a covered operation."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree

from lobrest.model.bug import Bug, BugKind, Severity
from lobrest.model.exchange import Exchange
from lobrest.model.summary import BugResult, OperationResult, Summary
from lobrest.report.secrets import mask_target
from lobrest.report.wording import happening, one_line, visible


def junit_xml(summary: Summary, bugs: Iterable[Bug] = ()) -> str:
    """The document. Operations without a 2XX are skipped cases: nothing was learnt about them."""
    known = {bug.number: bug for bug in bugs}
    module_of = {result.op: result.module for result in summary.operations.list}
    accepted = _accepted(summary)
    cases = [
        _bug_case(result, known.get(result.n), module_of.get(result.op, ""), accepted=result.n in accepted)
        for result in summary.bugs
    ]
    failing = {result.op for result in summary.bugs}
    cases.extend(_operation_case(result) for result in summary.operations.list if result.op not in failing)
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "errors": "0",
        "skipped": str(sum(case.find("skipped") is not None for case in cases)),
        "time": f"{summary.duration_s:.3f}",
    }
    root = ElementTree.Element("testsuites", {"name": "lobrest", **counts})
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        {
            "name": one_line(summary.service),
            **counts,
            "timestamp": one_line(summary.started.removesuffix("Z"), 40),
        },
    )
    suite.extend(cases)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _accepted(summary: Summary) -> frozenset[int]:
    """Bugs that the baseline knows: they fail no build."""
    compared = summary.extra.get("baseline")
    return frozenset(compared.get("known", ())) if isinstance(compared, dict) else frozenset()


def _bug_case(result: BugResult, bug: Bug | None, module: str, *, accepted: bool) -> ElementTree.Element:
    answer = happening(result.kind, result.status)
    message = one_line(result.message, 400)
    case = _case(f"{result.op} {answer}: {one_line(result.message, 120)}", module, result.first_seen_s)
    usual = result.kind == BugKind.SERVER_ERROR
    told = {"type": str(result.status or "no answer") if usual else result.kind, "message": message}
    quiet = "known since the baseline" if accepted else ""
    if not quiet and result.severity == Severity.INFO:
        quiet = "worth knowing"
    failure = (
        ElementTree.SubElement(case, "skipped", {"message": f"{quiet}: {message}"})
        if quiet
        else ElementTree.SubElement(case, "failure", told)
    )
    lines = [
        message,
        one_line(result.evidence, 600),
        "" if result.confirmed else "not confirmed by a second run",
    ]
    if bug is not None:
        lines.extend(f"{number}. {_step(exchange)}" for number, exchange in enumerate(bug.exchanges, 1))
    lines.append(f"reproduce: bugs/{result.n}/repro.sh")
    failure.text = "\n".join(line for line in lines if line)
    return case


def _step(exchange: Exchange) -> str:
    method, target = one_line(exchange.request.method, 20), visible(mask_target(exchange.request.target), 300)
    return f"{method} {target} -> {exchange.status or exchange.failure or 'no answer'}"


def _operation_case(result: OperationResult) -> ElementTree.Element:
    case = _case(result.op, result.module, 0.0)
    told = ", ".join(f"{count} x {status}" for status, count in sorted(result.statuses.items()) if count)
    if not any(status.startswith("2") and count for status, count in result.statuses.items()):
        ElementTree.SubElement(case, "skipped", {"message": f"never answered 2XX: {told or 'not tried'}"})
    return case


def _case(name: str, module: str, seconds: float) -> ElementTree.Element:
    return ElementTree.Element(
        "testcase",
        {"name": one_line(name, 300), "classname": one_line(module) or "-", "time": f"{seconds:.3f}"},
    )
