"""The results screen: the matrix, the list, what is said of a score, and comparing."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from textual.screen import Screen

from evaltui.text import ASCII, UNICODE
from evaltui.tui.dialogs.comparison import ComparisonDialog
from evaltui.tui.picture import Picture
from evaltui.tui.result_document import (
    Interval,
    Results,
    ScoreRow,
    SkippedLog,
    read_results,
)
from evaltui.tui.result_facts import CellFacts, cell_facts, told_apart
from evaltui.tui.result_matrix import (
    Matrix,
    first_in_sight,
    laid_out,
    line_cells,
    matrix,
    short_names,
    sort_value,
)
from evaltui.tui.result_rows import listed, row_cells
from evaltui.tui.result_words import detail_lines, legend, remarks
from evaltui.tui.runs import joined
from evaltui.tui.screens.results import ResultsScreen
from evaltui.tui.view import View
from evaltui.tui.widgets.block import Block
from tests.tui.sets_shown import until
from tests.tui.test_set_views import HOSTILE, checked, looked

ROW = ScoreRow(
    key="k",
    task="quiz",
    model="mockllm/a",
    log="a.eval",
    scorer="match",
    reducer="mean",
    value=0.604,
    interval=Interval(0.5, 0.7, 0.95, "wilson"),
    planned=500,
    scored=488,
    errored=9,
    not_run=3,
    limited=1,
    unreadable=2,
    samples=163,
    epochs=3,
    bounds=(0.58, 0.61),
    flags=("shift", "share"),
    sentence="9 of 488 were retried; without retries this would be .598.",
    task_args={"shots": 5, "same": 1},
)
WHOLE = msgspec.structs.replace(
    ROW, planned=20, scored=20, errored=0, not_run=0, limited=0, unreadable=0, samples=20, epochs=1,
    flags=(), sentence=None,
)  # fmt: skip
FACTS = CellFacts("c", "quiz", "a", "quiz", "mockllm/a", "complete", "a.eval", 20)


def changed(struct: Any, **changes: Any) -> Any:
    return msgspec.structs.replace(struct, **changes)


def results_screen(view: View, went: Callable[[str], object]) -> Screen[Any]:
    return ResultsScreen(view, went)


# --- on the screen --------------------------------------------------------------------------------


async def test_tasks_stand_against_models_and_enter_opens_the_cell_under_the_cursor(shown):
    async with looked(shown, results_screen, checked) as look:
        assert "the scores are being computed" in look.text
        await until(look.pilot, lambda: look.screen.rows, 60)
        assert "2 models" in look.text
        assert "1.00 .44–1.00 3/6 +✗" in look.text
        await look.press("down", "right")
        assert "counted_heavy × mockllm/beta" in look.detail
        await look.press("enter")
        assert look.opened == [look.app.view.picture.cells[3].key]
        await look.press("up", "left")
        assert "1 errored and is left out" in look.detail
        assert "2 of 6 have not run" in look.detail


async def test_every_score_in_a_line_of_its_own(shown):
    async with looked(shown, results_screen) as look:
        await until(look.pilot, lambda: look.screen.rows, 60)
        await look.press("w")
        assert "4 of 4" in look.text
        assert "1.00 over 3 of 6 planned; 95% .439 to 1.00 (wilson)" in look.detail
        await look.press("slash")
        await look.type("task=counted model:beta")
        await look.press("enter")
        assert "1 of 4" in look.text
        await look.press("enter")
        assert look.opened == [look.app.view.picture.cells[1].key]
        await look.press("w")
        assert "1 of 4 scores, 1 model" in look.text
        await look.press("escape")
        assert "2 models" in look.text


async def test_two_marked_cells_are_compared_sample_by_sample(shown):
    async with looked(shown, results_screen) as look:
        await until(look.pilot, lambda: look.screen.rows, 60)
        await look.press("c")
        assert "mark two cells with space, then compare" in look.told
        await look.press("space", "right", "space", "c")
        dialog = look.app.screen
        assert isinstance(dialog, ComparisonDialog)
        lines = dialog.query_one("#lines", Block)
        await until(look.pilot, lambda: "over 3 pairs" in str(lines.lines), 60)
        assert "left out: 1 errored" in str(lines.lines)
        await look.press("escape")
        assert look.app.screen is look.screen
        await look.press("escape", "v", "down")
        assert len(look.screen.targets) == 2
        await look.press("left", "space", "space")
        assert len(look.screen.targets) == 3


async def test_a_comparison_that_fails_says_why(shown, tmp_path):
    missing = tmp_path / "gone.eval"
    async with looked(shown, lambda *_: ComparisonDialog(missing, missing, ("a", HOSTILE))) as look:
        lines = look.screen.query_one("#lines", Block)
        await until(look.pilot, lambda: "gone.eval" in str(lines.lines), 60)
        assert "Traceback" not in str(lines.lines)
        assert "\x1b" not in look.text
        await look.press("enter")
        assert look.app.returned == [None]


async def test_leaving_while_scores_are_computed_ends_the_process(shown):
    async with looked(shown, results_screen) as look:
        await look.press("escape")
        assert look.app.screen is not look.screen
        making = look.screen._making
        await until(look.pilot, lambda: making is None or making.done())
        assert making is None or making.cancelled()


def test_what_the_set_knows_of_its_cells(shown):
    view = View(shown.logs, shown.folder)
    while view.turn() or view.picture.rests != "samples":
        pass
    facts = cell_facts(checked(view.picture))
    assert [(each.task, each.model, each.status, each.log, each.asked) for each in facts][:2] == [
        ("counted", "mockllm/alpha", "idle", "counted_alpha.eval", 6),
        ("counted", "mockllm/beta", "idle", "counted_beta.eval", 6),
    ]
    assert len({each.row for each in facts}) == len({each.column for each in facts}) == 2
    assert cell_facts(Picture(Path("x"), Path("x"))) == ()


# --- what is said of a score ----------------------------------------------------------------------


def said(row: ScoreRow | None, facts: CellFacts | None = FACTS) -> list[tuple[str, str]]:
    return [(remark.kind, remark.short) for remark in remarks(row, facts)]


def test_of_a_whole_score_there_is_nothing_to_be_said():
    assert said(WHOLE) == said(WHOLE, None) == []


def test_whatever_is_wrong_with_a_score_is_said():
    assert said(ROW, None) == [
        ("partial", "3 not run"),
        ("errored", "9 errored"),
        ("doubted", "retries shift it"),
        ("doubted", "2 no number"),
    ]
    assert said(WHOLE, changed(FACTS, status="running", message="loads")) == [
        ("running", "running")
    ]
    assert said(WHOLE, changed(FACTS, asked=40)) == [("partial", "asks 40")]
    assert said(WHOLE, changed(FACTS, asked=10)) == [("mixed", "asks 10")]
    assert said(WHOLE, changed(FACTS, stale=("2 of its samples are old",))) == [("mixed", "mixed")]
    assert said(changed(WHOLE, status="cancelled")) == [("cancelled", "log cancelled")]
    assert said(changed(WHOLE, status="error")) == [("failed", "log error")]
    assert said(changed(WHOLE, scored=18, unscored=2)) == [("errored", "2 unscored")]
    assert said(None, changed(FACTS, status="blocked")) == [("failed", "blocked")]
    assert said(None, None) == []


def test_what_a_score_stands_on():
    found = remarks(ROW, None)
    assert [joined(line) for line in detail_lines("quiz x mockllm/a", ROW, found, ASCII)] == [
        "quiz x mockllm/a  match  a.eval",
        ".604 over 488 of 500 planned (163 samples, 3 epochs); 95% .500 to .700 (wilson);"
        " between .580 and .610 whatever the missing ones are",
        "+ 3 of 500 have not run.",
        "x 9 errored and are left out.",
        "! 9 of 488 were retried; without retries this would be .598.",
        "! 2 samples were scored with a text that is no number, taken as 0.",
        "1 sample was stopped by a sample limit.",
    ]
    blocked = remarks(None, changed(FACTS, status="blocked", message="no such file."))
    assert [joined(line) for line in detail_lines("quiz", None, blocked, UNICODE)] == [
        "quiz",
        "✗ It is blocked: no such file.",
    ]


def test_a_legend_says_each_sign_once():
    words = joined(legend(["errored", "failed", "partial"], UNICODE))
    assert words == "✗ failed or errored samples left out   + not all have run"
    assert legend([], UNICODE) == ()


# --- the list -------------------------------------------------------------------------------------


def cells(row: ScoreRow, facts: CellFacts = FACTS) -> list[str]:
    (each,) = listed([row], [facts])
    return [joined(cell).strip() for cell in row_cells(each, UNICODE)]


def test_a_score_in_one_line():
    assert cells(ROW, changed(FACTS, asked=500)) == [
        "quiz", "mockllm/a", "match", ".604", ".500–.700", "488/500", "9", ".580–.610",
        "+ 3 not run  ✗ 9 errored  ! retries shift it  ! 2 no number  3 epochs", "a.eval",
    ]  # fmt: skip
    bare = changed(WHOLE, value=None, interval=None, scorer=None)
    assert cells(bare)[2:5] == ["-", "-", "-"]


def test_what_scores_can_be_filtered_by():
    (each,) = listed([ROW], [changed(FACTS, asked=500, stale=("old",))])
    assert each.attributes()["is"] == ["scored", "flagged", "partial", "errored", "mixed"]
    (each,) = listed([changed(WHOLE, value=None, scored=0)], [])
    assert each.attributes()["is"] == ["unscored", "partial"]


def test_rows_follow_the_set_and_strangers_come_last():
    rows = [changed(WHOLE, log=name, key=name, task_args={"n": name}) for name in "zba"]
    facts = [changed(FACTS, log="a", task="first"), changed(FACTS, log="b", task="second")]
    found = listed(rows, facts)
    assert [(each.score.log, each.task) for each in found] == [
        ("a", "first"), ("b", "second"), ("z", "quiz"),
    ]  # fmt: skip


def test_only_settings_that_differ_tell_things_apart():
    named = [("k", "quiz", {"shots": 5, "same": 1}), ("l", "quiz", {"shots": 0, "same": 1})]
    assert told_apart([*named, ("m", "other", {"shots": 1})]) == {
        "k": "quiz shots=5", "l": "quiz shots=0", "m": "other",
    }  # fmt: skip


def test_a_report_is_read_and_a_strange_one_refused():
    document = msgspec.json.encode(Results(1, (ROW,), (SkippedLog("x.eval", "is damaged"),)))
    assert read_results(document) == Results(1, (ROW,), (SkippedLog("x.eval", "is damaged"),))
    with pytest.raises(ValueError, match="can't be read"):
        read_results(b"Traceback (most recent call last)")
    with pytest.raises(ValueError, match="has version 2"):
        read_results(b'{"version": 2, "rows": []}')


# --- the matrix -----------------------------------------------------------------------------------


def nine_models() -> Matrix:
    facts = [
        CellFacts(f"{t}{n}", f"t{t}", f"m{n}", f"task{t}", f"lab/model-{n}", "complete", f"{t}{n}")
        for t in range(2)
        for n in range(9)
    ]
    rows = [
        changed(WHOLE, log=f"{t}{n}", value=n / 10, scorer=scorer)
        for t in range(2)
        for n in range(8)
        for scorer in ("match", "judge")
    ]
    return matrix(rows, facts)


def test_a_spot_says_value_interval_and_what_it_stands_on():
    found = matrix([ROW], [changed(FACTS, asked=500)])
    shape = laid_out(found, UNICODE, 118)
    (line,) = found.lines
    assert joined(line_cells(line, shape, UNICODE)[-1]) == ".604 .50–.70 488/500 +✗!"
    assert joined(line_cells(line, shape, UNICODE)[1]) == "match"


def test_a_task_with_several_scorers_shows_the_first_one_for_all_models():
    found = nine_models()
    assert [(line.scorer, line.scorers) for line in found.lines] == [("match", 2), ("match", 2)]
    assert {s.score.scorer for s in found.lines[0].spots.values() if s.score} == {"match"}


def test_a_cell_without_a_score_says_how_it_stands():
    facts = [changed(FACTS, log=None, status="running", done=3), changed(FACTS, column="b")]
    found = matrix([WHOLE], facts)
    shape = laid_out(found, UNICODE, 118)
    running, whole = line_cells(found.lines[0], shape, UNICODE)[-2:]
    assert joined(running) == "   -         3/20 ▸"
    assert joined(whole) == ".604 .50–.70   20"
    assert not matrix([], facts, bare=False).lines


def test_many_models_are_gone_through_sideways():
    found = nine_models()
    shape = laid_out(found, UNICODE, 79)
    assert len(shape.models) < 9
    assert sum(column.ideal + 1 for column in shape.columns) <= 79
    first = first_in_sight(shape, found, 0, "m8")
    assert "m8" in laid_out(found, UNICODE, 79, first).models
    assert first_in_sight(shape, found, first, "m0") == 0
    assert len(laid_out(found, UNICODE, 200).models) == 9


def test_intervals_give_way_before_models_do():
    found = nine_models()
    wide, narrow = laid_out(found, UNICODE, 230), laid_out(found, UNICODE, 140)
    assert (wide.interval, len(wide.models)) == (True, 9)
    assert (narrow.interval, len(narrow.models)) == (False, 9)


def test_names_of_models_are_cut_where_they_do_not_differ():
    names = {"a": "lab/sonnet-large-2", "b": "lab/sonnet-large-3"}
    assert short_names(names, 20, UNICODE) == names
    assert short_names(names, 15, UNICODE) == {"a": "sonnet-large-2", "b": "sonnet-large-3"}
    assert short_names(names, 9, UNICODE) == {"a": "sonn…ge-2", "b": "sonn…ge-3"}
    assert short_names({"a": "x/m", "b": "y/m"}, 2, UNICODE) == {"a": "x/m", "b": "y/m"}


def test_tasks_are_sorted_by_a_model():
    line = nine_models().lines[0]
    assert [sort_value(line, c) for c in ("task", "scorer", "m3", "m8", "gone")] == [
        "task0", "match", 0.3, None, None,
    ]  # fmt: skip
