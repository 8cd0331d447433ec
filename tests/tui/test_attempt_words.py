"""Why an attempt ran, in words; how it ended, whole."""

import pytest

from evaltui.engine.state import CellState
from evaltui.logs import journal as jn
from evaltui.text import ASCII, UNICODE
from evaltui.tui.attempt_words import (
    attempt_attributes,
    attempt_lines,
    attempt_rows,
    cell_lines,
    one_sentence,
    why_launched,
)
from evaltui.tui.picture import AttemptLine
from evaltui.tui.runs import joined
from tests.test_state import cell

FIRST = AttemptLine("k-001", 1, "first run", "error", began=0.0, ended=8.0, error="boom",
                    log="a.eval")  # fmt: skip


def launched(reason: str) -> jn.Launched:
    return jn.Launched(t=1.0, cell="k", attempt="k-002", number=2, reason=reason)


def planned(**numbers: object) -> jn.Planned:
    return jn.Planned(t=1.0, cell="k", action="run", **{"total": 20, **numbers})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reason", "before", "plan", "said"),
    [
        ("new", None, None, "first run"),
        ("resumed", None, {"reuse": 16, "run": 4}, "resumed from logs: 4 new; keeps 16"),
        ("rerun", "error", {"reuse": 16, "run": 4, "reasons": {"errored": 3, "new": 1}},
         "rerun after errors: 3 errored, 1 new; keeps 16"),
        ("resumed", "crashed", {"reuse": 19, "run": 1}, "resumed after a crash: 1 new; keeps 19"),
        ("resumed", "success", {"reuse": 10, "run": 10, "reasons": {"new_epoch": 10}},
         "resumed after a success: more is asked for: 10 in new epochs; keeps 10"),
        ("merge", "error", {"reuse": 20, "run": 0}, "joins logs: nothing runs; keeps 20"),
        ("errors again", "success", {"reuse": 18, "run": 2, "reasons": {"errored": 2}},
         "errored samples again, as asked: 2 errored; keeps 18"),
        ("rerun", "replan", {"total": 0}, "rerun"),
    ],
)  # fmt: skip
def test_an_attempt_says_why_it_was_started_and_of_what(reason, before, plan, said):
    line = AttemptLine("k-001", 1, "", before) if before else None
    numbers = planned(**plan) if plan is not None else None
    assert why_launched(launched(reason), numbers, line) == said


def test_the_attempt_under_the_cursor_is_told_whole():
    said = [joined(line) for line in attempt_lines(FIRST, "a.eval", 10.0, UNICODE)]
    assert said == [
        "✗ attempt 1  first run  8s",
        "ended with error: boom",
        "= counts  a.eval",
    ]
    other = AttemptLine("", 0, "written by another run", "success", log="b.eval", then="x")
    assert [joined(line) for line in attempt_lines(other, "a.eval", 10.0, ASCII)] == [
        "v log  written by another run",
        "then x",
        "b.eval",
    ]
    assert attempt_lines(None, None, 0.0, UNICODE) == []


def test_the_log_that_counts_is_marked_in_the_list():
    ((key, cells),) = attempt_rows([FIRST], "a.eval", 10.0, UNICODE)
    assert key == "k-001"
    assert joined(cells[-1]) == "= a.eval"
    assert joined(cells[-2]) == "boom; first run  8s"
    assert attempt_attributes(FIRST)["is"] == "error"


def test_a_traceback_is_told_by_its_last_line():
    trace = "Traceback (most recent call last):\n  File x\nValueError: no\n"
    assert one_sentence(trace) == "ValueError: no"
    assert one_sentence("one\ntwo") == "one two"
    assert one_sentence(" \n") == ""


@pytest.mark.parametrize(
    ("status", "said"),
    [("blocked", "✗ blocked: no such file."), ("waiting", "↻ waiting: no such file."),
     ("held", "⊖ held: no such file."), ("cancelled", "⊘ cancelled: no such file."),
     ("complete", None)],
)  # fmt: skip
def test_what_keeps_a_cell_from_its_end_is_said_whole(status, said):
    state = CellState(cell("one"), status, message="no such file.")
    assert [joined(line) for line in cell_lines(state, UNICODE)] == ([said] if said else [])
