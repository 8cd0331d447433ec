"""A crashed log that can't be recovered: what it finished may be paid for, so nothing goes on."""

from __future__ import annotations

import os
import signal
from collections import Counter
from pathlib import Path

import pytest

from evaltui.commands.looking import look
from evaltui.engine.clock import SystemClock
from evaltui.engine.foresee import foresee
from evaltui.engine.state import CellState
from evaltui.engine.tail import Tail
from evaltui.engine.wanted import read_wanted
from evaltui.logs import journal as jn
from evaltui.logs.layout import Layout
from evaltui.plan import CellPlan
from tests.engines import (
    HurriedClock,
    Minded,
    Workers,
    data_home,
    journal,
    minded,
    sample_buffer,
    worker_pids,
    write_spec,
)
from tests.sets import Scratch

pytestmark = pytest.mark.slow

SAMPLES = 6
AT_ONCE = 2


def crash(cases: Scratch) -> tuple[Path, tuple[bytes, bytes]]:
    """Kill a worker that has finished samples in its buffer alone, and make rubbish of that.

    The buffer, and what was in it (and in what was not yet merged with it).
    """
    task = f'name = "counted"\nargs = {{ n = {SAMPLES}, sleep = 0.3 }}'
    rules = (f"max_samples = {AT_ONCE}", "retry_wait = 0", "[options]", "log_buffer = 100")
    write_spec(cases, *rules, task=task)
    with minded(cases, HurriedClock()) as run:
        run.until(lambda state: done(run) >= 2, "two samples")
        (pid,) = worker_pids(run.layout)
        os.kill(pid, signal.SIGSTOP)  # nothing of it is written between the rubbish and its end
        (log,) = cases.log_names()
        buffer = sample_buffer(log)
        wal = buffer.with_name(f"{buffer.name}-wal")
        whole = buffer.read_bytes(), wal.read_bytes()
        buffer.write_bytes(b"no database" * 100)
        wal.unlink()
        os.kill(pid, signal.SIGKILL)
        run.until(lambda state: run.cell("counted").status == "held", "the hold")
        assert run.outcome().exit_code == 3
    return buffer, whole


def test_a_moved_directory_still_finds_what_was_buffered_for_it(cases: Scratch) -> None:
    task = f'name = "counted"\nargs = {{ n = {SAMPLES}, sleep = 0.3 }}'
    write_spec(cases, f"max_samples = {AT_ONCE}", "[options]", "log_buffer = 100", task=task)
    with minded(cases) as run:
        run.until(lambda state: done(run) >= AT_ONCE + 1, "three samples")
        run.engine.stop("hand_over")
        run.outcome()
    moved = Scratch(cases.folder.rename(cases.folder.with_name("elsewhere")))
    with minded(moved) as again:
        assert again.outcome().exit_code == 0
    counts = Counter(call[1] for call in moved.calls())
    assert set(counts) == {str(id) for id in range(1, SAMPLES + 1)}
    assert counts.total() - SAMPLES <= AT_ONCE, counts


def done(run: Minded) -> int:
    progress = run.cell("counted").progress
    return progress.done if progress is not None else 0


def stands(cases: Scratch) -> CellState:
    (cell,) = Tail(Layout(cases.logs)).poll().cells.values()
    return cell


def planned(cases: Scratch) -> CellPlan:
    layout = Layout(cases.logs)
    wanted, state = read_wanted(layout), Tail(layout).poll()
    (cell,) = foresee(layout, wanted, state, Workers(layout), SystemClock()).cells
    return cell


def test_nothing_is_paid_for_again_until_it_is_mended(
    cases: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(data_home()))
    buffer, (database, wal) = crash(cases)
    (log,) = cases.log_names()
    calls = len(cases.calls())
    reason = stands(cases).message
    assert log in reason, reason
    assert "release the cell" in reason, reason
    assert [hold.log for hold in journal(Layout(cases.logs), jn.Held)] == [log]
    cell = planned(cases)
    assert (cell.action, cell.held) == ("held", reason)
    past = Layout(cases.logs).journal
    past.rename(past.with_suffix(".away"))
    cell = planned(cases)
    assert (cell.action, cell.held) == ("held", reason), "also where no engine has found it yet"
    past.with_suffix(".away").rename(past)
    (seen,) = look(cases.logs).state.cells.values()
    assert (seen.status, seen.message) == ("held", reason)
    with minded(cases, HurriedClock()) as again:
        assert again.outcome().exit_code == 3
    assert len(cases.calls()) == calls
    assert stands(cases).message == reason
    buffer.write_bytes(database)
    buffer.with_name(f"{buffer.name}-wal").write_bytes(wal)
    cell = planned(cases)
    assert cell.action == "run"
    with minded(cases, HurriedClock()) as mended:
        assert mended.outcome().exit_code == 0
    assert len(cases.calls()) - calls == cell.run
    counts = Counter(call[1] for call in cases.calls())
    assert set(counts) == {str(id) for id in range(1, SAMPLES + 1)}
    assert counts.total() - SAMPLES <= AT_ONCE, counts


@pytest.mark.parametrize("how", ["release", "moved"])
def test_a_person_has_it_go_on_without_them(cases: Scratch, how: str) -> None:
    crash(cases)
    (log,) = cases.log_names()
    if how == "moved":
        (cases.logs / log).rename(cases.folder / log)
    else:
        result = cases.evaltui("send", "logs", "release", "counted")
        assert result.returncode == 0, result.stderr
    assert planned(cases).run == SAMPLES, "what the buffer may hold is given up"
    with minded(cases, HurriedClock()) as run:
        assert run.outcome().exit_code == 0
    assert len(cases.calls()) >= SAMPLES + 2
    assert stands(cases).status == "complete"
