"""The keys of the main screen and the cell screen, on a real set at rest."""

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from evaltui import themes
from evaltui.engine.at_rest import decide
from evaltui.engine.book import Book
from evaltui.engine.clock import SystemClock
from evaltui.engine.lock import EngineLock
from evaltui.engine.tail import Tail
from evaltui.engine.trash import put_away
from evaltui.logs import journal as jn
from evaltui.logs.layout import Layout
from evaltui.tui.action_table import ACTIONS
from evaltui.tui.actions import keymap
from evaltui.tui.app import SetApp
from evaltui.tui.runs import joined
from evaltui.tui.screens.cell import CellScreen
from evaltui.tui.screens.dialog import ListDialog
from evaltui.tui.screens.main import MainScreen
from evaltui.tui.screens.results import ResultsScreen
from evaltui.tui.screens.samples import SamplesScreen
from evaltui.tui.view import View
from evaltui.tui.widgets.split_line import SplitLine
from tests.sets import Scratch
from tests.tui.frames import LOOKS, SIZES, check, frame, manners, watch_tokens
from tests.tui.sets_shown import opened, until

NOW = 1_700_000_000.0


@asynccontextmanager
async def showing(
    cases: Scratch,
    size: tuple[int, int] = (120, 35),
    look: str = "dark",
    *,
    rest: bool = True,
) -> AsyncIterator[Pilot]:
    """The app on a set, everything read. rest: nobody minds it."""
    wanted = manners(look)
    view = opened(cases) if rest else looking_on(cases)
    app = SetApp(view, themes.load(wanted.theme), keymap(ACTIONS)[0], wanted, now=lambda: NOW)
    watch_tokens(app)
    try:
        async with app.run_test(size=size) as pilot:
            await until(pilot, lambda: app.is_running and main(pilot).cells.size.width > 0)
            app.show_now()
            await pilot.pause()
            yield pilot
    finally:
        view.hand_over()


def looking_on(cases: Scratch) -> View:
    view = View(cases.logs, cases.folder)
    view.open()
    return view


def app_of(pilot: Pilot) -> SetApp:
    assert isinstance(pilot.app, SetApp)
    return pilot.app


def main(pilot: Pilot) -> MainScreen:
    return app_of(pilot).main


def text(pilot: Pilot) -> str:
    """What the screen shows, without its tokens."""
    return frame(app_of(pilot)).partition("\n" + "-" * pilot.app.size.width)[0]


def said(pilot: Pilot) -> str:
    return joined(app_of(pilot).set_screen.message_line._said)


async def press(pilot: Pilot, *keys: str) -> str:
    for key in keys:
        await pilot.press(key)
    await pilot.pause()
    return text(pilot)


async def test_the_first_screen_answers_what_there_is_and_what_is_kept(shown: Scratch):
    async with showing(shown) as pilot:
        seen = text(pilot)
        assert "0/4 cells" in seen
        assert "4 of 4" in seen
        for word in ("counted", "counted_heavy", "mockllm/alpha", "mockllm/beta", "Inspector"):
            assert word in seen
        assert "keep = 3" in seen


@pytest.mark.parametrize(
    ("keys", "panel"),
    [
        ("", "cells"),
        ("1", "tasks"),
        ("3", "inspector"),
        ("3 2", "cells"),
        ("tab", "lanes"),
        ("tab tab", "inspector"),
        ("tab tab tab", "cells"),
        ("shift+tab", "inspector"),
        ("1 1", "cells"),
        ("1 escape", "cells"),
        ("3 escape", "cells"),
        ("escape", "cells"),
        ("1 tab", "cells"),
    ],
)
async def test_panels_are_gone_to_by_number_and_tab(shown: Scratch, keys, panel):
    async with showing(shown) as pilot:
        await press(pilot, *keys.split())
        assert main(pilot).panel_in_focus == panel
        assert main(pilot).focused is not None


