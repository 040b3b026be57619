"""What worked in the log and does not now."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.fuzz.oracles.little import NOTE, Little, base, judged, performed, world

from lobrest.fuzz.oracles.regression import Refusals, RegressionOracle
from lobrest.model.bug import BugKind


class Gone(Little):
    """The operation was taken away."""

    status = 405

    def __call__(self, request):
        answer = Little.__call__(self, request)
        return replace(answer, status=self.status) if request.method == "PUT" else answer


def plays(service, count, refusals=None, *, first=True):
    made = world()
    oracle = RegressionOracle(refusals or Refusals())
    found = []
    for _ in range(count):
        found += judged(oracle, performed(made, base(made, f"PUT {NOTE}"), service), first_play=first)
    return found


def test_refused_every_time_after_everything_else_worked():
    assert plays(Gone(), 2) == []
    found = plays(Gone(), 3)
    assert [one.key.kind for one in found] == [BugKind.REGRESSION]
    assert found[0].key.operation == f"PUT {NOTE}"
    assert found[0].settled


def test_one_success_ends_the_matter():
    refusals = Refusals()
    assert plays(Little(), 1, refusals) == []
    assert plays(Gone(), 5, refusals) == []


def test_mutations_and_failures_of_another_kind_say_nothing():
    assert plays(Gone(), 5, first=False) == []
    for status in (401, 429, 500):
        service = Gone()
        service.status = status
        assert plays(service, 5) == []


def test_what_stands_on_a_failed_step_says_nothing():
    class Lost(Little):
        def __call__(self, request):
            if request.target == "/projects":
                return Little.__call__(
                    self, request.__class__(request.operation, "GET", "/projects/0", actor="ann")
                )
            return Little.__call__(self, request)

    assert plays(Lost(), 5) == []
