"""What a plan takes from a directory beside its logs: what is held, and which runs are reruns.

A plan says what a person who starts the set gets, so it goes by what such a start lets go of.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from evaltui.engine.directory import Directory
from evaltui.engine.holds import held_by_engine, let_go, still_held
from evaltui.engine.tail import Tail
from evaltui.engine.wanted import read_wanted
from evaltui.logs import journal as jn
from evaltui.logs.files import append_lines
from evaltui.logs.layout import Layout
from evaltui.plan import Asked, Known
from tests.engines import write_spec
from tests.sets import Scratch

STARTED = jn.EngineStarted(t=1, pid=1, host="h")
ENDED = jn.EngineStopped(t=9, state="incomplete")


def known(cases: Scratch, entries: Sequence[jn.Entry]) -> tuple[Known, str]:
    """What a plan of a set with this journal is made from, and the key of its one cell."""
    write_spec(cases)
    layout = Layout(cases.logs)
    wanted = read_wanted(layout)
    (cell,) = wanted.cells.cells
    layout.journal.parent.mkdir()
    append_lines(layout.journal, entries)
    directory = Directory(layout, unrecovered=True)
    directory.refresh()
    state = Tail(layout, wanted.cells.cells).poll()
    return directory.known(wanted.cells.cells, wanted.spec, state=state), cell.key


def key_of(cases: Scratch) -> str:
    write_spec(cases)
    return read_wanted(Layout(cases.logs)).cells.cells[0].key


@pytest.mark.parametrize(
    ("entries", "held"),
    [
        (lambda key: [held_by_engine(key, "its data differ", 2)], False),
        (lambda key: [held_by_engine(key, "no", 2), let_go(key, 3)], False),
        (lambda key: [jn.Held(t=2, scope="cell", target=key, reason="no")], True),
        (
            lambda key: [held_by_engine(key, "no", 2), jn.Held(t=3, scope="cell", target=key)],
            True,
        ),
        (lambda key: [held_by_engine(key, "no", 2), jn.Held(t=3, scope="set", target="")], True),
        (
            lambda key: [
                held_by_engine(key, "no", 2),
                jn.Held(t=3, scope="lane", target="mockllm/a"),
            ],
            True,
        ),
        (lambda key: [held_by_engine(key, "lost", 2, "gone.eval")], False),
    ],
    ids=["engine", "let go", "person", "both", "set", "lane", "for a log that is gone"],
)
def test_a_plan_holds_what_a_start_does_not_let_go_of(cases: Scratch, entries, held: bool) -> None:
    key = key_of(cases)
    queued = jn.Planned(t=1, cell=key, action="run", total=6, run=6)
    found, _ = known(cases, [STARTED, queued, *entries(key), ENDED])
    assert set(found.holds) == ({key} if held else set())


def test_a_log_that_is_still_damaged_holds_its_cell(cases: Scratch) -> None:
    key = key_of(cases)
    queued = jn.Planned(t=1, cell=key, action="run", total=6, run=6)
    past = [STARTED, queued, held_by_engine(key, "lost", 2, "crashed.eval"), ENDED]
    known(cases, past)
    state = Tail(Layout(cases.logs)).poll()
    assert still_held(state, past, lost={"crashed.eval"}) == {key: "lost"}
    assert still_held(state, past, lost={"another.eval"}) == {}


@pytest.mark.parametrize("ended", [False, True])
def test_a_rerun_of_a_run_that_goes_on_is_planned_as_one(cases: Scratch, ended: bool) -> None:
    """It pays for nothing again because the data are others: the cell is held then."""
    key = key_of(cases)
    queued = jn.Planned(t=2, cell=key, action="run", total=6, run=6)
    due = jn.RerunScheduled(t=3, cell=key, due=4, failures=1)
    found, _ = known(cases, [STARTED, queued, due, *([ENDED] if ended else [])])
    since = "1970-01-01T00:00:01+00:00"
    assert found.asked.get(key, Asked()) == (Asked() if ended else Asked(rerun=True, since=since))