async def test_a_zoomed_panel_has_the_screen_for_itself_and_gives_it_back(shown: Scratch):
    async with showing(shown) as pilot:
        before = text(pilot)
        assert "Lanes" not in await press(pilot, "z")
        assert main(pilot).cells.size.width == 120
        assert await press(pilot, "escape") == before
        assert "Cells" not in await press(pilot, "tab", "z")
        assert "Cells" in await press(pilot, "z")


async def test_a_filter_is_live_counts_and_is_cleared_by_escape(shown: Scratch):
    async with showing(shown) as pilot:
        assert "2 of 4" in await press(pilot, "slash", *"beta")
        assert main(pilot).panel_in_focus == "cells"
        await press(pilot, "enter")
        assert main(pilot).cells.has_focus
        assert main(pilot).cells.row_count == 2
        assert "4 of 4" in await press(pilot, "escape")


async def test_a_filter_that_can_not_be_read_says_where_and_keeps_the_last_one(shown: Scratch):
    async with showing(shown) as pilot:
        seen = await press(pilot, "slash", *"is:runing")
        assert "^^" in seen
        assert "did you mean 'running'" in seen
        assert main(pilot).cells.row_count == 4 or "is:r" in seen


async def test_lanes_and_tasks_have_filters_of_their_own(shown: Scratch):
    async with showing(shown) as pilot:
        await press(pilot, "tab", "slash", *"beta", "enter")
        assert main(pilot).lanes.lane == "mockllm/beta"
        assert main(pilot).cells.row_count == 4
        await until(pilot, lambda: True)
        await press(pilot, "1")
        await until(pilot, lambda: app_of(pilot).view.picture.found is not None)
        seen = await press(pilot, "slash", *"counted_heavy", "enter")
        assert "counted_heavy" in seen
        assert main(pilot).tasks.row_count == 2


async def test_what_all_rows_share_stands_above_and_comes_back_with_w(shown: Scratch):
    async with showing(shown) as pilot:
        await press(pilot, "slash", *"model:beta", "enter")
        strip = main(pilot).query_one("#strip", SplitLine)
        assert "model mockllm/beta" in joined(strip._left)
        assert "model" not in [column.id for column in main(pilot).cells.columns]
        await press(pilot, "w")
        assert "model" in [column.id for column in main(pilot).cells.columns]


async def test_sorting_by_a_column_and_back(shown: Scratch):
    async with showing(shown) as pilot:
        keys = main(pilot).cells._rows.keys
        assert "Sort by" in (asked := await press(pilot, "S"))
        assert "edge" not in asked, "a column that only keeps a distance"
        await press(pilot, *"model", "enter")
        await press(pilot, "S", *"model", "enter")
        models = [key_model(pilot, key) for key in main(pilot).cells._rows.keys]
        assert models == sorted(models, reverse=True)
        await press(pilot, "S", *"spec", "enter")
        assert main(pilot).cells._rows.keys == keys


def key_model(pilot: Pilot, key: str) -> str:
    return app_of(pilot).view.picture.state.cells[key].cell.model


async def test_actions_take_the_marks_and_what_touches_many_cells_shows_them_first(shown: Scratch):
    async with showing(shown) as pilot:
        await press(pilot, "v", "j", "j", "v")
        assert len(app_of(pilot).targets) == 3
        await press(pilot, "h")
        await until(pilot, lambda: len(held(shown)) == 3)
        assert "Held 3 of the cells" in said(pilot)
        await press(pilot, "h")
        await until(pilot, lambda: held(shown) == [])
        await press(pilot, "escape")
        assert len(app_of(pilot).targets) == 1


def held(cases: Scratch) -> list[str]:
    state = Tail(Layout(cases.logs)).poll()
    return [key for key, cell in state.cells.items() if cell.held]


