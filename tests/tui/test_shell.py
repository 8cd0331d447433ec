"""Keys become actions, actions say why they are off, and questions have a safe answer."""

import pytest
from textual import events

from evaltui.text import ASCII, UNICODE
from evaltui.tui.action_table import ACTIONS
from evaltui.tui.actions import keymap
from evaltui.tui.screens.dialog import ListDialog
from evaltui.tui.widgets.field import Field
from evaltui.tui.widgets.filter_line import FilterLine
from evaltui.tui.widgets.hint_bar import HintBar
from tests.tui.frames import LOOKS, SIZES, check, frame, manners, watch_tokens
from tests.tui.sample_app import SampleApp

KEYS = keymap(ACTIONS)[0]


def app(
    rows: int = 12, look: str = "dark", chosen: dict[str, list[str]] | None = None
) -> SampleApp:
    return SampleApp(manners(look), keymap(ACTIONS, chosen or {})[0], rows)


def said(sample: SampleApp) -> str:
    return "".join(text for text, _ in sample.sample.message_line._said)


def line_text(widget: HintBar | Field) -> str:
    return "".join(segment.text for segment in widget.line(0, widget.size.width))


# Actions


async def test_an_action_that_is_off_says_why_and_does_nothing():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("s")
        assert said(pilot.app) == "resume: the set is running"
        assert "set.resume" not in pilot.app.done


async def test_the_users_key_does_what_they_said():
    async with app(chosen={"go.down": ["t"]}).run_test(size=(120, 35)) as pilot:
        await pilot.press("t", "t", "j")
        assert pilot.app.grid.at.row == 2


async def test_a_hint_that_is_clicked_acts():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.click(HintBar, offset=(2, 0))
        assert said(pilot.app) == "open swe_bench_00000"


@pytest.mark.parametrize(("width", "last"), [(120, "h hold"), (80, "e epochs"), (60, "i inspect")])
async def test_hints_that_have_no_room_go_but_help_stays(width, last):
    async with app().run_test(size=(width, 24)) as pilot:
        text = line_text(pilot.app.sample.query_one(HintBar))
        assert len(text) == width
        assert text.rstrip().endswith("? help")
        assert last in text


# Questions


@pytest.mark.parametrize(("key", "done"), [("y", True), ("Y", True)] + [
    (key, False) for key in ("n", "N", "escape", "enter", "q", "ctrl+c")
])  # fmt: skip
async def test_only_yes_means_yes(key, done):
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("x")
        assert pilot.app.sample.message_line.asking
        assert "cell.cancel" not in pilot.app.done
        await pilot.press(key)
        assert ("cell.cancel" in pilot.app.done) is done
        assert not pilot.app.sample.message_line.asking
        assert pilot.app.focused is pilot.app.grid


async def test_a_question_that_is_too_long_still_says_how_to_answer():
    async with app().run_test(size=(80, 24)) as pilot:
        line = pilot.app.sample.message_line
        line.ask((("Is this so? " * 9, "text"),), lambda yes: None)
        for width in (80, 40):
            said = "".join(segment.text for segment in line.line(0, width))
            assert said.endswith("…  y yes  N no")
            assert len(said) == width


async def test_while_it_asks_no_other_key_does_anything():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("x", "j", "h", "slash", "tab", "2")
        assert pilot.app.grid.at.row == 0
        assert pilot.app.done == []
        assert pilot.app.sample.message_line.asking


async def test_a_question_stays_while_one_looks_at_another_window():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("x")
        pilot.app.post_message(events.AppBlur())
        await pilot.pause()
        pilot.app.post_message(events.AppFocus())
        await pilot.pause()
        assert pilot.app.sample.message_line.asking
        await pilot.press("y")
        assert pilot.app.done == ["cell.cancel"]


async def test_a_second_question_answers_the_first_with_no():
    async with app().run_test(size=(120, 35)) as pilot:
        answers: list[bool] = []
        line = pilot.app.sample.message_line
        line.ask((("first?", "warn"),), answers.append)
        line.ask((("second?", "warn"),), answers.append)
        assert answers == [False]
        await pilot.press("y")
        assert answers == [False, True]


async def test_a_message_waits_behind_a_question():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("x")
        pilot.app.say((("something happened", "info"),))
        shown = pilot.app.sample.message_line.line(0, 80)
        assert "cancel?" in "".join(segment.text for segment in shown)
        await pilot.press("y")
        shown = pilot.app.sample.message_line.line(0, 80)
        assert "something happened" in "".join(segment.text for segment in shown)


