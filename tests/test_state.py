"""What journal entries and worker events mean for the set that people see."""

from __future__ import annotations

from evaltui.cells import Cell
from evaltui.engine.folding import AttemptEvents, fold, fold_entry, fold_event
from evaltui.engine.state import MOST_ERRORS, MOST_FINISHES, SetState, with_cells
from evaltui.logs import attempt as ev
from evaltui.logs import journal as jn


def cell(key: str, model: str = "sim/a", index: int = 0) -> Cell:
    return Cell(
        key=key,
        index=index,
        task_file="t.py",
        task=key,
        model=model,
        task_args={},
        solver=None,
        solver_args={},
        model_args={},
        model_config={},
        base_url=None,
        model_roles={},
        entry=(0, 0),
    )


def a_set() -> SetState:
    cells = [cell("one", "sim/a", 0), cell("two", "sim/b", 1), cell("three", "sim/a", 2)]
    return with_cells(SetState(), cells)


def planned(key: str, **more: object) -> jn.Planned:
    return jn.Planned(t=1, cell=key, action="run", total=6, run=6, **more)  # type: ignore[arg-type]


def launched(key: str, attempt: str = "a1", number: int = 1) -> jn.Launched:
    return jn.Launched(t=2, cell=key, attempt=attempt, number=number, reason="new")


def statuses(state: SetState) -> list[str]:
    return [cell.status for cell in state.cells.values()]


def running() -> SetState:
    entries = [jn.EngineStarted(t=0, pid=7, host="here"), planned("one"), launched("one")]
    return fold(a_set(), entries)


def test_cells_are_idle_until_an_engine_plans_them() -> None:
    state = a_set()
    assert statuses(state) == ["idle"] * 3
    assert state.status == "idle"
    assert list(state.lanes) == ["sim/a", "sim/b"]


def test_a_planned_cell_queues_and_a_launched_one_runs() -> None:
    state = running()
    assert statuses(state) == ["running", "idle", "idle"]
    assert state.status == "running"
    progress = state.cells["one"].progress
    assert progress is not None
    assert (progress.attempt, progress.total, progress.launched_at) == ("a1", 6, 2)


def test_events_are_counted_without_what_was_reused() -> None:
    events: list[ev.Event] = [
        ev.Started(t=3, attempt="a1", pid=9, host="here"),
        ev.Loaded(t=4, samples=6, epochs=1, total=6, tolerates=2),
        ev.Reuse(t=4, counts={"reuse": 2, "new": 4}),
        ev.SampleEnd(t=4, id=1, epoch=1, reused=True),
        ev.SampleEnd(t=4, id=2, epoch=1, reused=True),
        ev.SampleStart(t=5, id=3, epoch=1),
        ev.SampleStart(t=5, id=4, epoch=1),
        ev.SampleStart(t=5, id=5, epoch=1),
        ev.SampleEnd(t=6, id=3, epoch=1, tokens=10, retries=2),
        ev.SampleEnd(t=8, id=4, epoch=1, tokens=5, error="ToolTimeout"),
    ]
    state = fold(running(), [AttemptEvents("one", "a1", events)])
    progress = state.cells["one"].progress
    assert progress is not None
    assert (progress.total, progress.reused, progress.done, progress.errored) == (6, 2, 2, 1)
    assert (progress.busy, progress.tokens, progress.retried) == (1, 15, 1)
    assert (progress.first_done, progress.last_done, progress.tolerates) == (6, 8, 2)
    assert dict(progress.errors) == {"ToolTimeout": 1}
    assert state.lanes["sim/a"].finishes == (6, 8)


def test_folding_one_by_one_equals_folding_in_bulk() -> None:
    events: list[ev.Event] = [
        ev.SampleStart(t=5, id=3, epoch=1),
        ev.SampleEnd(t=6, id=3, epoch=1, tokens=10, error="x"),
        ev.ModelRetry(t=7, model="sim/a", wait=3, status=429),
        ev.Ended(t=9, status="error", log="l.eval", metrics={"m": {"accuracy": 0.5}}),
    ]
    singly = running()
    for event in events:
        singly = fold_event(singly, "one", "a1", event)
    assert singly == fold(running(), [AttemptEvents("one", "a1", events)])
    progress = singly.cells["one"].progress
    assert progress is not None
    assert (progress.retry_at, progress.retry_status, progress.ended) == (10, 429, "error")
    assert singly.cells["one"].status == "running"