async def test_a_lane_and_the_set_are_held_and_released(shown: Scratch):
    async with showing(shown) as pilot:
        await press(pilot, "tab", "h")
        lanes = lambda: Tail(Layout(shown.logs)).poll().lanes.values()  # noqa: E731
        await until(pilot, lambda: [lane.held for lane in lanes()] == [True, False])
        await press(pilot, "h")
        await until(pilot, lambda: not any(lane.held for lane in lanes()))
        assert "Hold the set?" in await press(pilot, "P")
        await press(pilot, "y")
        await until(pilot, lambda: Tail(Layout(shown.logs)).poll().held)
        await until(pilot, lambda: app_of(pilot).view.picture.state.held)
        assert "Release the set?" in await press(pilot, "P")


async def test_an_action_that_is_off_says_why(shown: Scratch):
    async with showing(shown) as pilot:
        await press(pilot, "x")
        assert "cancel: not running" in said(pilot)
        await press(pilot, "u")
        assert "no log was moved to the trash" in said(pilot)
        await press(pilot, "d")
        assert "no retry is due here" in said(pilot)


async def test_resume_shows_the_plan_first_and_enter_does_nothing(shown: Scratch):
    async with showing(shown) as pilot:
        seen = await press(pilot, "s")
        assert "Run what is left" in seen
        assert "keep" in seen
        assert "evaltui run" in seen
        assert "› Not now" in seen
        assert "Run (y)" in seen, "the key that starts it stands beside the word"
        hints = seen.splitlines()[-1].split()
        assert " ".join(hints) == "⏎ Not now y Run → to Run Esc close"
        await press(pilot, "enter")
        assert said(pilot) == "Nothing was started. s shows this again; there y does it."
        assert app_of(pilot).view.picture.engine == "none"
        assert len(pilot.app.screen_stack) == 1
        await press(pilot, "s", "escape")
        assert "Nothing was started." in said(pilot)
        assert len(pilot.app.screen_stack) == 1


async def test_the_hint_bar_follows_the_word_that_enter_would_take(shown: Scratch):
    async with showing(shown) as pilot:
        assert "⏎ Run" in await press(pilot, "s", "right")
        assert "⏎ Not now" in await press(pilot, "left")


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ("e escape", "Nothing was changed."),
        ("P enter", "Nothing was done."),
        ("a escape", "Nothing was changed."),
    ],
)
async def test_what_is_left_without_a_yes_says_that_nothing_was_done(shown: Scratch, keys, says):
    async with showing(shown) as pilot:
        await press(pilot, *keys.split())
        assert said(pilot) == says
        await press(pilot, "j")
        assert said(pilot) == "", "the next key takes the word away"


@pytest.mark.parametrize("keys", ["s s", "a ctrl+p", "S question_mark", "s q"])
async def test_a_key_for_elsewhere_says_in_a_dialog_that_it_is_to_be_closed(shown: Scratch, keys):
    async with showing(shown) as pilot:
        seen = await press(pilot, *keys.split())
        assert "not from here; Esc closes this first" in seen
        assert len(pilot.app.screen_stack) == 2


@pytest.mark.parametrize("keys", ["question_mark colon", "question_mark ctrl+p", "slash x ctrl+p"])
async def test_the_commands_open_from_the_help_and_from_a_filter(shown: Scratch, keys):
    async with showing(shown) as pilot:
        await press(pilot, *keys.split())
        await until(pilot, lambda: "Commands" in text(pilot))
        assert len(pilot.app.screen_stack) == 2
        assert "resume" in text(pilot), "of the panel one was in, not of the text"
        await press(pilot, "question_mark")
        await until(pilot, lambda: "Help: keys in cells" in text(pilot))