async def test_a_click_elsewhere_is_no():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("x")
        await pilot.click("#cells", offset=(5, 5))
        assert not pilot.app.sample.message_line.asking
        assert pilot.app.done == []


# The filter


async def test_typing_a_filter_narrows_the_list_at_once():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("slash", *"err>2")
        assert pilot.app.grid.row_count == 3
        await pilot.press("enter")
        assert pilot.app.focused is pilot.app.grid
        assert pilot.app.grid.row_count == 3
        assert pilot.app.sample.query_one(FilterLine).display


async def test_escape_takes_the_filter_away():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("slash", *"err>2", "escape")
        assert pilot.app.grid.row_count == 12
        assert not pilot.app.sample.query_one(FilterLine).display
        assert pilot.app.focused is pilot.app.grid


async def test_keys_are_letters_in_a_field():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("slash", *"qxs2?")
        assert pilot.app.sample.query_one(Field).text == "qxs2?"
        assert pilot.app.done == ["list.filter"]


async def test_a_wrong_filter_is_shown_under_the_text_and_the_list_stays():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("slash", *"err>2 modle:x")
        assert pilot.app.grid.row_count == 3
        below = pilot.app.sample.query_one("_Below")
        text = "".join(segment.text for segment in below.line(0, 120))
        assert text.startswith("         ^^^^^ no attribute 'modle' here; did you mean 'model'?")
        await pilot.press(*["backspace"] * 7)
        assert not below.display


async def test_tab_completes_names_and_values():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("slash", *"mo", "tab", *"ope", "tab")
        field = pilot.app.sample.query_one(Field)
        assert field.text == "model:openai/gpt-"
        below = pilot.app.sample.query_one("_Below")
        assert below.display
        assert "openai/gpt-3" in "".join(segment.text for segment in below.line(0, 120))
        await pilot.press("3", "tab")
        assert field.text == "model:openai/gpt-3"
        assert pilot.app.grid.row_count == 2


async def test_what_is_pasted_is_text():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("slash")
        field = pilot.app.sample.query_one(Field)
        field.post_message(events.Paste("a\x1b[31m[/]\nsecond line"))
        await pilot.pause()
        assert field.text == "a\x1b[31m[/]"
        assert "a␛[31m[/]" in line_text(field)


async def test_a_click_puts_the_cursor_into_the_text():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("slash", *"abcdef")
        field = pilot.app.sample.query_one(Field)
        await pilot.click(Field, offset=(3 + 2, 0))
        await pilot.press("X")
        assert field.text == "abXcdef"
        await pilot.click(Field, offset=(60, 0))
        await pilot.press("Y")
        assert field.text == "abXcdefY"


# Help and palette


async def test_help_lists_the_keys_of_the_place_and_why_one_is_off():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("question_mark")
        dialog = pilot.app.screen
        assert isinstance(dialog, ListDialog)
        off = {entry.key: entry.off for entry in dialog._entries}
        assert off["set.resume"] == "the set is running"
        assert off["cell.cancel"] is None
        assert "go.down" in off
        assert "task.toggle" not in off
        await pilot.press("escape")
        assert pilot.app.focused is pilot.app.grid


async def test_enter_in_the_help_runs_the_entry_where_one_was():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("question_mark", *"half page down", "enter")
        await pilot.pause()
        assert pilot.app.grid.at.row > 0
        assert pilot.app.done[-1] == "go.page_down"


async def test_an_entry_that_is_off_says_why_and_the_list_stays():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("question_mark", *"set.resume", "enter")
        assert isinstance(pilot.app.screen, ListDialog)
        said_there = pilot.app.screen.message_line._said
        assert said_there == (("resume: the set is running", "warn"),)


@pytest.mark.parametrize("look", ["dark", "ascii"])
async def test_the_help_ends_in_what_the_signs_mean(look):
    glyphs = ASCII if look == "ascii" else UNICODE
    async with app(look=look).run_test(size=(120, 35)) as pilot:
        await pilot.press("question_mark", *"sign")
        seen = frame(pilot.app)
        for sign in ("bar_kept", "bar_done", "complete", "failed", "running", "queued", "rerun",
                     "cancelled", "held", "changed", "kept", "new"):  # fmt: skip
            assert getattr(glyphs, sign) in seen
        for name in ("kept", "done", "runs again", "held", "changed"):
            assert name in seen
        await pilot.press(*" held", "enter")
        assert "this is a sign" in frame(pilot.app)
        assert len(pilot.app.screen_stack) == 2


