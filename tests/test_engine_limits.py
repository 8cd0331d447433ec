"""Limits that people mean for a lane and for the host hold over all its workers together."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from evaltui.engine.lock import holder
from evaltui.logs import journal as jn
from evaltui.logs.attempt import Order
from tests.engines import HurriedClock, Minded, journal, minded, statuses
from tests.sets import Scratch

pytestmark = pytest.mark.slow

TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample

@task
def asking(which: int = 0, n: int = 4):
    return Task([Sample(input=f"{which}: {i}?", target="x") for i in range(n)])
"""


def write_asking(cases: Scratch, *lines: str, model: str = "sim/steady", args: str = "") -> Path:
    """Four cells of one lane whose every call is recorded in `calls.jsonl`."""
    (cases.folder / "asking.py").write_text(TASK)
    cases.logs.mkdir(exist_ok=True)
    record = cases.folder / "calls.jsonl"
    text = [
        "version = 1",
        *lines,
        '[[task]]\nfile = "asking.py"\nname = "asking"\nsweep = { which = [1, 2, 3, 4] }',
        f'[[model]]\nname = "{model}"\nargs = {{ latency = 0.3, calls = "{record}"{args} }}',
    ]
    (cases.logs / "evalset.toml").write_text("\n".join(text))
    return record


def peak(record: Path) -> int:
    """The most calls in flight at one time."""
    calls = [json.loads(line) for line in record.read_text().splitlines()]
    moments = sorted([(c["start"], 1) for c in calls] + [(c["end"], -1) for c in calls])
    in_flight = most = 0
    for _, change in moments:
        in_flight += change
        most = max(most, in_flight)
    return most


def orders(run: Minded) -> list[Order]:
    paths = sorted(run.layout.attempts.glob("*/attempt.json"))
    return [msgspec.json.decode(path.read_bytes(), type=Order) for path in paths]


@pytest.mark.parametrize("limit", [1, 2, 6])
def test_calls_in_flight_never_exceed_the_lanes_connections(cases: Scratch, limit: int) -> None:
    record = write_asking(cases, f"max_connections = {limit}")
    with minded(cases) as run:
        assert run.outcome().end == "complete"
    assert len(record.read_text().splitlines()) == 16
    assert peak(record) <= limit
    counts = [entry.counts.get("sim/steady", 0) for entry in journal(run.layout, jn.Launched)]
    assert max(counts) < min(limit, 4)


def test_host_limits_and_adaptive_bounds_are_divided(cases: Scratch) -> None:
    write_asking(cases, "max_subprocesses = 8", "max_sandboxes = 2", "adaptive_connections = 40")
    with minded(cases) as run:
        assert run.outcome().end == "complete"
    settings = [order.settings for order in orders(run)]
    assert {each["max_subprocesses"] for each in settings} == {2}
    assert {each["max_sandboxes"] for each in settings} == {1}
    most = [int(each["adaptive_connections"].split("-")[-1]) for each in settings]
    assert sum(most) == 40


BOXED = """
from counted import counted, counted_call
from inspect_ai import Task, task


@task
def boxed():
    return Task(dataset=counted(2).dataset, solver=counted_call(0.5), sandbox="local")


@task
def bare():
    return Task(dataset=counted(2).dataset, solver=counted_call(0.5))
"""


def test_no_more_cells_have_sandboxes_than_the_host_may(cases: Scratch) -> None:
    (cases.folder / "boxed.py").write_text(BOXED)
    cases.logs.mkdir()
    models = "".join(f'[[model]]\nname = "mockllm/{name}"\n' for name in "ab")
    spec = f'max_sandboxes = 1\nmax_tasks = 4\n[[task]]\nfile = "boxed.py"\n{models}'
    (cases.logs / "evalset.toml").write_text(spec)
    with minded(cases) as run:
        assert run.outcome().end == "complete"
    task = {key: cell.cell.task for key, cell in run.state.cells.items()}
    running: list[str] = []
    most = Counter[str]()
    for entry in journal(run.layout, object):
        if isinstance(entry, jn.Launched):
            running.append(task[entry.cell])
        elif isinstance(entry, jn.AttemptEnded):
            running.remove(task[entry.cell])
        most |= Counter(running)
    assert most == Counter(boxed=1, bare=2)


def test_a_model_entry_bounds_its_own_lane(cases: Scratch) -> None:
    record = write_asking(cases, "max_connections = 9", args="")
    path = cases.logs / "evalset.toml"
    path.write_text(path.read_text() + "\nconfig = { max_connections = 1 }\n")
    with minded(cases) as run:
        assert run.outcome().end == "complete"
    assert peak(record) == 1
    assert holder(run.layout) is None


def test_a_lane_that_answers_nobody_starts_no_further_cell(cases: Scratch) -> None:
    write_asking(cases, "max_tasks = 5", model="sim/limited", args=", limit_every = 1")
    path = cases.logs / "evalset.toml"
    with minded(cases, HurriedClock()) as run:
        run.until(lambda s: s.lanes["sim/limited"].waits, "the lane waits")
        lane = run.state.lanes["sim/limited"]
        assert "429" in lane.message
        path.write_text(path.read_text().replace("[1, 2, 3, 4]", "[1, 2, 3, 4, 5]"))
        run.until(lambda s: [cell.status for cell in s.cells.values()][4:] == ["queued"])
        turns = run.engine.turns
        run.until(lambda s: run.engine.turns > turns + 5)
        assert statuses(run.state) == ["running"] * 4 + ["queued"]
        run.engine.stop("cancel")
        assert run.outcome().exit_code == 130