@pytest.mark.parametrize(
    ("key", "title"),
    [
        ("a", "Add model"),
        ("e", "Epochs"),
        ("L", "Limit"),
        ("f", "threshold"),
        ("question_mark", "Help: keys in cells"),
        ("colon", "Commands"),
        ("ctrl+p", "Commands"),
        ("y", "Copy"),
        ("o", "Without the screen"),
        ("i", "counted"),
        ("p", "Plan"),
        ("m", "Results"),
        ("enter", "Attempts"),
    ],
)
async def test_each_view_opens_and_escape_leads_back(shown: Scratch, key, title):
    async with showing(shown) as pilot:
        seen = await press(pilot, key)
        await until(pilot, lambda: title.lower() in text(pilot).lower())
        assert len(pilot.app.screen_stack) == 2, seen
        for _ in range(3):
            await press(pilot, "escape")
        assert len(pilot.app.screen_stack) == 1
        assert pilot.app.is_running


async def test_epochs_are_changed_behind_their_effect(shown: Scratch):
    async with showing(shown) as pilot:
        await press(pilot, "e", "ctrl+u", "3")
        await until(pilot, lambda: "--epochs 3" in text(pilot))
        await press(pilot, "enter")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1)
        assert "Saved in evalset.toml; s runs what is left." in said(pilot)
        await until(pilot, lambda: app_of(pilot).view.picture.settings.get("epochs") == 3)


async def test_a_task_comes_in_by_space_and_the_set_shows_it(shown: Scratch):
    async with showing(shown) as pilot:
        await press(pilot, "1")
        await until(pilot, lambda: main(pilot).tasks.row_count > 3)
        main(pilot).tasks.go_key("t:shuffled.py@shuffled")
        await press(pilot, "space")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 2)
        await press(pilot, "right", "enter")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1)
        await until(pilot, lambda: len(app_of(pilot).view.picture.state.cells) == 6)


@pytest.mark.parametrize(
    ("keys", "title", "left"),
    [
        ("minus", "Take out mockllm/alpha", {"mockllm/beta"}),
        ("tab j minus", "Take out mockllm/beta", {"mockllm/alpha"}),
        ("underscore", "Take out counted", {"mockllm/alpha", "mockllm/beta"}),
    ],
)
async def test_models_and_tasks_leave_behind_a_safe_choice_and_come_back(
    shown: Scratch, keys, title, left
):
    before = (shown.logs / "evalset.toml").read_text()
    async with showing(shown) as pilot:
        await press(pilot, *keys.split())
        await until(pilot, lambda: "2 leave the set" in text(pilot))
        seen = text(pilot)
        assert title in seen
        assert "adding it again finds them" in seen
        await press(pilot, "enter")
        assert said(pilot) == "Nothing was changed."
        assert (shown.logs / "evalset.toml").read_text() == before
        await press(pilot, *keys.split()[-1:])
        await until(pilot, lambda: "2 leave the set" in text(pilot))
        await press(pilot, "y")
        await until(pilot, lambda: len(app_of(pilot).view.picture.state.cells) == 2)
        cells = app_of(pilot).view.picture.state.cells
        assert {each.cell.model for each in cells.values()} == left
        assert len(shown.log_names()) == 4


async def test_marked_cells_take_all_of_their_models_out(shown: Scratch):
    async with showing(shown) as pilot:
        await press(pilot, "v", "j", "v", "minus")
        await until(pilot, lambda: "4 leave the set" in text(pilot))
        assert "Take out 2 models" in text(pilot)
        await press(pilot, "y")
        await until(pilot, lambda: not app_of(pilot).view.picture.state.cells)
        assert "no cells yet" in text(pilot)


