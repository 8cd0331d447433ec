"""The story of a cell: its attempts and logs, and what is worked out of its samples."""

import shutil
from pathlib import Path

from evaltui.engine.state import SetState
from evaltui.logs import attempt as ev
from evaltui.logs import journal as jn
from evaltui.logs.files import append_lines
from evaltui.logs.layout import Layout
from evaltui.text import UNICODE
from evaltui.tui.attempt_words import ANOTHER_RUN
from evaltui.tui.columns import Column
from evaltui.tui.picture import AttemptLine, CellStory, SampleLine
from evaltui.tui.query import Query, parse
from evaltui.tui.runs import joined
from evaltui.tui.sample_words import record_lines
from evaltui.tui.story import StoryReader, alike, error_groups
from evaltui.tui.telling import (
    FATES,
    SAMPLE_ATTRIBUTES,
    error_rows,
    output_lines,
    sample_cells,
    sample_columns,
    sample_table,
)
from tests.sets import Scratch
from tests.tui.sets_shown import opened

SAMPLES = (
    SampleLine("s10", 1, "done", seconds=2.0),
    SampleLine("s2", 1, "errored", error="Timeout after 30s"),
    SampleLine("s3", 1, "errored", error="Timeout after 31s"),
)


def story(**more: object) -> CellStory:
    keys = tuple(each.key for each in SAMPLES)
    return CellStory(
        "k",
        samples=SAMPLES,
        keys=keys,
        errors=error_groups(SAMPLES),
        alike=alike(SAMPLES),
        **more,  # type: ignore[arg-type]
    )


def test_all_logs_of_a_cell_are_told_and_not_the_best_alone(shown: Scratch):
    shutil.copy(shown.logs / "counted_alpha.eval", shown.logs / "again.eval")
    view = opened(shown)
    key = view.picture.cells[0].key
    view.follow(key)
    while (told := view.picture.story) is None or not told.samples:
        view.turn()
    view.close()
    assert {line.log for line in told.attempts} == {"counted_alpha.eval", "again.eval"}
    assert {line.reason for line in told.attempts} == {ANOTHER_RUN}
    assert told.keys == tuple(sample.key for sample in told.samples)
    assert [(group.text, group.times) for group in told.errors] == [
        ("RuntimeError('planted failure of 2')", 1)
    ]


def test_a_cancelled_sample_is_cancelled_whatever_it_was_cancelled_with(tmp_path: Path):
    layout = Layout(tmp_path)
    paths = layout.attempt("at1")
    paths.folder.mkdir(parents=True)
    ends = [
        ev.SampleEnd(t=3, id=1, epoch=1, error='CancelledError("by <Task 7f>")', cancelled=True),
        ev.SampleEnd(t=3, id=2, epoch=1, error="boom"),
    ]
    starts = [ev.SampleStart(t=2, id=n, epoch=1) for n in (1, 2, 3)]
    append_lines(paths.events, [*starts, *ends, ev.Ended(t=4, status="cancelled")])
    begun = jn.Launched(t=1, cell="k", attempt="at1", number=1, reason="new")
    append_lines(layout.journal, [begun])
    told = StoryReader(layout, "k").read({}, SetState())
    table = sample_table(told, Query(), None)
    cells = sample_cells(table, sample_columns(told, wide=True), UNICODE)
    assert [joined(cells(row)[-1]) for row in range(3)] == ["cancelled", "boom", "cancelled"]
    assert [(group.text, group.times) for group in told.errors] == [("boom", 1)]
    failed = {"input": "q", "error": {"message": "CancelledError()", "traceback": "Traceback …"}}
    said = [joined(line) for line in record_lines(failed, told.samples[0])]
    assert said == ["state     cancelled", "", "ASKED", "q"]


def test_errors_are_grouped_by_message_numbers_aside():
    ((_, cells),) = error_rows(story().errors, Query(), UNICODE)
    assert [joined(cell) for cell in cells] == ["×2", "Timeout after 30s"]
    none = parse("nothing", ("message",))
    assert isinstance(none, Query)
    assert error_rows(story().errors, none, UNICODE) == []


def test_columns_in_which_samples_do_not_differ_are_left_out_unless_asked_for():
    def names(columns: tuple[Column, ...]) -> set[str]:
        return {column.id for column in columns}

    assert names(sample_columns(story(), wide=True)) - names(
        sample_columns(story(), wide=False)
    ) == {"epoch", "retries", "tokens"}
    assert alike(SAMPLES[:1]) == ()


def test_samples_are_filtered_and_sorted_as_people_count():
    errored = parse("is:errored", SAMPLE_ATTRIBUTES, FATES)
    assert isinstance(errored, Query)
    table = sample_table(story(), errored, ("id", True))
    assert [table.samples[row].id for row in table.shown] == ["s3", "s2"]
    assert table.keys == ("s3\x001", "s2\x001")
    cells = sample_cells(table, sample_columns(story(), wide=False), UNICODE)(0)
    assert joined(cells[1]) == "s3"
    assert list(sample_table(story(), Query(), ("id", False)).shown) == [1, 2, 0]


def test_the_output_of_what_failed_begins_with_the_reason():
    trace = "Traceback (most recent call last):\n  File x\nValueError: no"
    attempt = AttemptLine("a", 1, "first run", "error", error=trace)
    told = story(attempts=(attempt,), attempt="a", output=tuple(trace.splitlines()))
    said = [joined(line) for line in output_lines(told, Query(), 0.0, UNICODE)]
    assert said == ["✗ ValueError: no", "what the worker wrote:", *trace.splitlines()]
    found = parse("file", ("line",))
    assert isinstance(found, Query)
    assert [joined(line) for line in output_lines(told, found, 0.0, UNICODE)][-1] == "  File x"
