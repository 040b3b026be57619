"""Talk on standard error, results on standard output."""

from __future__ import annotations

import pytest

from lobrest.cli.talk import Talk


def test_talk_and_results_go_their_own_ways(capsys: pytest.CaptureFixture[str]):
    talk = Talk()
    talk.say("on the way")
    talk.write("result")
    talk.write("with an end\n")
    told = capsys.readouterr()
    assert told.out == "result\nwith an end\n"
    assert told.err == "on the way\n"


def test_quiet_says_only_what_matters(capsys: pytest.CaptureFixture[str]):
    talk = Talk(quiet=True)
    talk.say("on the way")
    talk.warn("look out")
    assert capsys.readouterr().err == "look out\n"


@pytest.mark.parametrize("text", ["[bold]x[/bold]", "[/nonsense]", "GET /a/[id]", "é😀", "x" * 500])
def test_text_is_shown_as_it_is(capsys: pytest.CaptureFixture[str], text: str):
    Talk().say(text)
    assert capsys.readouterr().err == text + "\n"


def test_no_colours_where_nobody_wants_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("FORCE_COLOR", "1")
    Talk(color=False).warn("plain")
    assert "plain" in capsys.readouterr().err
    monkeypatch.setenv("NO_COLOR", "1")
    Talk().warn("plain")
    assert "\x1b[33m" not in capsys.readouterr().err


def test_progress_is_silent_where_nobody_watches(capsys: pytest.CaptureFixture[str]):
    with Talk().progress("reading", 10) as bar:
        bar.advance(bar.task_ids[0], 5)
    assert capsys.readouterr().out == ""