async def test_the_copy_menu_copies_what_is_picked(shown: Scratch, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.delenv("TMUX", raising=False)
    async with showing(shown) as pilot:
        key = main(pilot).cells.cursor_key
        await press(pilot, "y", *"id", "enter")
        assert (tmp_path / "evaltui" / "copied.txt").read_text() == key
        assert "copied" in said(pilot)


async def test_a_theme_is_tried_on_and_escape_takes_it_off(shown: Scratch):
    async with showing(shown) as pilot:
        await press(pilot, "colon", *"theme", "enter")
        await until(pilot, lambda: "Theme" in text(pilot))
        await press(pilot, "down")
        await pilot.pause()
        assert pilot.app.look.theme.name == "light"
        await press(pilot, "escape")
        assert pilot.app.look.theme.name == "dark"


async def test_enter_on_a_lane_shows_its_cells(shown: Scratch):
    async with showing(shown) as pilot:
        await press(pilot, "tab", "j", "enter")
        assert main(pilot).panel_in_focus == "cells"
        assert {key_model(pilot, key) for key in main(pilot).cells._rows.keys} == {"mockllm/beta"}


async def test_an_empty_directory_opens_with_the_task_browser(cases: Scratch):
    async with showing_empty(cases) as pilot:
        assert main(pilot).panel_in_focus == "tasks"
        await until(pilot, lambda: main(pilot).tasks.row_count > 3)
        assert "This set is empty" in said(pilot)
        await press(pilot, "s")
        assert "no cells yet" in said(pilot)
        assert not cases.logs.exists()


@asynccontextmanager
async def showing_empty(cases: Scratch) -> AsyncIterator[Pilot]:
    wanted = manners("dark")
    view = looking_on(cases)
    app = SetApp(view, themes.load(wanted.theme), keymap(ACTIONS)[0], wanted)
    try:
        async with app.run_test(size=(120, 35)) as pilot:
            await until(pilot, lambda: main(pilot).panel_in_focus == "tasks")
            yield pilot
    finally:
        view.hand_over()


async def test_a_broken_spec_is_said_with_its_line_and_nothing_is_changed(shown: Scratch):
    spec = shown.logs / "evalset.toml"
    async with showing(shown) as pilot:
        before = spec.read_text()
        spec.write_text(before + "\nepoch = 2\n")
        app_of(pilot).view.hurry()
        await until(pilot, lambda: "evalset.toml, line" in text(pilot))
        await press(pilot, "a")
        assert "add model: evalset.toml, line" in said(pilot)
        spec.write_text(before)
        app_of(pilot).view.hurry()
        await until(pilot, lambda: not app_of(pilot).view.picture.trouble)


async def test_reasons_why_something_is_off_go_when_it_is_on(shown: Scratch):
    async with showing(shown) as pilot:
        await press(pilot, "m", "S")
        assert said(pilot) == "sort: the list is empty"
        results = app_of(pilot).set_screen
        assert isinstance(results, ResultsScreen)
        await until(pilot, lambda: results.rows, 60)
        assert said(pilot).strip() == ""
        await press(pilot, "escape", "m", "question_mark", "down", "down")
        assert "off: there are no two scores to compare" in text(pilot)
        results = app_of(pilot).set_screen
        assert isinstance(results, ResultsScreen)
        await until(pilot, lambda: results.rows, 60)
        assert "off: there are no two scores" not in text(pilot)
        dialog = pilot.app.screen
        assert isinstance(dialog, ListDialog)
        assert dialog.grid.at.row == 2, "the cursor stays where it was"


async def test_a_set_that_another_engine_minds_is_shown_as_such(shown: Scratch):
    layout = Layout(shown.logs)
    lock = EngineLock.take(layout, now=time.time())
    try:
        book = Book(layout, SystemClock())
        book.open(())
        book.say(jn.EngineStarted(t=time.time(), pid=4242, host="far-away"))
        async with showing(shown, rest=False) as pilot:
            await until(pilot, lambda: "running, pid 4242 on far-away" in text(pilot))
            await press(pilot, "s")
            assert "the set is running" in said(pilot)
    finally:
        lock.release()


@pytest.mark.parametrize(("size", "fits"), [((60, 16), True), ((59, 16), False), ((60, 15), False)])
async def test_below_the_floor_there_is_one_sentence(shown: Scratch, size, fits):
    async with showing(shown, (120, 35)) as pilot:
        await pilot.resize_terminal(*size)
        await until(pilot, lambda: ("Cells" in text(pilot)) is fits)
        assert ("make the window larger" in text(pilot)) is not fits
        await pilot.resize_terminal(120, 35)
        await until(pilot, lambda: "Cells" in text(pilot))


@pytest.mark.parametrize("size", [(80, 24), (120, 35), (180, 50)])
@pytest.mark.parametrize("look", ["dark", "ascii"])
async def test_every_size_shows_cells_lanes_and_the_inspector(shown: Scratch, size, look):
    async with showing(shown, size, look) as pilot:
        seen = text(pilot)
        for word in ("Cells", "Lanes", "Inspector", "counted", "mockllm/beta", "keep"):
            assert word in seen
        assert ("Tasks" in seen) is (size[0] >= 150)
        assert look != "ascii" or seen.isascii()
        assert all(len(line) <= size[0] for line in seen.splitlines())


# --- the cell screen ------------------------------------------------------------------------------


async def at_cell(pilot: Pilot) -> CellScreen:
    await press(pilot, "enter")
    screen = pilot.app.screen
    assert isinstance(screen, CellScreen)
    await until(pilot, lambda: screen.samples.row_count > 0)
    return screen


async def test_the_cell_screen_tells_attempts_samples_and_errors_by_message(shown: Scratch):
    async with showing(shown) as pilot:
        screen = await at_cell(pilot)
        assert screen.samples.row_count == 4
        assert screen.errors.row_count == 1
        seen = text(pilot)
        assert "a log of another run" in seen
        assert "planted failure of 2" in seen
        assert "×1" in seen


async def test_enter_on_an_error_shows_its_samples(shown: Scratch):
    async with showing(shown) as pilot:
        screen = await at_cell(pilot)
        await press(pilot, "3", "enter")
        assert screen.samples.row_count == 1
        assert screen.filter_of("samples").text.startswith('error:"')
        await press(pilot, "escape")
        assert screen.samples.row_count == 4
        await press(pilot, "slash", *"is:done", "enter")
        assert screen.samples.row_count == 3


async def test_each_list_of_the_cell_screen_has_a_filter(shown: Scratch):
    async with showing(shown) as pilot:
        screen = await at_cell(pilot)
        await press(pilot, "1", "slash", *"is:error", "enter")
        assert "0 of 1" in text(pilot)
        await press(pilot, "3", "S")
        assert "errors stand by how often they came" in text(pilot)
        await press(pilot, "slash", *"times>1", "enter")
        assert screen.errors.row_count == 0
        assert screen.samples.row_count == 4
        await press(pilot, "escape", "escape")
        assert screen.errors.row_count == screen.attempts.row_count == 1


@pytest.mark.parametrize("action", ["view.results", "view.plan", "view.inspect", "open"])
async def test_a_picture_may_come_while_a_screen_is_being_made(shown: Scratch, action):
    async with showing(shown) as pilot:
        app = app_of(pilot)
        app.perform(action)
        assert app.screen is not app.main
        app.show_now()
        await pilot.pause()


async def test_a_filter_in_the_inspector_is_one_of_its_samples(shown: Scratch):
    async with showing(shown) as pilot:
        await press(pilot, "3", "slash")
        screen = pilot.app.screen
        assert isinstance(screen, SamplesScreen)
        await until(pilot, lambda: screen.filter_line.has_focus_within)


async def test_enter_on_a_sample_shows_what_was_asked_and_what_came_of_it(shown: Scratch):
    async with showing(shown) as pilot:
        await at_cell(pilot)
        await press(pilot, "enter")
        await until(pilot, lambda: "ASKED" in text(pilot))
        seen = text(pilot)
        assert "question 1" in seen
        assert "SCORE includes" in seen
        await press(pilot, "escape", "escape")
        assert len(pilot.app.screen_stack) == 1


@pytest.mark.parametrize(
    ("keys", "panel"),
    [("1", "attempts"), ("3", "errors"), ("4", "output"), ("tab", "errors"), ("4 tab", "attempts")],
)
async def test_panels_of_the_cell_screen(shown: Scratch, keys, panel):
    async with showing(shown) as pilot:
        screen = await at_cell(pilot)
        await press(pilot, *keys.split())
        assert screen.panel_in_focus == panel


# --- what it looks like ---------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("look", LOOKS)
async def test_frames_of_the_main_screen(shown: Scratch, size, look):
    async with showing(shown, size, look) as pilot:
        check(app_of(pilot), "main", look)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("look", LOOKS)
async def test_frames_of_the_cell_screen(shown: Scratch, size, look, monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    async with showing(shown, size, look) as pilot:
        screen = await at_cell(pilot)
        await until(pilot, lambda: screen.attempts.row_count > 0)
        check(app_of(pilot), "cell", look)


HOSTILE = "\x1b[2J[/][@click=app.quit]x[/] \u202eevil 日本 e\u0301 " + "long " * 2000


async def test_hostile_names_and_messages_are_text_everywhere(shown: Scratch):
    spec = shown.logs / "evalset.toml"
    name = json.dumps("mockllm/" + HOSTILE[:60], ensure_ascii=True)
    spec.write_text(spec.read_text() + f"\n[[model]]\nname = {name}\n")
    layout = Layout(shown.logs)
    async with showing(shown) as pilot:
        view = app_of(pilot).view
        await until(pilot, lambda: len(view.picture.state.cells) == 6)
        key = next(k for k, c in view.picture.state.cells.items() if "click" in c.cell.model)
        failed = jn.Failed(t=NOW, cell=key, why="stuck", message=HOSTILE)
        decide(layout, [failed, jn.Message(t=NOW, text=HOSTILE, level="error")], SystemClock())
        view.hurry()
        await until(pilot, lambda: view.picture.state.cells[key].status == "stuck")
        main(pilot).cells.go_key(key)
        for keys in ("", "enter", "escape", "i", "escape", "p", "escape", "y", "escape", "r"):
            seen = await press(pilot, *keys.split())
            assert "\x1b" not in seen
            assert "\u202e" not in seen
            assert pilot.app.is_running
        assert "[@click=app.quit]" in await press(pilot, "escape")


async def test_what_starts_a_set_at_rest_says_what_else_runs(shown: Scratch):
    layout = Layout(shown.logs)
    key = next(iter(Tail(layout).poll().cells))
    decide(layout, [jn.Failed(t=NOW, cell=key, why="stuck", message="no way")], SystemClock())
    async with showing(shown) as pilot:
        seen = await press(pilot, "r")
        assert "again now? This starts the set: 3 other cells run too." in seen
        await press(pilot, "n")
        assert app_of(pilot).view.picture.engine == "none"


async def test_a_log_in_the_trash_comes_back_with_u(shown: Scratch):
    layout = Layout(shown.logs)
    log = shown.logs / shown.log_names()[0]
    key = next(iter(Tail(layout).poll().cells))
    trash = put_away(layout, log.name)
    decide(layout, [jn.Trashed(t=NOW, cell=key, log=log.name, trash=trash)], SystemClock())
    assert not log.exists()
    async with showing(shown) as pilot:
        assert f"Bring {log.name} back from the trash?" in await press(pilot, "u")
        await press(pilot, "y")
        assert log.exists()
        await until(pilot, lambda: not app_of(pilot).view.picture.state.trashed)
        await press(pilot, "u")
        assert "no log was moved to the trash" in said(pilot)


async def test_a_file_that_was_left_out_says_why_under_the_cursor(shown: Scratch):
    (shown.folder / "zz_broken.py").write_text("from inspect_ai import task\n@task\ndef x(:\n")
    async with showing(shown, (80, 24)) as pilot:
        await press(pilot, "1")
        await until(pilot, lambda: main(pilot).tasks.row_count > 3)
        await press(pilot, "G")
        assert "zz_broken.py:3: syntax error" in said(pilot)
        await press(pilot, "space")
        assert "no task here" in said(pilot)
