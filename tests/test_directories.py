"""Directories that another program left: `inspect eval-set`'s are finished here, and ours by it."""

from __future__ import annotations

import os
import signal
import subprocess
from collections import Counter

import pytest

from evaltui.engine.state import SetState
from evaltui.engine.wanted import cells_of
from evaltui.logs.layout import Layout
from evaltui.tui.rest import Resting
from tests.sets import Scratch, wait_until

pytestmark = pytest.mark.slow

COUNT = 9
AT_ONCE = 2
EVERY = {str(id) for id in range(1, COUNT + 1)}
SLOW = ("-T", f"n={COUNT}", "-T", "sleep=0.7", "--max-samples", str(AT_ONCE))
CELL = ("counted.py@counted", "--model", "mockllm/a", *SLOW)
HOW = ["finished", "errored", "cancelled", "killed"]


def leave(cases: Scratch, process: subprocess.Popen[str], how: str) -> None:
    """End a run of the cell in this way, some of its samples finished."""
    if how in ("cancelled", "killed"):
        wait_until(lambda: len(cases.calls()) >= 6, what="two rounds of samples and more")
        number = signal.SIGINT if how == "cancelled" else signal.SIGKILL
        if how == "cancelled":
            os.kill(process.pid, number)
        else:
            os.killpg(process.pid, number)
    process.communicate(timeout=90)


def clean(cases: Scratch) -> set[str]:
    """Ids of the samples that a log holds without an error, as Inspect reads them."""
    from inspect_ai.log import read_eval_log

    logs = [read_eval_log(str(cases.logs / name)) for name in cases.log_names()]
    return {str(each.id) for log in logs for each in log.samples or [] if each.error is None}


def to_run(cases: Scratch) -> set[str]:
    """Ids of the samples that a resume would run, as the plan says before it."""
    (cell,) = cases.plan("--samples")["cells"]
    return {str(each["id"]) for each in cell["verdicts"] if each["verdict"] == "run"}


@pytest.mark.parametrize("how", HOW)
def test_what_inspect_left_is_finished_without_paying_twice(cases: Scratch, how: str) -> None:
    if how == "errored":
        cases.fail(2, 5)
    words = (*CELL, "--log-dir", "logs", "--retry-attempts", "0")
    leave(cases, cases.start_eval_set(*words), how)
    cases.fail()
    called = {call[1] for call in cases.calls()}
    finished = clean(cases)
    assert len(called) - len(finished) <= (10 if how == "killed" else 2 * AT_ONCE)
    status = cases.status()
    assert [cell["task"] for cell in status["cells"]] == ["counted"]
    cases.forget_calls()
    expected = to_run(cases)
    result = cases.evaltui("run", "logs")
    assert result.returncode == 0, result.stdout + result.stderr
    again = Counter(call[1] for call in cases.calls())
    assert set(again.values()) <= {1}
    assert again.keys() == expected
    if how == "killed":  # what was finished lies in Inspect's sample buffer
        assert len(again) + len(called) <= COUNT + AT_ONCE
    else:
        assert again.keys() == EVERY - finished
    assert clean(cases) == EVERY


@pytest.mark.parametrize("how", HOW[1:])
def test_what_we_left_is_finished_by_inspect(cases: Scratch, how: str) -> None:
    if how == "errored":
        cases.fail(2, 5)
    process = cases.start("run", "logs", *CELL, "--retry-attempts", "0")
    if how == "killed":
        wait_until(lambda: len(cases.calls()) >= 6, what="two rounds of samples and more")
        os.kill(process.pid, signal.SIGKILL)
        for pid in {int(call[0]) for call in cases.calls()}:
            os.kill(pid, signal.SIGKILL)
        process.communicate()
    else:
        leave(cases, process, how)
    cases.fail()
    called, finished = {call[1] for call in cases.calls()}, clean(cases)
    cases.forget_calls()
    theirs = cases.eval_set(*CELL, "--log-dir", "logs", "--retry-wait", "1")
    assert theirs.returncode == 0, theirs.stdout + theirs.stderr
    again = Counter(call[1] for call in cases.calls())
    assert set(again.values()) <= {1}
    if how == "killed":
        assert len(again) + len(called) <= COUNT + AT_ONCE
    else:
        assert again.keys() == EVERY - finished
    assert clean(cases) == EVERY
    cases.forget_calls()
    ours = cases.evaltui("run", "logs")
    assert ours.returncode == 0, ours.stdout + ours.stderr
    assert cases.calls() == []


GATED = """
import anyio
from inspect_ai import Task, task
from counted import STATE, counted, counted_call
from inspect_ai.solver import solver


@solver
def gate():
    async def solve(state, generate):
        while state.sample_id > 2 and not (STATE / "open").exists():
            await anyio.sleep(0.1)
        return state

    return solve


@task
def gated(n: int = 6):
    held = counted(n)
    return Task(dataset=held.dataset, solver=[counted_call(), gate()], scorer=held.scorer)
"""
GATE = ("gated.py", "--model", "mockllm/a", "--max-samples", "2")


def somebody_writes(cases: Scratch) -> subprocess.Popen[str]:
    """An `inspect eval-set` that has finished two samples of six, and has two under way."""
    (cases.folder / "gated.py").write_text(GATED)
    theirs = cases.start_eval_set(*GATE, "--log-dir", "logs")
    wait_until(lambda: len(cases.calls()) == 4, what="samples of the other")
    return theirs


def shown(cases: Scratch) -> list[str]:
    """What the screen's plan would do with each cell of a directory that nobody minds."""
    resting, state, spec = Resting(Layout(cases.logs)), SetState(), None
    resting.turn((), spec, state, 0.0)
    spec = resting.rebuilt()
    assert spec is not None
    cells = cells_of(spec, cases.logs).cells
    resting.stale()
    for _ in range(3):
        resting.turn(cells, spec, state, 0.0)
    assert resting.current is not None
    return [cell.action for cell in resting.current.cells]


def test_a_log_that_somebody_else_is_writing_is_waited_for(
    cases: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = somebody_writes(cases)
    (log,) = cases.log_names()
    (cell,) = cases.plan()["cells"]
    assert cell["action"] == "running"
    monkeypatch.setenv("XDG_DATA_HOME", cases.environment()["XDG_DATA_HOME"])
    assert shown(cases) == ["running"]
    ours = cases.start("run", "logs", "--json")
    journal = cases.logs / ".evaltui" / "journal.jsonl"
    waits = f"(pid {theirs.pid}) is writing {log}"
    wait_until(lambda: journal.exists() and waits in journal.read_text(), what="a word of it")
    (cases.state / "open").touch()
    theirs.communicate(timeout=60)
    output, _ = ours.communicate(timeout=60)
    assert (theirs.returncode, ours.returncode) == (0, 0), output
    assert sorted(call[1] for call in cases.calls()) == list("123456"), "a sample was paid twice"
    assert cases.log_names() == [log]


def test_a_writer_that_dies_while_we_wait_leaves_its_samples_to_us(cases: Scratch) -> None:
    theirs = somebody_writes(cases)
    ours = cases.start("run", "logs", "--json")
    journal = cases.logs / ".evaltui" / "journal.jsonl"
    wait_until(lambda: journal.exists() and "is writing" in journal.read_text(), what="a word")
    os.killpg(theirs.pid, signal.SIGKILL)
    theirs.communicate()
    (cases.state / "open").touch()
    output, _ = ours.communicate(timeout=90)
    assert ours.returncode == 0, output
    assert Counter(call[1] for call in cases.calls()) == Counter("123456" + "34")
    assert clean(cases) == set("123456")
