from __future__ import annotations

import pytest

from lobrest.model.reproducer import Capture, CaptureSource, Fresh, FreshKind


@pytest.mark.parametrize("name", ["", "V1", "1v", "v1;id", "v 1", "$v", "é", "v1\n"])
def test_a_name_that_a_script_would_trip_over_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="cannot name a value"):
        Capture(name, CaptureSource.BODY, "id")
    with pytest.raises(ValueError, match="cannot name a value"):
        Fresh(name, FreshKind.HEX, 8)


def test_plain_names_are_taken() -> None:
    assert Capture("v1", CaptureSource.BODY, "id").name == "v1"
    assert Fresh("fresh_2", FreshKind.DIGITS, 8).name == "fresh_2"
