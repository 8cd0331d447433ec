"""The engine over real sets with real workers: from start to end, reruns, stops, crashes, holds."""

from __future__ import annotations

import json
import os
import shutil
import signal

import pytest

from evaltui.engine.clock import SystemClock
from evaltui.engine.engine import Engine
from evaltui.engine.lock import HeldError, holder
from evaltui.engine.outcome import Outcome
from evaltui.engine.undo import restore
from evaltui.engine.workers import lives
from evaltui.logs import journal as jn
from evaltui.logs.layout import Layout
from tests.engines import HurriedClock, Workers, journal, minded, statuses, worker_pids, write_spec
from tests.sets import Scratch, wait_until

pytestmark = pytest.mark.slow

SLOW = 'name = "counted"\nargs = { n = 12, sleep = 0.5 }'


def calls(cases: Scratch) -> dict[str, int]:
    ids = [call[1] for call in cases.calls()]
    return {each: ids.count(each) for each in sorted(set(ids))}


def test_a_set_is_run_to_its_end_and_leaves_what_inspect_expects(cases: Scratch) -> None:
    write_spec(cases, models="ab")
    with minded(cases) as run:
        assert run.outcome() == Outcome("complete")
    assert len(cases.calls()) == 12
    manifest = json.loads((cases.logs / "eval-set.json").read_text())
    assert manifest["eval_set_id"] == (cases.logs / ".eval-set-id").read_text()
    assert [task["model"] for task in manifest["tasks"]] == ["mockllm/a", "mockllm/b"]
    assert sorted(json.loads((cases.logs / "logs.json").read_text())) == cases.log_names()
    assert run.state.status == "complete"
    with minded(cases) as again:
        assert again.outcome().exit_code == 0
    assert len(cases.calls()) == 12


def test_a_failing_cell_waits_longer_each_time_and_keeps_what_is_finished(cases: Scratch) -> None:
    write_spec(cases, "retry_wait = 30")
    cases.fail(2, 5)
    with minded(cases, HurriedClock()) as run:
        run.until(lambda s: len(journal(run.layout, jn.RerunScheduled)) == 2, "two failures")
        cases.fail()
        assert run.outcome().end == "complete"
    scheduled = journal(run.layout, jn.RerunScheduled)
    assert [round(entry.due - entry.t) for entry in scheduled] == [30, 60]
    assert calls(cases) == {"1": 1, "2": 3, "3": 1, "4": 1, "5": 3, "6": 1}


def test_a_countdown_goes_on_where_another_engine_left_it(cases: Scratch) -> None:
    write_spec(cases, "retry_wait = 2000")
    cases.fail(2)
    with minded(cases) as run:
        run.until(lambda s: statuses(s) == ["waiting"])
        due = run.cell("counted").due
        run.engine.stop("hand_over")
        assert run.outcome().end == "handed_over"
    with minded(cases) as again:
        again.until(lambda s: s.engine is not None and journal(run.layout, jn.Planned)[1:])
        assert (again.cell("counted").due, again.cell("counted").failures) == (due, 1)
    journal_then = run.layout.journal.read_text()
    assert f'"due":{due}' in journal_then
    run.layout.journal.write_text(journal_then.replace(f'"due":{due}', f'"due":{2 * due}'))
    cases.fail()
    with minded(cases) as clock_set_back:
        assert clock_set_back.outcome().end == "complete", "no wait is as long as that"


def test_a_cell_that_only_repeats_its_failure_is_stuck(cases: Scratch) -> None:
    write_spec(cases, "retry_wait = 1")
    cases.fail(2)
    with minded(cases, HurriedClock()) as run:
        outcome = run.outcome()
    assert (outcome.end, outcome.exit_code) == ("incomplete", 3)
    (failed,) = journal(run.layout, jn.Failed)
    assert failed.why == "stuck"
    assert "planted failure" in failed.message
    assert run.cell("counted").status == "stuck"
    assert calls(cases)["1"] == 1


def test_reruns_are_counted(cases: Scratch) -> None:
    write_spec(cases, "retry_wait = 1", "retry_attempts = 1")
    cases.fail(2)
    with minded(cases, HurriedClock()) as run:
        assert run.outcome().end == "incomplete"
    assert calls(cases)["2"] == 2
    assert journal(run.layout, jn.Failed)[0].why == "attempts"


