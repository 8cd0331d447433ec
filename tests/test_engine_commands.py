"""What people tell a running engine: by commands in its inbox, and by edits of the spec."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

import pytest

from evaltui.engine.clock import SystemClock
from evaltui.engine.inbox import send
from evaltui.engine.wanted import read_wanted
from evaltui.logs import journal as jn
from evaltui.logs.layout import Layout
from tests.engines import Minded, journal, minded, statuses, worker_pids, write_spec
from tests.sets import Scratch

pytestmark = pytest.mark.slow

SLOW = 'name = "counted"\nargs = { n = 12, sleep = 0.5 }'
BOTH = "args = { n = 6, sleep = 0.5 }"


def test_a_held_lane_starts_nothing_until_it_is_released(cases: Scratch) -> None:
    write_spec(cases, models="ab")
    send(Layout(cases.logs), "hold", ["mockllm/b"], scope="lane")
    with minded(cases) as run:
        run.until(lambda s: statuses(s) == ["complete", "held"])
        assert [call[3] for call in cases.calls()] == ["mockllm/a"] * 6
        assert run.tell("release", ["mockllm/b"], scope="lane") == "Released 1 lane."
        assert run.outcome().end == "complete"
    assert len(cases.calls()) == 12


def test_a_hold_outlives_its_engine_and_ends_the_next_one_incomplete(cases: Scratch) -> None:
    write_spec(cases, models="ab")
    _, second = read_wanted(Layout(cases.logs)).cells.cells
    send(Layout(cases.logs), "hold", [second.key])  # before an engine that might start it
    with minded(cases) as run:
        run.until(lambda s: statuses(s) == ["complete", "held"])
        run.engine.stop("hand_over")
        run.outcome()
    with minded(cases) as again:
        outcome = again.outcome()
    assert (outcome.end, outcome.exit_code) == ("incomplete", 3)
    assert "held" in outcome.message
    assert len(cases.calls()) == 6


def test_a_cancelled_cell_stays_so_when_the_screen_leaves(cases: Scratch) -> None:
    write_spec(cases, "retry_wait = 3000", models="ab")
    cases.fail(2)
    with minded(cases) as run:
        run.until(lambda s: statuses(s) == ["waiting", "waiting"])
        cases.fail()
        first, second = run.state.cells
        assert run.tell("cancel", [first]) == "1 cell will not start."
        run.engine.stop("hand_over")
        assert run.outcome().end == "handed_over"
    with minded(cases, detached=True, heir=True) as heir:
        heir.until(lambda s: s.engine is not None and s.cells[second].planned is not None)
        heir.tell("rerun", [second])
        assert heir.outcome().end == "incomplete"
        assert statuses(heir.state) == ["cancelled", "complete"]
    with minded(cases, detached=True) as asked:
        assert asked.outcome().end == "complete", "somebody asked for it, if without a terminal"


def test_holding_the_set_lets_running_cells_finish(cases: Scratch) -> None:
    write_spec(cases, "max_tasks = 1", task=BOTH)
    with minded(cases) as run:
        run.until(lambda s: cases.calls())
        assert run.tell("hold", scope="set") == "Held the set; what runs goes on."
        run.until(lambda s: statuses(s) == ["complete", "held"])
        assert run.tell("release", scope="set") == "Released the set."
        assert run.outcome().end == "complete"


def test_a_waiting_rerun_is_run_now_or_dropped(cases: Scratch) -> None:
    write_spec(cases, "retry_wait = 3000", models="ab")
    cases.fail(2)
    with minded(cases) as run:
        run.until(lambda s: statuses(s) == ["waiting", "waiting"])
        cases.fail()
        first, second = run.state.cells
        assert run.tell("rerun", [first]) == "1 cell to run now."
        assert run.tell("drop", [second]) == "1 cell will not run by itself."
        outcome = run.outcome()
    assert outcome.end == "incomplete"
    assert statuses(run.state) == ["complete", "dropped"]


def test_one_cell_is_cancelled_in_steps_and_the_others_go_on(cases: Scratch) -> None:
    write_spec(cases, "max_samples = 1", task=SLOW, models="ab")
    with minded(cases) as run:
        run.until(lambda s: len({call[3] for call in cases.calls()}) == 2)
        key = run.cell("counted", "mockllm/b").cell.key
        assert "finishes what it runs" in run.tell("cancel", [key])
        assert "stops now" in run.tell("cancel", [key], arguments={"now": True})
        run.until(lambda s: statuses(s)[1] == "cancelled")
        assert run.outcome().end == "incomplete"
    assert statuses(run.state) == ["complete", "cancelled"]
    assert not journal(run.layout, jn.RerunScheduled)


def test_tolerated_errors_run_again_on_demand(cases: Scratch) -> None:
    write_spec(cases, "fail_on_error = 2", "max_tasks = 1", task=BOTH)
    cases.fail(2, 3)
    with minded(cases) as run:
        run.until(lambda s: statuses(s)[0] == "complete")
        cases.fail()
        key = next(iter(run.state.cells))
        assert run.tell("retry_errors", [key]) == "Errors of 1 cell run again."
        assert run.outcome().end == "complete"
    counts = [call[1] for call in cases.calls()]
    assert {id: counts.count(id) for id in "123456"} == {
        "1": 1, "2": 2, "3": 2, "4": 1, "5": 1, "6": 1,
    }  # fmt: skip
    assert run.cell("counted").errored == 0


def test_what_can_not_be_done_is_refused_in_a_sentence(cases: Scratch) -> None:
    write_spec(cases, "max_samples = 1", task=SLOW)
    with minded(cases) as run:
        run.until(lambda s: statuses(s) == ["running"])
        (key,) = run.state.cells
        assert run.tell("rerun", [key]) == "refused: Nothing to rerun: it is running."
        assert run.tell("drop", [key]) == "refused: No waiting run to drop: it is running."
        assert "There is no cell nonsense" in run.tell("rerun", ["nonsense"])
        assert "There is no lane x" in run.tell("hold", ["x"], scope="lane")
        assert "refused" in run.tell("restore", scope="set")
        assert statuses(run.state) == ["running"]


def test_rubbish_in_the_inbox_is_taken_out_and_stops_nothing(cases: Scratch) -> None:
    write_spec(cases)
    layout = Layout(cases.logs)
    layout.commands.mkdir(parents=True)
    (layout.commands / "0.json").write_text("{")
    (layout.commands / "1.json").write_text(json.dumps({"version": 1, "id": "x", "command": "no"}))
    with minded(cases) as run:
        assert run.outcome().end == "complete"
    assert list(layout.commands.iterdir()) == []


def test_a_command_of_a_crashed_engine_is_not_done_twice(cases: Scratch) -> None:
    write_spec(cases)
    layout = Layout(cases.logs)
    sent = send(layout, "hold", scope="set")
    (path,) = layout.commands.iterdir()
    kept = path.read_bytes()
    with minded(cases) as run:
        run.until(lambda s: statuses(s) == ["held"])
        run.tell("release", scope="set")
        path.write_bytes(kept)
        assert run.outcome().end == "complete"
    assert [e.id for e in journal(layout, jn.CommandTaken)].count(sent.id) == 1


def test_a_set_is_stopped_and_let_go_by_command(cases: Scratch) -> None:
    write_spec(cases, "max_samples = 1", task=SLOW)
    with minded(cases) as run:
        run.until(lambda s: cases.calls())
        assert run.tell("quit", scope="set") == "The engine lets go of the set; 1 worker runs on."
        assert run.outcome().end == "handed_over"
        with minded(cases) as again:
            again.until(lambda s: s.engine is not None)
            assert "stops now" in again.tell("stop", scope="set", arguments={"now": True})
            assert again.outcome().exit_code == 130
    assert len(worker_pids(run.layout)) == 1


def test_cancelling_the_set_drains_and_again_stops_at_once(cases: Scratch) -> None:
    write_spec(cases, "max_samples = 1", task='name = "counted"\nargs = { sleep = 60 }')
    with minded(cases) as run:
        run.until(lambda s: cases.calls())
        assert "finishes what it runs" in run.tell("cancel", scope="set")
        assert statuses(run.state) == ["running"]
        assert "stops now" in run.tell("cancel", scope="set")
        assert run.outcome().exit_code == 130
    assert run.state.status == "cancelled"


# --- the spec, edited while the engine runs -----------------------------------------------------


def add(path: Path, text: str) -> None:
    path.write_text(path.read_text() + text)


def test_a_model_added_by_hand_runs_too(cases: Scratch) -> None:
    path = write_spec(cases, "max_samples = 2", task=SLOW)
    with minded(cases) as run:
        run.until(lambda s: cases.calls())
        add(path, '[[model]]\nname = "mockllm/b"\n')
        assert run.outcome().end == "complete"
    assert [cell.cell.model for cell in run.state.cells.values()] == ["mockllm/a", "mockllm/b"]
    assert len(cases.calls()) == 24
    assert len(worker_pids(run.layout)) == 2, "the running cell was disturbed"


def test_a_broken_edit_is_told_by_line_and_column_and_changes_nothing(cases: Scratch) -> None:
    path = write_spec(cases, "max_samples = 2", task=SLOW)
    good = path.read_text()
    with minded(cases) as run:
        run.until(lambda s: cases.calls())
        path.write_text(good.replace("max_samples", "max_smaples"))
        run.until(lambda s: s.spec_error)
        error = run.state.spec_error
        assert error is not None
        assert (error.line, error.column) == (2, 1)
        assert "max_samples" in error.message
        assert statuses(run.state) == ["running"]
        path.write_text(good)
        run.until(lambda s: s.spec_error is None)
        assert run.outcome().end == "complete"
    assert len(cases.calls()) == 12


def test_more_epochs_run_what_is_missing_after_the_running_attempt(cases: Scratch) -> None:
    path = write_spec(cases, "max_samples = 4", task=SLOW)
    with minded(cases) as run:
        run.until(lambda s: cases.calls())
        path.write_text("epochs = 2\n" + path.read_text())
        assert run.outcome().end == "complete"
    epochs = [call[2] for call in cases.calls()]
    assert (epochs.count("1"), epochs.count("2")) == (12, 12)


def test_a_task_taken_out_is_gone_and_the_rest_completes(cases: Scratch) -> None:
    path = write_spec(cases, "max_tasks = 1", task=BOTH)
    with minded(cases) as run:
        run.until(lambda s: cases.calls())
        path.write_text(path.read_text().replace(BOTH, f'name = "counted"\n{BOTH}'))
        assert run.outcome().end == "complete"
    assert {call[1] for call in cases.calls()} == {"1", "2", "3", "4", "5", "6"}


def test_a_model_taken_out_finishes_what_is_under_way_and_pays_for_no_more(cases: Scratch) -> None:
    path = write_spec(cases, "max_samples = 2", models="ab", task=SLOW)
    entry = '[[model]]\nname = "mockllm/b"\n'
    with minded(cases) as run:
        run.until(lambda s: {call[3] for call in cases.calls()} == {"mockllm/a", "mockllm/b"})
        assert entry in path.read_text()
        path.write_text(path.read_text().replace(entry, ""))
        assert run.outcome().end == "complete"
    by_model = Counter(call[3] for call in cases.calls())
    assert by_model["mockllm/a"] == 12
    assert by_model["mockllm/b"] < 12
    assert any("left the set" in entry.text for entry in journal(run.layout, jn.Message))


class StandingClock(SystemClock):
    """A clock on which no time passes."""

    def __init__(self) -> None:
        self._now = time.time()

    def now(self) -> float:
        return self._now


@pytest.mark.parametrize("half", ["", "version = 1\nepo", "version = 1\nepochs = 1\n"])
def test_a_file_that_is_half_written_takes_nothing_out(cases: Scratch, half: str) -> None:
    path = write_spec(cases, task='name = "counted"\nargs = { n = 4, sleep = 0.5 }')
    whole = path.read_text()
    with minded(cases, StandingClock()) as run:
        run.until(lambda s: cases.calls())
        path.write_text(half)
        turns = run.engine.turns
        run.until(lambda s: run.engine.turns > turns + 2)
        path.write_text(whole)
        assert run.outcome().end == "complete"
    assert len(cases.calls()) == 4
    assert not journal(run.layout, jn.SpecBroken)
    assert len(journal(run.layout, jn.SpecRead)) == 1


@pytest.mark.parametrize("minded_by", ["one engine", "the next engine"])
def test_a_model_put_back_while_it_drains_goes_on(cases: Scratch, minded_by: str) -> None:
    path = write_spec(cases, "max_samples = 2", models="ab", task=SLOW)
    both = path.read_text()
    without_b = both.replace('[[model]]\nname = "mockllm/b"\n', "")
    assert without_b != both

    def put_back(run: Minded) -> None:
        run.until(lambda s: any(layout.attempts.glob("*/drain")), "the drain")
        path.write_text(both)
        assert run.outcome().end == "complete"

    layout = Layout(cases.logs)
    with minded(cases) as run:
        run.until(lambda s: {call[3] for call in cases.calls()} == {"mockllm/a", "mockllm/b"})
        if minded_by == "one engine":
            path.write_text(without_b)
            put_back(run)
        else:
            run.engine.stop("hand_over")
            run.outcome()
            path.write_text(without_b)
            with minded(cases) as again:
                put_back(again)
    counts = Counter((call[1], call[3]) for call in cases.calls())
    assert len(counts) == counts.total() == 24, counts
    reasons = [entry.reason for entry in journal(layout, jn.Launched)]
    assert len(reasons) == 3, "what the drain left was run by another attempt"


def test_a_finished_cell_is_scored_again_planned_again_and_its_old_log_brought_back(
    cases: Scratch,
) -> None:
    write_spec(cases, models="ab")
    send(Layout(cases.logs), "hold", ["mockllm/b"], scope="lane")  # which keeps the engine there
    with minded(cases) as run:
        run.until(lambda s: statuses(s) == ["complete", "held"])
        (first,) = cases.log_names()
        key = run.cell("counted", "mockllm/a").cell.key
        assert run.tell("rescore", [key]) == "Scoring 1 cell."
        run.until(lambda s: run.state.trashed, "the old log in the trash")
        (second,) = cases.log_names()
        assert second != first
        (gone,) = run.state.trashed
        assert (gone.log, gone.kept_in) == (first, second)
        assert run.tell("restore", arguments={"trash": gone.trash}) == "Brought back 1 log."
        assert cases.log_names() == sorted([first, second])
        assert run.tell("replan", [key]) == "1 cell planned again."
        run.until(lambda s: [e.action for e in journal(run.layout, jn.Planned)][-1] == "none")
        assert statuses(run.state) == ["complete", "held"]
        assert not run.state.trashed
        assert "refused" in run.tell("restore", arguments={"trash": gone.trash})
    assert cases.log_names() == sorted([first, second]), "what was brought back stays"
    assert len(cases.calls()) == 6, "nobody was called to score again"
    reasons = [entry.reason for entry in journal(run.layout, jn.Launched)]
    assert reasons == ["new", "rescore"]


def test_a_failed_cell_is_resumed_with_a_clean_record(cases: Scratch) -> None:
    write_spec(cases, "retry_attempts = 0", models="ab")
    send(Layout(cases.logs), "hold", ["mockllm/b"], scope="lane")
    cases.fail(2)
    with minded(cases) as run:
        run.until(lambda s: statuses(s) == ["failed", "held"])
        key = run.cell("counted", "mockllm/a").cell.key
        assert "refused: Nothing to resume: it is held" in run.tell(
            "resume", [run.cell("counted", "mockllm/b").cell.key]
        )
        calls = len(cases.calls())
        cases.fail()
        assert run.tell("resume", [key]) == "1 cell planned again."
        run.until(lambda s: statuses(s) == ["complete", "held"])
        assert run.cell("counted", "mockllm/a").failures == 0
    again = [call[1] for call in cases.calls()][calls:]
    done_before = Counter(call[1] for call in cases.calls()[:calls])
    assert set(again) | set(done_before) == set("123456")
    assert "2" in again