async def test_the_palette_finds_by_scattered_letters_and_acts():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("colon", *"opn", "enter")
        await pilot.pause()
        assert said(pilot.app) == "open swe_bench_00000"


async def test_the_palette_leaves_moving_to_the_keys():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("ctrl+p")
        keys = [entry.key for entry in pilot.app.screen._entries]
        assert not [key for key in keys if key.startswith("go.")]
        assert keys.index("list.filter") < keys.index("set.resume")


async def test_arrows_move_in_the_list_while_one_types():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("colon", "down", "down", "up")
        assert pilot.app.screen.grid.at.row == 1
        await pilot.press("pagedown")
        assert pilot.app.screen.grid.at.row > 5
        await pilot.press("pageup", "pageup")
        assert pilot.app.screen.grid.at.row == 0


async def test_nothing_found_is_said():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("colon", *"zzzzz", "enter")
        assert isinstance(pilot.app.screen, ListDialog)
        assert pilot.app.screen.grid.row_count == 0


# Looks


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("size", SIZES)
async def test_frames_of_the_help(size, look):
    sample = app(look=look)
    watch_tokens(sample)
    async with sample.run_test(size=size) as pilot:
        await pilot.press("question_mark", *"set")
        await pilot.pause()
        check(sample, "help", look)


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("size", SIZES)
async def test_frames_of_a_question_and_a_wrong_filter(size, look):
    sample = app(look=look)
    watch_tokens(sample)
    async with sample.run_test(size=size) as pilot:
        await pilot.press("slash", *"gpt zzz:1", "enter", "x")
        await pilot.pause()
        check(sample, "question", look)


async def test_another_theme_is_used_at_once():
    from evaltui import themes
    from evaltui.tui.look import Look

    async with app().run_test(size=(80, 24)) as pilot:
        pilot.app.use_look(Look(themes.load("light")))
        await pilot.pause()
        assert pilot.app.theme == "evaltui-light"
        assert str(pilot.app.screen.styles.background.hex).lower() == "#fbfbf9"
        style = pilot.app.grid.line(2, 80)[2].style
        assert style.bgcolor.triplet.hex == "#dbe6ef"


async def test_without_colour_no_colour_is_drawn(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    async with app(look="mono").run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        update = pilot.app.screen._compositor.render_update(
            full=True, screen_stack=pilot.app._background_screens
        )
        colours = {
            colour
            for strips in update.strips
            for strip in strips
            for segment in strip
            if segment.style
            for colour in (segment.style.color, segment.style.bgcolor)
            if colour is not None and not colour.is_default
        }
        assert colours == set()


# Typing fast


async def test_what_is_typed_fast_goes_where_it_is_meant():
    async with app().run_test(size=(120, 35)) as pilot:
        for key in ("slash", *"err>2", "enter", "j", "slash", "escape", "j"):
            pilot.app.simulate_key(key)
        await pilot.pause()
        await pilot.pause()
        assert "set.epochs" not in pilot.app.done
        assert pilot.app.focused is pilot.app.grid
        assert pilot.app.done.count("go.down") == 2


async def test_what_is_typed_while_a_dialog_opens_is_for_the_dialog():
    async with app().run_test(size=(120, 35)) as pilot:
        for key in ("colon", *"epochs"):
            pilot.app.simulate_key(key)
        await pilot.pause()
        await pilot.pause()
        dialog = pilot.app.screen
        assert isinstance(dialog, ListDialog)
        assert dialog.query_one(Field).text == "epochs"
        assert pilot.app.done == ["view.palette"]


async def test_enter_takes_what_was_typed_before_it():
    async with app().run_test(size=(120, 35)) as pilot:
        for key in ("colon", *"open", "enter", "j"):
            pilot.app.simulate_key(key)
        await pilot.pause()
        await pilot.pause()
        assert "open" in pilot.app.done
        assert pilot.app.grid.at.row == 1


async def test_a_dialog_that_is_answered_twice_closes_once():
    async with app().run_test(size=(120, 35)) as pilot:
        await pilot.press("question_mark")
        dialog = pilot.app.screen
        dialog.do_back()
        dialog.do_back()
        await pilot.pause()
        assert pilot.app.screen is pilot.app.sample