def test_tolerated_errors_complete_a_cell_and_run_again_only_when_asked(cases: Scratch) -> None:
    write_spec(cases, "fail_on_error = 1")
    cases.fail(2)
    with minded(cases) as run:
        assert run.outcome().end == "complete"
    assert (run.cell("counted").samples, run.cell("counted").errored) == (6, 1)
    with minded(cases) as again:
        assert again.outcome().end == "complete"
    assert calls(cases)["2"] == 1
    assert again.cell("counted").errored == 1


def test_draining_finishes_what_runs_and_starts_nothing_new(cases: Scratch) -> None:
    write_spec(cases, "max_samples = 2", task=SLOW)
    with minded(cases) as run:
        run.until(lambda s: len(cases.calls()) >= 4)
        run.engine.stop("drain")
        outcome = run.outcome()
    assert (outcome.end, outcome.exit_code) == ("cancelled", 130)
    called = calls(cases)
    assert len(called) < 12
    assert run.cell("counted").status == "cancelled"
    assert run.state.status == "cancelled"
    with minded(cases) as again:
        assert again.outcome().end == "complete"
    assert set(calls(cases).values()) == {1}, "a drained sample ran twice"


def test_cancelling_keeps_what_is_finished(cases: Scratch) -> None:
    write_spec(cases, "max_samples = 2", task=SLOW)
    with minded(cases) as run:
        run.until(lambda s: len(cases.calls()) >= 5)
        run.engine.stop("terminate")
        outcome = run.outcome()
    assert (outcome.end, outcome.exit_code) == ("cancelled", 143)
    assert len(cases.calls()) < 12
    with minded(cases) as again:
        assert again.outcome().end == "complete"
    assert sum(count > 1 for count in calls(cases).values()) <= 2, "only what ran may run again"


def test_a_worker_runs_on_without_its_engine_and_the_next_engine_adopts_it(cases: Scratch) -> None:
    write_spec(cases, "max_samples = 2", task=SLOW)
    with minded(cases) as run:
        run.until(lambda s: len(cases.calls()) >= 4)
        run.engine.stop("hand_over")
        assert run.outcome().end == "handed_over"
        with minded(cases) as again:
            assert again.outcome().end == "complete"
    assert len(worker_pids(run.layout)) == 1
    assert set(calls(cases).values()) == {1}


def test_a_killed_worker_loses_only_the_samples_that_ran(cases: Scratch) -> None:
    write_spec(cases, "max_samples = 2", "retry_wait = 1", task=SLOW)
    with minded(cases) as run:
        run.until(lambda s: len(cases.calls()) >= 6)
        os.kill(worker_pids(run.layout)[0], signal.SIGKILL)
        assert run.outcome().end == "complete"
    (first, *_) = journal(run.layout, jn.AttemptEnded)
    assert first.status == "crashed"
    assert "SIGKILL" in first.error
    assert sum(count > 1 for count in calls(cases).values()) <= 2


def test_worker_and_engine_gone_together_cost_no_wait(cases: Scratch) -> None:
    write_spec(cases, "max_samples = 2", "retry_wait = 3000", task=SLOW)
    with minded(cases) as run:
        run.until(lambda s: len(cases.calls()) >= 6)
        run.engine.stop("hand_over")
        run.outcome()
        os.kill(worker_pids(run.layout)[0], signal.SIGKILL)
        attempt = run.layout.attempt(run.cell("counted").attempts[0])
        wait_until(lambda: not lives(attempt))
        with minded(cases) as again:
            assert again.outcome().end == "complete"
    assert sum(count > 1 for count in calls(cases).values()) <= 2


def test_only_one_engine_decides(cases: Scratch) -> None:
    write_spec(cases, "max_samples = 2", task=SLOW)
    with minded(cases) as run:
        run.until(lambda s: s.engine is not None)
        who = holder(run.layout)
        assert who is not None
        assert who.pid == os.getpid()
        other = Engine(run.layout, Workers(run.layout))
        with pytest.raises(HeldError, match=str(os.getpid())):
            other.run()
        assert run.outcome().end == "complete"
    assert holder(run.layout) is None
    assert len(cases.calls()) == 12


