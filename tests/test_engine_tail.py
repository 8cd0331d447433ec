"""Looking on a set by reading on: cheap, tolerant, and true also when nobody says goodbye."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evaltui.engine.lock import EngineLock
from evaltui.engine.tail import UNWATCHED, Tail
from evaltui.logs import attempt as ev
from evaltui.logs import journal as jn
from evaltui.logs.files import append_line, append_lines, try_lock
from evaltui.logs.layout import Layout
from tests.engines import statuses

SPEC = """
root = "."
[[task]]
file = "t.py"
name = "one"
[[model]]
name = "sim/a"
"""


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = Layout(tmp_path)
    made.private.mkdir()
    made.spec.write_text(SPEC)
    return made


def key_of(layout: Layout) -> str:
    (key,) = Tail(layout).poll().cells
    return key


def launch(layout: Layout, attempt: str = "a1") -> None:
    key = key_of(layout)
    append_lines(
        layout.journal,
        [
            jn.EngineStarted(t=1, pid=7, host="h"),
            jn.Planned(t=1, cell=key, action="run", total=4, run=4),
            jn.Launched(t=2, cell=key, attempt=attempt, number=1, reason="new"),
        ],
    )
    layout.attempt(attempt).folder.mkdir(parents=True)


def say(layout: Layout, *events: ev.Event, attempt: str = "a1") -> None:
    append_lines(layout.attempt(attempt).events, events)


def test_nothing_new_is_the_same_state(layout: Layout) -> None:
    tail = Tail(layout)
    first = tail.poll()
    assert statuses(first) == ["idle"]
    assert tail.poll() is first


def test_journal_and_events_are_read_on(layout: Layout) -> None:
    launch(layout)
    with_engine, with_worker = EngineLock.take(layout, now=0), try_lock(layout.attempt("a1").lock)
    tail = Tail(layout)
    assert statuses(tail.poll()) == ["running"]
    say(layout, ev.SampleStart(t=3, id=1, epoch=1), ev.SampleEnd(t=4, id=1, epoch=1))
    state = tail.poll()
    progress = state.cells[key_of(layout)].progress
    assert progress is not None
    assert (progress.done, progress.total) == (1, 4)
    assert tail.poll() is state
    with_engine.release()
    assert with_worker is not None
    os.close(with_worker)


def test_last_events_are_counted_before_the_end_they_lead_to(layout: Layout) -> None:
    launch(layout)
    tail = Tail(layout)
    tail.poll()
    key = key_of(layout)
    say(
        layout,
        *[ev.SampleEnd(t=4, id=n, epoch=1) for n in range(4)],
        ev.Ended(t=5, status="success"),
    )
    append_lines(
        layout.journal,
        [
            jn.AttemptEnded(t=6, cell=key, attempt="a1", status="success"),
            jn.Completed(t=6, cell=key, log="l.eval", samples=4),
        ],
    )
    cell = tail.poll().cells[key]
    assert cell.progress is not None
    assert (cell.status, cell.progress.done) == ("complete", 4)


def test_an_engine_and_a_worker_that_were_killed_do_not_look_alive(layout: Layout) -> None:
    launch(layout)
    lock = EngineLock.take(layout, now=0)
    worker = try_lock(layout.attempt("a1").lock)
    assert worker is not None
    tail = Tail(layout)
    assert tail.poll().engine == (7, "h")
    lock.release()
    orphaned = tail.poll()
    assert (orphaned.engine, orphaned.status, statuses(orphaned)) == (None, "idle", ["running"])
    os.close(worker)
    dead = tail.poll()
    assert statuses(dead) == ["idle"]
    assert next(iter(dead.cells.values())).message == UNWATCHED


def test_torn_and_unknown_lines_are_passed_over(layout: Layout) -> None:
    launch(layout)
    with open(layout.journal, "ab") as journal:
        journal.write(b'{"entry":"of a later version","t":1}\nnonsense\n{"entry":"mess')
    tail = Tail(layout)
    assert statuses(tail.poll()) == ["idle"], "no lock is held, so nothing runs"
    append_line(layout.journal, jn.Message(t=3, text="read all the same"))
    message = tail.poll().message
    assert message is not None
    assert message.text == "read all the same"


def test_a_good_edit_of_the_spec_shows_and_a_broken_one_changes_nothing(layout: Layout) -> None:
    tail = Tail(layout)
    tail.poll()
    layout.spec.write_text(SPEC + "[[model]]\nname = 1\n")
    assert len(tail.poll().cells) == 1
    layout.spec.write_text(SPEC + '[[model]]\nname = "sim/b"\n')
    state = tail.poll()
    assert [cell.cell.model for cell in state.cells.values()] == ["sim/a", "sim/b"]
    assert list(state.lanes) == ["sim/a", "sim/b"]


def test_a_directory_without_a_spec_shows_the_cells_it_is_given(tmp_path: Path) -> None:
    from tests.test_state import cell

    tail = Tail(Layout(tmp_path), [cell("one")])
    assert statuses(tail.poll()) == ["idle"]


def test_a_finished_cell_costs_no_reading_of_its_events(layout: Layout) -> None:
    launch(layout)
    key = key_of(layout)
    append_lines(
        layout.journal,
        [
            jn.AttemptEnded(t=6, cell=key, attempt="a1", status="success"),
            jn.Completed(t=6, cell=key, log="l.eval", samples=4, errored=1),
        ],
    )
    layout.attempt("a1").events.mkdir()  # reading it would raise
    progress = Tail(layout).poll().cells[key].progress
    assert progress is not None
    assert (progress.done, progress.errored) == (4, 1)