def test_a_cancelled_sample_is_no_error_and_not_done() -> None:
    event = ev.SampleEnd(t=6, id=3, epoch=1, error="CancelledError", cancelled=True)
    progress = fold_event(running(), "one", "a1", event).cells["one"].progress
    assert progress is not None
    assert (progress.done, progress.errored, dict(progress.errors)) == (0, 0, {})


def test_kinds_of_errors_and_finish_times_are_bounded() -> None:
    events = [
        ev.SampleEnd(t=n, id=n, epoch=1, error=f"error {n}") for n in range(MOST_FINISHES + 50)
    ]
    state = fold(running(), [AttemptEvents("one", "a1", events)])
    progress = state.cells["one"].progress
    assert progress is not None
    assert progress.errored == MOST_FINISHES + 50
    assert len(progress.errors) == MOST_ERRORS
    assert state.lanes["sim/a"].finishes[0] == 50
    assert len(state.lanes["sim/a"].finishes) == MOST_FINISHES


def test_events_of_an_earlier_attempt_or_an_unknown_cell_change_no_cell() -> None:
    state = fold_entry(running(), launched("one", "a2", 2))
    late = ev.SampleEnd(t=6, id=3, epoch=1)
    assert fold_event(state, "one", "a1", late).cells == state.cells
    assert fold_event(state, "gone", "a1", late).cells == state.cells
    assert fold_entry(state, planned("gone")).cells == state.cells


def test_a_failed_cell_waits_for_its_time_and_keeps_it_over_a_restart() -> None:
    ended = jn.AttemptEnded(t=9, cell="one", attempt="a1", status="error", error="boom")
    entries = [ended, jn.RerunScheduled(t=9, cell="one", due=39, failures=1)]
    state = fold(running(), entries)
    restarted = fold(
        state,
        [
            jn.EngineStopped(t=10, state="handed_over"),
            jn.EngineStarted(t=11, pid=8, host="here"),
            planned("one"),
        ],
    )
    for view in (state, restarted):
        one = view.cells["one"]
        assert (one.status, one.due, one.failures, one.message) == ("waiting", 39, 1, "boom")


def test_what_was_given_up_begins_again_with_a_clean_record() -> None:
    failed = jn.Failed(t=9, cell="one", why="stuck", message="twice the same")
    waiting = jn.RerunScheduled(t=9, cell="one", due=39, failures=3)
    state = fold(running(), [waiting, failed])
    assert (state.cells["one"].status, state.cells["one"].failures) == ("stuck", 3)
    asked = jn.CommandTaken(t=10, id="c", command="rerun", cells=("one",))
    for again in (planned("one"), asked):
        one = fold_entry(state, again).cells["one"]
        assert (one.status, one.failures, one.message) == ("queued", 0, "")


def test_asking_for_a_waiting_rerun_now_keeps_its_count() -> None:
    waiting = jn.RerunScheduled(t=9, cell="one", due=39, failures=3)
    ended = jn.AttemptEnded(t=9, cell="one", attempt="a1", status="error")
    asked = jn.CommandTaken(t=10, id="c", command="rerun", cells=("one",))
    one = fold(running(), [ended, waiting, asked]).cells["one"]
    assert (one.status, one.due, one.failures) == ("queued", None, 3)


def test_a_refused_command_changes_no_cell_and_says_why() -> None:
    refused = jn.CommandTaken(
        t=10, id="c", command="rerun", cells=("one",), outcome="it runs", refused=True
    )
    state = fold_entry(running(), refused)
    assert state.cells == running().cells
    assert state.answer == jn.Message(t=10, text="it runs", level="warning")


def test_holds_of_cell_lane_and_set_lie_over_each_other() -> None:
    state = fold(a_set(), [planned("one"), planned("two"), planned("three")])
    state = fold(
        state,
        [
            jn.Held(t=2, scope="cell", target="one", reason="looking into it"),
            jn.Held(t=2, scope="lane", target="sim/a"),
            jn.Held(t=2, scope="set", target="set"),
        ],
    )
    assert statuses(state) == ["held"] * 3
    state = fold_entry(state, jn.Released(t=3, scope="set", target="set"))
    assert statuses(state) == ["held", "queued", "held"]
    state = fold_entry(state, jn.Released(t=3, scope="lane", target="sim/a"))
    assert statuses(state) == ["held", "queued", "queued"]
    assert state.cells["one"].message == "looking into it"
    state = fold_entry(state, jn.Released(t=3, scope="cell", target="one"))
    assert statuses(state) == ["queued"] * 3


