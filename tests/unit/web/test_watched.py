from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.web.recorded import record, recorded

from lobrest.app.control import Wish, wished
from lobrest.errors import StoreError
from lobrest.model.event import CampaignEnded
from lobrest.store import open_store
from lobrest.web.picture import State
from lobrest.web.watched import watch


def test_a_campaign_is_followed_from_running_to_its_end(tmp_path: Path):
    store = record(tmp_path / "w")
    (watched,) = watch([str(tmp_path / "w")])
    assert (watched.state(), watched.label, watched.can_be_steered) == (State.RUNNING, "w", True)
    pulse = watched.pulse()
    assert (pulse.bugs, pulse.operations, pulse.budget) == (9, 64, 600.0)
    assert pulse.requests == watched.picture().summary.requests > 100
    watched.steer(Wish.PAUSE)
    assert (watched.state(), wished(tmp_path / "w")) == (State.PAUSED, Wish.PAUSE)
    watched.steer(Wish.STOP)
    assert watched.state() is State.STOPPING
    store.record([CampaignEnded(31.0, "stopped by the user")])
    store.close()
    assert watched.state() is State.ENDED
    with pytest.raises(StoreError, match="not running"):
        watched.steer(Wish.PAUSE)
    watched.close()


def test_one_that_was_killed_is_broken_off(tmp_path: Path):
    record(tmp_path).close()
    (watched,) = watch([str(tmp_path)])
    assert watched.state() is State.BROKEN_OFF
    watched.close()


def test_folders_of_work_folders_and_databases_are_places_too(tmp_path: Path):
    for name in ("b", "a"):
        recorded(tmp_path / "runs" / name)
    (tmp_path / "runs" / "notes.txt").write_text("x")
    found = watch([str(tmp_path / "runs"), str(tmp_path / "runs" / "a" / "lobrest.db")])
    assert [(watched.number, watched.label) for watched in found] == [(1, "a"), (2, "b"), (3, "a")]
    assert found[2].folder == tmp_path / "runs" / "a"
    for watched in found:
        watched.close()


def test_a_place_without_a_campaign_is_named(tmp_path: Path):
    recorded(tmp_path / "a")
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreError, match=r"empty.*no campaign here"):
        watch([str(tmp_path / "a"), str(tmp_path / "empty")])
    with pytest.raises(StoreError, match="no campaign here"):
        watch([str(tmp_path / "nothing")])


def test_a_store_without_an_outline_shows_what_was_sent(tmp_path: Path):
    store = open_store(tmp_path, create=True)
    store.close()
    (watched,) = watch([str(tmp_path)])
    assert watched.picture().summary.operations.total == 0
    watched.close()


def test_what_was_worked_out_a_moment_ago_is_shown_again(tmp_path: Path):
    recorded(tmp_path)
    (watched,) = watch([str(tmp_path)])
    first = watched.picture()
    assert watched.picture() is first
    watched.forget()
    assert watched.picture() is not first
    watched.close()
