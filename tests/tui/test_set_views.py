"""Plan and inspector on the view of a real directory."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from msgspec.structs import replace
from textual import events
from textual.pilot import Pilot
from textual.screen import Screen

from evaltui.logs.attempt import Verdict
from evaltui.plan import CellPlan, Plan, StrayLog
from evaltui.tui.picture import Picture
from evaltui.tui.plan_rows import STRAY
from evaltui.tui.runs import joined
from evaltui.tui.screens.plan import PlanScreen, standing
from evaltui.tui.screens.samples import SamplesScreen
from evaltui.tui.view import View
from evaltui.tui.widgets.block import Block
from tests.sets import Scratch
from tests.tui.frames import frame
from tests.tui.sets_shown import ShownApp, opened, until

HOSTILE = "[/][@click=app.quit]x[/]\x1b[31m\u202egnp 漢字" + "long " * 2000


class Looked:
    """A screen being looked at."""

    def __init__(self, app: ShownApp, pilot: Pilot[Any], opened: list[str]) -> None:
        self.app, self.pilot, self.opened = app, pilot, opened

    @property
    def screen(self) -> Any:
        return self.app.shown

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        self.app.post_message(events.Paste(text))
        await self.pilot.pause()

    @property
    def text(self) -> str:
        return frame(self.app)

    @property
    def detail(self) -> str:
        block = self.screen.query_one("#detail", Block)
        return "\n".join(joined(line) for line in block.lines)

    @property
    def told(self) -> str:
        return joined(self.screen.message_line._said)


@asynccontextmanager
async def looked(
    shown: Scratch,
    make: Callable[[View, Callable[[str], object]], Screen[Any]],
    picture: Callable[[Picture], Picture] | None = None,
    size: tuple[int, int] = (120, 35),
) -> AsyncIterator[Looked]:
    """picture: what is shown instead of what the view sees."""
    view = opened(shown)
    went: list[str] = []
    app = ShownApp(view, make(view, went.append), change=picture)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield Looked(app, pilot, went)


def plan_screen(view: View, went: Callable[[str], object]) -> Screen[Any]:
    return PlanScreen(view, went)


def samples_screen(view: View, went: Callable[[str], object]) -> Screen[Any]:
    return SamplesScreen(view, view.picture.cells[0].key, went)


def checked(picture: Picture) -> Picture:
    """As if every task had been loaded: nothing is loaded in a worker for it."""
    assert picture.plan is not None
    sure = ("unchecked", "content_unchecked")
    cells = tuple(
        replace(
            cell,
            checked=True,
            notes=tuple(note for note in cell.notes if note.partition(":")[0] not in sure),
        )
        for cell in picture.plan.cells
    )
    return replace(picture, plan=Plan(cells, picture.plan.strays))


# --- plan -----------------------------------------------------------------------------------------


async def test_the_plan_says_for_every_cell_what_is_kept_and_what_runs(shown):
    async with looked(shown, plan_screen, checked) as look:
        grid = look.screen.grid
        assert grid.row_count == 4
        assert "= 14 keep   ↻ 2 errored   + 8 new" in look.text
        assert "saves 17k tokens, 2:48   costs ~12k tokens, 2:00" in look.text
        assert "checked: what it says is what would run" in look.text
        assert "counted × mockllm/alpha" in look.detail
        assert "= 3 keep   ↻ 1 errored   + 2 new" in look.detail
        assert "1 errored sample within the threshold runs too" in look.detail


async def test_enter_goes_to_the_samples_of_the_cell(shown):
    async with looked(shown, plan_screen, checked) as look:
        await look.press("down", "enter")
        assert look.opened == [look.app.view.picture.cells[1].key]


async def test_the_plan_is_filtered_and_esc_takes_the_filter_away_first(shown):
    async with looked(shown, plan_screen, checked) as look:
        await look.press("slash")
        await look.type("task=counted model:beta")
        await look.press("enter")
        assert look.screen.grid.row_count == 1
        assert "1 of 4" in look.text
        await look.press("escape")
        assert look.screen.grid.row_count == 4
        assert look.app.screen is look.screen
        await look.press("escape")
        assert look.app.screen is not look.screen


async def test_a_log_of_no_cell_says_which_field_differs(shown):
    def with_strays(picture: Picture) -> Picture:
        strays = (
            StrayLog("other.eval", "foreign", "temperature 0.0 → 0.7"),
            StrayLog(HOSTILE, "broken", HOSTILE),
        )
        whole = checked(picture)
        assert whole.plan is not None
        return replace(whole, plan=Plan(whole.plan.cells, strays))

    async with looked(shown, plan_screen, with_strays) as look:
        await look.press("G", "up")
        assert look.screen.grid.cursor_key == STRAY + "other.eval"
        assert look.detail == "other.eval belongs to no cell: temperature 0.0 → 0.7"
        assert look.screen.targets == ()
        await look.press("enter")
        assert "no samples here" in look.told
        await look.press("down")
        assert "[/][@click=app.quit]x[/]␛[31m<U+202E>gnp 漢字" in look.text
        assert "\x1b" not in look.text


def test_what_the_plan_rests_on_is_said(tmp_path):
    plan = CellPlan("k", "run", logs=("a.eval",))
    picture = Picture(tmp_path, tmp_path)
    assert standing(picture)[0] == ""
    assert standing(replace(picture, plan=Plan((plan,))))[0].startswith("unchecked: from ids")
    loading = replace(picture, plan=Plan((plan,)), checking=1)
    assert standing(loading)[0] == "unchecked: 1 task being loaded"
    done = replace(picture, plan=Plan((replace(plan, checked=True),)))
    assert standing(done) == ("checked: what it says is what would run", "ok")


@pytest.mark.slow
async def test_tasks_are_loaded_in_workers_and_every_sample_is_told(shown):
    async with looked(shown, samples_screen) as look:
        await until(look.pilot, lambda: look.screen.table is not None, 120)
        await until(look.pilot, lambda: "checked: what it says is" in look.text, 120)
        assert [verdict.verdict for verdict in look.screen.table.verdicts] == [
            "reuse", "run", "reuse", "reuse", "run", "run",
        ]  # fmt: skip
        await look.press("n")
        assert "2  epoch 1  Errored: it runs again" in look.detail
        assert "errored, 1,240 tokens, 12s, in counted_alpha.eval" in look.detail
        assert "asks: question 2" in look.detail
        await look.press("n", "n", "n")
        assert "no sample that runs below" in look.told
        await look.press("N", "N")
        assert look.screen.grid.at.row == 1


# --- inspector ------------------------------------------------------------------------------------


def with_verdicts(*verdicts: Verdict) -> Callable[[Picture], Picture]:
    def change(picture: Picture) -> Picture:
        whole = checked(picture)
        assert whole.plan is not None
        first, *others = whole.plan.cells
        run = sum(verdict.verdict == "run" for verdict in verdicts)
        told = replace(
            first, verdicts=verdicts, total=len(verdicts), run=run, reuse=len(verdicts) - run
        )
        return replace(whole, plan=Plan((told, *others)))

    return change


SIX = (
    *(Verdict(n, 1, "reuse", None, "counted_alpha.eval") for n in (1, 3, 4)),
    Verdict(2, 1, "run", "errored", "counted_alpha.eval"),
    Verdict(5, 1, "run", "new"),
    Verdict(HOSTILE, 1, "run", "content_changed"),
)


async def test_every_sample_says_where_it_is_from_what_it_was_and_why(shown):
    async with looked(shown, samples_screen, with_verdicts(*SIX)) as look:
        await until(look.pilot, lambda: look.screen.table is not None)
        assert "6 of 6" in look.text
        assert "Same question, answered: its sample is kept." in look.detail
        assert "clean, 1,240 tokens, 12s, in counted_alpha.eval" in look.detail
        await look.press("n")
        assert look.screen.grid.at.row == 3
        assert "Errored: it runs again" in look.detail
        await look.press("G")
        assert "[/][@click=app.quit]x[/]␛[31m<U+202E>" in look.text
        assert "\x1b" not in look.text
        await look.press("enter")
        assert look.opened == [look.screen.key]


async def test_samples_are_filtered_and_jumps_stay_within_what_is_shown(shown):
    async with looked(shown, samples_screen, with_verdicts(*SIX)) as look:
        await until(look.pilot, lambda: look.screen.table is not None)
        await look.press("slash")
        await look.type("verdict:reuse,new")
        await look.press("enter")
        assert "4 of 6" in look.text
        await look.press("n")
        assert look.screen.grid.at.row == 3
        await look.press("n")
        assert "no sample that runs below" in look.told


async def test_a_hundred_thousand_samples_scroll(shown):
    many = tuple(
        Verdict(n, 1, "run", "new") if n % 1000 == 999 else Verdict(n, 1, "reuse", None, "a.eval")
        for n in range(100_000)
    )
    async with looked(shown, samples_screen, with_verdicts(*many)) as look:
        await until(look.pilot, lambda: look.screen.table is not None)
        assert look.screen.grid.row_count == 100_000
        await look.press("n", "n")
        assert look.screen.grid.at.row == 1999
        await look.press("G")
        assert look.screen.grid.at.row == 99_999
        assert "100,000 of 100,000" in look.text
        await look.press("slash")
        await look.type("is:new")
        await look.press("enter")
        await until(look.pilot, lambda: look.screen.grid.row_count == 100)
        assert "100 of 100,000" in look.text


async def test_before_a_load_it_says_that_samples_are_still_to_be_told(shown):
    def loading(picture: Picture) -> Picture:
        return replace(picture, checking=2)

    async with looked(shown, samples_screen, loading) as look:
        assert "the task is being loaded in a worker" in look.text
        assert "unchecked: 2 tasks being loaded" in look.text


async def test_a_task_that_cannot_be_loaded_says_why(shown):
    def broken(picture: Picture) -> Picture:
        whole = checked(picture)
        assert whole.plan is not None
        first, *others = whole.plan.cells
        stuck = replace(first, action="blocked", blocked="counted.py, line 3: invalid syntax")
        return replace(whole, plan=Plan((stuck, *others)))

    async with looked(shown, samples_screen, broken) as look:
        assert "counted.py, line 3: invalid syntax" in look.text
        assert "the task can't be loaded" in look.text


async def test_a_cell_that_left_the_set_is_no_crash(shown):
    def gone(picture: Picture) -> Picture:
        return replace(picture, plan=Plan(()), state=replace(picture.state, cells={}))

    async with looked(shown, samples_screen, gone) as look:
        assert "a cell that is gone" in look.text


async def test_the_plan_is_sorted_and_shows_what_all_cells_share(shown):
    async with looked(shown, plan_screen, checked) as look:
        first = look.app.view.picture.cells[0].key
        assert look.screen.grid.at.keys[0] == first
        await look.press("S")
        await look.type("run")
        await look.press("enter")
        assert "RUN ▴" in look.text
        await look.press("slash")
        await look.type("task=counted")
        await look.press("enter")
        assert "= task counted" in look.text
        assert "TASK" not in look.text
        await look.press("w")
        assert "TASK" in look.text
        assert "w hides what is shared" in look.text


async def test_samples_are_sorted_by_what_became_of_them(shown):
    async with looked(shown, samples_screen, with_verdicts(*SIX)) as look:
        await until(look.pilot, lambda: look.screen.table is not None)
        before = look.screen.grid.at.keys
        await look.press("S")
        await look.type("from log")
        await look.press("enter", "S")
        await look.type("from log")
        await look.press("enter")
        assert "FROM LOG ▾" in look.text
        assert sorted(look.screen.grid.at.keys) == sorted(before)