def test_a_held_rerun_waits_on_when_released() -> None:
    entries = [
        jn.AttemptEnded(t=9, cell="one", attempt="a1", status="error"),
        jn.RerunScheduled(t=9, cell="one", due=39, failures=1),
        jn.Held(t=10, scope="cell", target="one"),
    ]
    state = fold(running(), entries)
    assert state.cells["one"].status == "held"
    one = fold_entry(state, jn.Released(t=11, scope="cell", target="one")).cells["one"]
    assert (one.status, one.due) == ("waiting", 39)


def test_a_running_cell_runs_on_when_its_lane_is_held() -> None:
    state = fold_entry(running(), jn.Held(t=3, scope="lane", target="sim/a"))
    assert state.cells["one"].status == "running"


def test_a_complete_set_is_complete_once_its_engine_is_gone() -> None:
    done = [jn.Completed(t=9, cell=key, log=f"{key}.eval", samples=6) for key in a_set().cells]
    state = fold(running(), done)
    assert state.status == "running"
    state = fold_entry(state, jn.EngineStopped(t=10, state="complete"))
    assert (state.status, state.engine) == ("complete", None)


def test_a_cell_completed_before_anybody_looked_shows_kept_and_new_apart() -> None:
    entries = [
        jn.Planned(t=1, cell="one", action="run", total=6, reuse=4, run=2),
        launched("one"),
        jn.Completed(t=9, cell="one", log="l.eval", samples=6, errored=1),
    ]
    progress = fold(a_set(), entries).cells["one"].progress
    assert progress is not None
    assert (progress.total, progress.reused, progress.done, progress.errored) == (6, 4, 2, 1)


def test_a_plan_with_nothing_to_do_completes_the_cell() -> None:
    entry = jn.Planned(t=1, cell="one", action="none", total=6, reuse=5, tolerated=1, log="l.eval")
    one = fold_entry(a_set(), entry).cells["one"]
    assert (one.status, one.log, one.samples, one.errored) == ("complete", "l.eval", 6, 1)


def test_more_epochs_put_a_complete_cell_back_into_the_queue() -> None:
    state = fold_entry(a_set(), jn.Completed(t=1, cell="one", log="l.eval", samples=6))
    assert fold_entry(state, planned("one")).cells["one"].status == "queued"


def test_an_interrupted_set_never_reads_complete() -> None:
    done = [jn.Completed(t=9, cell=key, log=None, samples=6) for key in ("one", "two")]
    stopped = [jn.Cancelled(t=9, cell="three"), jn.EngineStopped(t=10, state="cancelled")]
    assert fold(running(), [*done, *stopped]).status == "cancelled"


def test_trashed_logs_leave_the_list_when_restored() -> None:
    gone = jn.Trashed(t=1, cell="one", log="old.eval", trash="old.eval.trash")
    state = fold_entry(a_set(), gone)
    assert state.trashed == (gone,)
    back = jn.Restored(t=2, log="old.eval", trash="old.eval.trash")
    assert fold_entry(state, back).trashed == ()


def test_a_broken_spec_is_told_until_a_good_one_is_read() -> None:
    broken = jn.SpecBroken(t=1, message="unknown key", line=3, column=1)
    state = fold_entry(a_set(), broken)
    assert state.spec_error == broken
    assert fold_entry(state, jn.SpecRead(t=2, cells=())).spec_error is None


def test_the_lane_breaker_shows_and_goes() -> None:
    state = fold_entry(a_set(), jn.LaneWaits(t=1, lane="sim/a", waits=True, message="429"))
    assert (state.lanes["sim/a"].waits, state.lanes["sim/a"].message) == (True, "429")
    state = fold_entry(state, jn.LaneWaits(t=2, lane="sim/a", waits=False))
    assert (state.lanes["sim/a"].waits, state.lanes["sim/a"].message) == (False, "")


def test_changes_grow_with_each_record_and_with_none_nothing_changes() -> None:
    state = running()
    assert fold(state, []) is state
    assert fold_entry(state, planned("two")).changes == state.changes + 1


def test_amending_keeps_what_is_known_of_each_cell() -> None:
    state = with_cells(running(), [cell("one", "sim/a", 0), cell("four", "sim/c", 1)])
    assert list(state.cells) == ["one", "four"]
    assert statuses(state) == ["running", "idle"]
    assert list(state.lanes) == ["sim/a", "sim/c"]
