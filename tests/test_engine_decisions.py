"""What an engine decides from what it sees: pure parts, without workers and without waiting."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaltui.cells import Problem
from evaltui.engine.breaker import PATIENCE, waiting_lanes
from evaltui.engine.ending import Ending, ending, follows
from evaltui.engine.folding import AttemptEvents, fold
from evaltui.engine.outcome import Outcome, outcome
from evaltui.engine.retry import RetryRules
from evaltui.engine.state import SetState
from evaltui.engine.stopping import further, overdue
from evaltui.engine.trash import TrashError, bring_back, contents, empty, put_away, superseded
from evaltui.logs import attempt as ev
from evaltui.logs import journal as jn
from evaltui.logs.layout import Layout
from evaltui.logs.records import SampleSummary
from tests.test_state import a_set, launched, planned

RULES = RetryRules(wait=30)


def lane_of_two() -> SetState:
    """Cells `one` and `three` run in lane sim/a; nothing has been said yet."""
    entries = [planned("one"), launched("one"), planned("three"), launched("three")]
    return fold(a_set(), entries)


def retry(t: float) -> ev.ModelRetry:
    return ev.ModelRetry(t=t, model="sim/a", wait=9, status=429)


def sample(t: float) -> ev.SampleEnd:
    return ev.SampleEnd(t=t, id=1, epoch=1)


def heard(state: SetState, cell: str, *events: ev.Event) -> SetState:
    return fold(state, [AttemptEvents(cell, "a1", events)])


# --- the lane breaker -----------------------------------------------------------------------------


def test_a_lane_waits_when_all_its_workers_retry_in_vain() -> None:
    state = heard(heard(lane_of_two(), "one", retry(10)), "three", retry(20))
    assert waiting_lanes(state, now=2 + PATIENCE - 1) == {}
    waiting = waiting_lanes(state, now=2 + PATIENCE)
    assert list(waiting) == ["sim/a"]
    assert "429" in waiting["sim/a"]


def test_one_worker_that_gets_answers_keeps_the_lane_open() -> None:
    state = heard(lane_of_two(), "one", retry(10))
    assert waiting_lanes(state, now=1000) == {}
    state = heard(state, "three", retry(20), sample(990))
    assert waiting_lanes(state, now=1000) == {}


def test_an_answer_after_the_retries_opens_the_lane_again() -> None:
    state = heard(heard(lane_of_two(), "one", retry(10)), "three", retry(20))
    assert waiting_lanes(state, now=1000)
    assert waiting_lanes(heard(state, "one", sample(1001)), now=1002) == {}


def test_a_lane_in_which_nothing_runs_does_not_wait() -> None:
    state = heard(heard(lane_of_two(), "one", retry(10)), "three", retry(20))
    ended = [jn.AttemptEnded(t=30, cell=key, attempt="a1", status="error") for key in state.cells]
    assert waiting_lanes(fold(state, ended), now=1000) == {}


# --- the end of an attempt ------------------------------------------------------------------------


def an_end(status: str = "error", **more: object) -> Ending:
    return Ending("a1", status, **more)  # type: ignore[arg-type]


def kinds(entries: list[jn.Entry]) -> list[str]:
    return [type(entry).__name__ for entry in entries]


def test_events_add_up_to_an_ending() -> None:
    end = ending(
        "a1",
        [
            ev.Started(t=1, attempt="a1", pid=1, host="h"),
            ev.LogPath(t=2, path="/x/y/l.eval"),
            ev.SampleEnd(t=3, id=1, epoch=1, reused=True),
            ev.SampleEnd(t=4, id=2, epoch=1),
            ev.SampleEnd(t=4, id=3, epoch=1, error="boom"),
            ev.SampleEnd(t=4, id=4, epoch=1, error="CancelledError()", cancelled=True),
            ev.Ended(t=5, status="error", error="1 errored", metrics={"m": {"accuracy": 1}}),
        ],
    )
    assert (end.status, end.error, end.log) == ("error", "1 errored", "l.eval")
    assert (end.gained, end.done, end.reused) == (1, 2, 1)
    assert end.failed == {("3", 1, "boom")}
    assert end.errors == {"boom": 1}


def test_without_a_last_word_an_attempt_has_crashed() -> None:
    started = ev.Started(t=1, attempt="a1", pid=1, host="h")
    assert ending("a1", [started], "killed").error == "killed"
    silent = ending("a1", [])
    assert (silent.status, silent.started) == ("crashed", False)
    assert "never started" in str(silent.error)


@pytest.mark.parametrize(
    ("status", "follow"),
    [
        ("success", ["AttemptEnded", "Completed"]),
        ("error", ["AttemptEnded", "RerunScheduled"]),
        ("crashed", ["AttemptEnded", "RerunScheduled"]),
        ("cancelled", ["AttemptEnded", "Cancelled"]),
        ("blocked", ["AttemptEnded", "Blocked"]),
        ("refused", ["AttemptEnded", "Blocked"]),
        ("held", ["AttemptEnded", "Held"]),
        ("replan", ["AttemptEnded"]),
    ],
)
def test_what_follows_from_each_last_word(status: str, follow: list[str]) -> None:
    one = lane_of_two().cells["one"]
    assert kinds(follows(one, an_end(status), [], RULES, 100)) == follow


@pytest.mark.parametrize("status", ["error", "crashed", "cancelled"])
def test_an_attempt_that_was_asked_to_stop_has_not_failed(status: str) -> None:
    one = lane_of_two().cells["one"]
    entries = follows(one, an_end(status), [], RULES, 100, stopped=True)
    assert kinds(entries) == ["AttemptEnded", "Cancelled"]


def test_a_drained_attempt_that_got_everything_done_is_complete() -> None:
    one = lane_of_two().cells["one"]
    entries = follows(one, an_end("success", done=6), [], RULES, 100, stopped=True)
    assert kinds(entries) == ["AttemptEnded", "Completed"]


def test_workers_are_pressed_step_by_step() -> None:
    assert [further(step) for step in (None, "drain", "interrupt", "terminate", "kill")] == [
        "drain", "interrupt", "terminate", "kill", "kill",
    ]  # fmt: skip
    assert not overdue("drain", since=0, now=1e9), "a drain has as long as it needs"
    assert not overdue("interrupt", since=0, now=19)
    assert overdue("interrupt", since=0, now=20)
    assert not overdue("kill", since=0, now=1e9)


# --- how a run ends -------------------------------------------------------------------------------


def test_exit_codes_tell_complete_incomplete_and_interrupted_apart() -> None:
    codes = {
        Outcome("complete"): 0,
        Outcome("handed_over"): 0,
        Outcome("incomplete"): 3,
        Outcome("cancelled"): 130,
        Outcome("cancelled", terminated=True): 143,
    }
    assert {each: each.exit_code for each in codes} == codes


def test_what_is_left_is_named_with_its_reason() -> None:
    stuck = jn.Failed(t=9, cell="one", why="stuck", message="Stuck: boom")
    done = [jn.Completed(t=9, cell=key, log=None, samples=6) for key in ("two", "three")]
    state = fold(a_set(), [planned("one"), stuck, *done])
    said = outcome("incomplete", state, [Problem("gone.py does not exist")]).message
    assert said == (
        "Left to do: 1 of 3 cells (1 stuck). one on sim/a: Stuck: boom. gone.py does not exist"
    )
    assert outcome("complete", state, []).message == ""


# --- superseded logs ------------------------------------------------------------------------------


def logged(id: int, uuid: str | None, **more: object) -> SampleSummary:
    return SampleSummary(id=id, epoch=1, uuid=uuid, **more)  # type: ignore[arg-type]


def test_a_log_is_superseded_when_all_its_clean_samples_are_kept() -> None:
    kept = [logged(1, "a"), logged(2, "b"), logged(3, "c", error="x")]
    others = {
        "part": [logged(1, "a"), logged(2, "z", error="boom")],
        "holds more": [logged(1, "a"), logged(4, "d")],
        "errored there": [logged(3, "c")],
        "by other means": [logged(1, None)],
        "invalid": [logged(9, "q", invalidated=True)],
        "nothing": [],
    }
    assert superseded(kept, others) == ["part", "invalid", "nothing"]


def test_the_trash_keeps_both_of_two_logs_of_one_name(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    for text in ("first", "second"):
        (tmp_path / "l.eval").write_text(text)
        put_away(layout, "l.eval")
    assert [path.name for path in contents(layout)] == ["l.eval.2.trash", "l.eval.trash"]
    assert not list(tmp_path.rglob("*.eval"))
    bring_back(layout, "l.eval.2.trash", "l.eval")
    assert (tmp_path / "l.eval").read_text() == "second"
    with pytest.raises(TrashError, match="already"):
        bring_back(layout, "l.eval.trash", "l.eval")
    with pytest.raises(TrashError, match="no longer"):
        bring_back(layout, "x.trash", "x.eval")
    assert empty(layout) == (1, 5)
    assert contents(layout) == []