def test_superseded_logs_go_to_the_trash_and_come_back(cases: Scratch) -> None:
    write_spec(cases, "retry_wait = 1")
    cases.fail(2)
    with minded(cases, HurriedClock()) as run:
        run.until(lambda s: journal(run.layout, jn.RerunScheduled))
        (first,) = cases.log_names()
        shutil.copy(cases.logs / first, cases.logs / f"copy-{first}")
        cases.fail()
        assert run.outcome().end == "complete"
    (trashed,) = journal(run.layout, jn.Trashed)
    assert trashed.log == first
    assert first not in cases.log_names()
    assert f"copy-{first}" in cases.log_names(), "a person's copy is never touched"
    assert (run.layout.trash / trashed.trash).exists()
    assert restore(run.layout, [trashed.trash], SystemClock()) == [first]
    assert run.state.trashed == ()
    with minded(cases) as again:
        assert again.outcome().end == "complete"
    assert first in cases.log_names(), "what a person brought back stays"


def test_cleanup_can_be_turned_off(cases: Scratch) -> None:
    write_spec(cases, "retry_wait = 1", "retry_cleanup = false")
    cases.fail(2)
    with minded(cases, HurriedClock()) as run:
        run.until(lambda s: journal(run.layout, jn.RerunScheduled))
        cases.fail()
        assert run.outcome().end == "complete"
    assert len(cases.log_names()) == 2
    assert not run.layout.trash.exists()


def test_a_task_that_does_not_load_stops_no_other(cases: Scratch) -> None:
    path = write_spec(cases)
    (cases.folder / "broken.py").write_text(
        "from inspect_ai import task\n\n@task\ndef broken():\n    raise ValueError('no data')\n"
    )
    path.write_text(path.read_text() + '[[task]]\nfile = "broken.py"\n[[task]]\nfile = "gone.py"\n')
    with minded(cases) as run:
        outcome = run.outcome()
    assert outcome.end == "incomplete"
    assert "gone.py" in outcome.message
    assert len(cases.calls()) == 6
    assert statuses(run.state) == ["complete", "blocked"]
    assert "no data" in run.cell("broken").message


def test_data_that_differ_at_each_load_are_not_paid_for_again(cases: Scratch) -> None:
    (cases.folder / "drawn.py").write_text(
        "import random\n"
        "from counted import counted_call\n"
        "from inspect_ai import Task, task\n"
        "from inspect_ai.dataset import Sample\n\n"
        "@task\ndef drawn():\n"
        "    data = [Sample(id=i, input=str(random.random())) for i in range(6)]\n"
        "    return Task(data, solver=counted_call())\n"
    )
    path = write_spec(cases, "retry_wait = 1")
    path.write_text(path.read_text().replace("counted.py", "drawn.py").replace("counted", "drawn"))
    cases.fail(2)
    with minded(cases, HurriedClock()) as run:
        outcome = run.outcome()
    assert (outcome.end, outcome.exit_code) == ("incomplete", 3)
    assert statuses(run.state) == ["held"]
    assert "--reuse id" in run.cell("drawn").message
    assert set(calls(cases).values()) == {1}
    with minded(cases, HurriedClock(), detached=True, heir=True) as heir:
        heir.outcome()
    assert set(calls(cases).values()) == {1}, "no engine that nobody started pays again"
    cases.fail()
    with minded(cases, HurriedClock()) as asked:
        assert asked.outcome().end == "complete"
    assert set(calls(cases).values()) == {2}


def test_a_directory_that_vanishes_ends_the_run_in_a_sentence(cases: Scratch) -> None:
    write_spec(cases, "max_samples = 2", task=SLOW, models="ab")
    with minded(cases) as run:
        run.until(lambda s: len(cases.calls()) >= 4)
        pids = worker_pids(run.layout)
        shutil.rmtree(cases.logs)
        outcome = run.outcome()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
    assert (outcome.end, outcome.exit_code) == ("incomplete", 3)
    assert str(cases.logs) in outcome.message


def test_a_set_left_by_inspect_is_finished_without_paying_twice(cases: Scratch) -> None:
    cases.fail(2)
    theirs = cases.eval_set(
        "counted.py@counted", "--log-dir", "logs", "--model", "mockllm/a",
        "--retry-attempts", "0", "--no-fail-on-error",
    )  # fmt: skip
    assert cases.log_names(), theirs.stderr
    cases.fail()
    cases.forget_calls()
    write_spec(cases)
    with minded(cases) as run:
        assert run.outcome().end == "complete"
    assert calls(cases) == {"2": 1}
    assert Layout(cases.logs).eval_set_id.read_text() == run.engine._desk.eval_set_id
