"""Dialogs that change the set: taken, left, and bad input, on the view of a real directory."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from msgspec.structs import replace
from textual import events
from textual.pilot import Pilot

from evaltui.discovery import Param, TaskInfo
from evaltui.logs.layout import Layout
from evaltui.spec import Amendment, ModelEntry, TaskEntry, read_spec
from evaltui.spec_edit import amend_spec
from evaltui.tui.dialogs.add_model import AddModelDialog
from evaltui.tui.dialogs.amending import AmendingDialog
from evaltui.tui.dialogs.settings_of_set import SettingDialog
from evaltui.tui.dialogs.task_arguments import ArgumentsDialog
from evaltui.tui.dialogs.task_toggle import ToggleTasksDialog
from evaltui.tui.runs import joined
from evaltui.tui.view import View
from evaltui.tui.widgets.block import Block
from tests.sets import Scratch
from tests.tui.frames import frame
from tests.tui.sets_shown import ShownApp, opened, until

HOSTILE = "[/][@click=app.quit]x[/]\x1b[31m\u202egnp 漢字"
QUIZ = TaskInfo(
    "counted.py",
    "counted",
    params=(
        Param("n", "int", default=6),
        Param("sleep", "float", default=0.0),
        Param("x", "int", default=0),
    ),
)
HEAVY = TaskInfo("counted.py", "counted_heavy")
SHUFFLED = TaskInfo("shuffled.py", "shuffled", params=(Param("n", "int", default=20),))
NEEDY = TaskInfo("needy.py", "needy", params=(Param("name", "str", required=True),))


class Asked:
    """A dialog being asked, in an app of its own."""

    def __init__(self, app: ShownApp, pilot: Pilot[Any], dialog: AmendingDialog) -> None:
        self.app, self.pilot, self.dialog = app, pilot, dialog

    async def type(self, text: str) -> None:
        """The first letter by its key, the rest in one go, as a terminal pastes it."""
        if text:
            await self.pilot.press({" ": "space"}.get(text[0], text[0]))
        if text[1:]:
            self.app.post_message(events.Paste(text[1:]))
            await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def foreseen(self) -> None:
        """Wait until the effect of what is typed is known."""
        await until(self.pilot, lambda: self.dialog.settled)

    @property
    def said(self) -> str:
        """All that stands in the dialog but the texts typed."""
        blocks = self.dialog.query(Block)
        return "\n".join(joined(line) for block in blocks for line in block.lines)

    @property
    def told(self) -> str:
        """The message line."""
        return joined(self.dialog.message_line._said)

    @property
    def returned(self) -> list[Any]:
        return self.app.returned


@asynccontextmanager
async def asked(
    shown: Scratch, make: Callable[[View], AmendingDialog], size: tuple[int, int] = (120, 35)
) -> AsyncIterator[Asked]:
    view = opened(shown)
    dialog = make(view)
    app = ShownApp(view, dialog)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield Asked(app, pilot, dialog)


def add_model(**options: Any) -> Callable[[View], AmendingDialog]:
    return lambda view: AddModelDialog(view, **{"environ": {}, **options})


def setting(key: str) -> Callable[[View], AmendingDialog]:
    return lambda view: SettingDialog(view, key)


# --- add model ------------------------------------------------------------------------------------


async def test_a_model_is_added_with_its_options(shown):
    async with asked(shown, add_model(environ={"OPENAI_API_KEY": "k"})) as ask:
        await ask.type("openai/gpt-5")
        await ask.press("down")
        await ask.type("temperature=0.5")
        await ask.foreseen()
        assert "2 new" in ask.said
        assert "API key" not in ask.said
        await ask.press("enter")
        await until(ask.pilot, lambda: ask.returned)
    entry = ModelEntry("openai/gpt-5", {"temperature": 0.5})
    assert ask.returned == [Amendment(models=(entry,))]


async def test_what_a_model_adds_and_costs_is_told_by_the_logs_of_the_others(shown):
    async with asked(shown, add_model()) as ask:
        await ask.type("openai/gpt-5")
        await ask.foreseen()
        effect = ask.dialog.effect
        assert effect is not None
        assert (effect.before.cells, effect.after.cells) == (4, 6)
        assert (effect.before.samples, effect.after.samples) == (24, 36)
        assert effect.more_to_run == 12
        assert effect.tokens == 12 * 1240
        assert "no API key here: OPENAI_API_KEY is not set" in ask.said
        assert "going by mockllm/alpha, mockllm/beta" in ask.said
        assert "--model openai/gpt-5" in ask.said


async def test_an_empty_field_says_what_belongs_in_it(shown):
    async with asked(shown, add_model()) as ask:
        assert "provider/name; Tab completes" in frame(ask.app)
        await ask.type("o")
        assert "provider/name; Tab completes" not in frame(ask.app)


async def test_esc_leaves_without_a_model(shown):
    before = (shown.logs / "evalset.toml").read_bytes()
    async with asked(shown, add_model()) as ask:
        await ask.type("openai/gpt-5")
        await ask.press("escape")
        await until(ask.pilot, lambda: ask.returned)
    assert ask.returned == [None]
    assert (shown.logs / "evalset.toml").read_bytes() == before


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("", "name a model"),
        ("gpt-5", "such as openai/gpt-5"),
        ("openai/", "lacks a part"),
    ],
)
async def test_a_bad_name_is_said_under_its_field_and_nothing_is_taken(shown, typed, says):
    async with asked(shown, add_model()) as ask:
        await ask.type(typed)
        await ask.press("enter")
        await ask.pilot.pause()
        assert says in ask.said
        assert ask.returned == []
        await ask.press("a")
        await ask.pilot.pause()
        assert says not in ask.said, "typing on takes the complaint away"


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("opnai/g", "there is no provider 'opnai' here; did you mean 'openai'?"),
        ("OpenAI/gpt-5", "did you mean 'openai'?"),
        ("housemade/x", "install the package that brings it"),
        ("openai/gpt 5", "no spaces"),
    ],
)
async def test_a_name_that_no_model_can_have_is_said_before_the_form_is_taken(shown, typed, says):
    async with asked(shown, add_model()) as ask:
        await ask.type(typed)
        await until(ask.pilot, lambda: says in ask.dialog.line("name").complaint)
        assert ask.dialog.change is None
        await ask.press("enter")
        await ask.pilot.pause()
        assert ask.returned == []


async def test_a_name_that_nobody_has_seen_is_taken_with_a_note(shown):
    variables = {"OPENAI_API_KEY": "k"}
    async with asked(shown, add_model(environ=variables, favourites=("openai/o5",))) as ask:
        await ask.type("openai/o5")
        await ask.foreseen()
        assert "only a call tells" not in ask.said
        await ask.press("x")
        await ask.foreseen()
        assert "no log here has this model: only a call tells" in ask.said
        await ask.press("enter")
        await until(ask.pilot, lambda: ask.returned)
    assert ask.returned == [Amendment(models=(ModelEntry("openai/o5x"),))]


@pytest.mark.parametrize("text", ["api_key=sk-1", "temperature=0, api-key = sk-1"])
async def test_a_key_is_refused_with_the_variable_it_belongs_in(shown, text):
    async with asked(shown, add_model()) as ask:
        await ask.type("openai/gpt-5")
        await ask.press("down")
        await ask.type(text)
        await ask.press("enter")
        await ask.pilot.pause()
        assert "set OPENAI_API_KEY in the environment or in .env" in ask.said
        assert "sk-1" not in ask.said
        assert ask.returned == []


@pytest.mark.parametrize("kind", [add_model(), setting("epochs"), setting("limit")])
async def test_a_paste_of_ten_thousand_letters_is_one_complaint_and_changes_nothing(shown, kind):
    before = (shown.logs / "evalset.toml").read_bytes()
    async with asked(shown, kind, (80, 24)) as ask:
        await ask.type("é漢" * 5000)
        await ask.press("enter")
        await ask.pilot.pause()
        complaint = ask.dialog.lines[0].complaint
        assert 0 < len(complaint) <= 160
        assert "⏎ accept" in frame(ask.app), "the box stays within the screen"
        await ask.press("escape")
        await until(ask.pilot, lambda: ask.returned)
    assert ask.returned == [None]
    assert (shown.logs / "evalset.toml").read_bytes() == before


async def test_a_bad_option_is_said_under_its_field_while_typing(shown):
    async with asked(shown, add_model()) as ask:
        await ask.type("mockllm/gamma")
        await ask.press("down")
        await ask.type("temprature=1")
        await until(ask.pilot, lambda: "did you mean 'temperature'" in ask.said)
        await ask.press("enter")
        await ask.pilot.pause()
        assert ask.returned == []
        assert ask.dialog.focused is ask.dialog.line("config").field


async def test_a_model_that_is_there_already_changes_nothing(shown):
    async with asked(shown, add_model()) as ask:
        await ask.type("mockllm/alpha")
        await ask.foreseen()
        await ask.press("enter")
        await ask.pilot.pause()
        assert "Nothing would change" in ask.told
        assert ask.returned == []


async def test_tab_completes_and_goes_through_what_there_is(shown):
    async with asked(shown, add_model(favourites=("openai/o5", "openai/o5-mini"))) as ask:
        await ask.type("openai/")
        assert "openai/o5-mini" in ask.said
        await ask.press("tab")
        assert ask.dialog.text("name") == "openai/o5"
        await ask.press("tab")
        assert ask.dialog.text("name") == "openai/o5-mini"
        await ask.press("tab")
        assert ask.dialog.focused is ask.dialog.line("config").field
        await ask.press("shift+tab")
        assert ask.dialog.focused is ask.dialog.line("name").field


async def test_a_model_for_some_tasks_is_said_to_go_to_all(shown):
    async with asked(shown, add_model(wanted=1)) as ask:
        await ask.type("mockllm/gamma")
        await ask.foreseen()
        assert "A set runs every model on every task" in ask.said


async def test_hostile_text_is_shown_as_text(shown):
    async with asked(shown, add_model(favourites=("openai/" + HOSTILE,))) as ask:
        await ask.type("openai/")
        await ask.pilot.pause()
        screen = frame(ask.app)
        assert "[/][@click=app.quit]x[/]␛[31m<U+202E>gnp" in screen
        assert "\x1b" not in screen
        await ask.press("escape")


# --- epochs, limit, threshold ---------------------------------------------------------------------


async def test_more_epochs_show_what_they_cost_before_anything_is_saved(shown):
    before = (shown.logs / "evalset.toml").read_bytes()
    async with asked(shown, setting("epochs")) as ask:
        await ask.type("3")
        await ask.foreseen()
        effect = ask.dialog.effect
        assert effect is not None
        assert (effect.before.samples, effect.after.samples) == (24, 72)
        assert (effect.before.kept, effect.after.kept) == (14, 14)
        assert effect.more_to_run == 48
        assert (shown.logs / "evalset.toml").read_bytes() == before
        await ask.press("enter")
        await until(ask.pilot, lambda: ask.returned)
    assert ask.returned == [Amendment(settings={"epochs": 3})]
    assert (shown.logs / "evalset.toml").read_bytes() == before


async def test_a_limit_leaves_samples_out_and_removes_nothing(shown):
    async with asked(shown, setting("limit")) as ask:
        await ask.type("2-3")
        await ask.foreseen()
        effect = ask.dialog.effect
        assert effect is not None
        assert (effect.before.samples, effect.after.samples) == (24, 8)
        assert effect.after.kept == 6
        assert "not asked for then, and stay in their logs" in ask.said
        await ask.press("enter")
        await until(ask.pilot, lambda: ask.returned)
    assert ask.returned == [Amendment(settings={"limit": (1, 3)})]


async def test_a_threshold_is_said_in_plain_numbers(shown):
    async with asked(shown, setting("fail_on_error")) as ask:
        assert ask.dialog.text("fail_on_error") == "0.5"
        await ask.type("20%")
        await ask.foreseen()
        assert ask.dialog.text("fail_on_error") == "20%", "the first key replaces what was there"
        assert "4 cells of 6 samples: fails at the 2nd (more than 20% of 6)" in ask.said
        await ask.press("enter")
        await until(ask.pilot, lambda: ask.returned)
    assert ask.returned == [Amendment(settings={"fail_on_error": 0.2})]


async def test_an_empty_field_takes_the_setting_out(shown):
    async with asked(shown, setting("fail_on_error")) as ask:
        assert frame(ask.app).count("empty: as each task says") == 1
        await ask.press("ctrl+u")
        await ask.foreseen()
        assert frame(ask.app).count("empty: as each task says") == 1, "said in the field then"
        assert "evalset.toml without fail_on_error" in ask.said
        await ask.press("enter")
        await until(ask.pilot, lambda: ask.returned)
    assert ask.returned == [Amendment(settings={"fail_on_error": None})]


@pytest.mark.parametrize(
    ("key", "typed", "says"),
    [
        ("epochs", "0", "must be 1 or more"),
        ("epochs", "many", "must be a whole number"),
        ("limit", "5-2", "holds no sample"),
        ("fail_on_error", "0", "is unclear"),
        ("fail_on_error", "-2", "must be above 0"),
    ],
)
async def test_a_bad_setting_is_said_under_its_field_and_nothing_is_taken(shown, key, typed, says):
    async with asked(shown, setting(key)) as ask:
        await ask.type(typed)
        await until(ask.pilot, lambda: says in ask.said)
        assert ask.dialog.effect is None
        await ask.press("enter")
        await ask.pilot.pause()
        assert ask.returned == []
        await ask.press("escape")
        await until(ask.pilot, lambda: ask.returned)
    assert ask.returned == [None]


async def test_the_same_setting_again_changes_nothing(shown):
    async with asked(shown, setting("fail_on_error")) as ask:
        await ask.foreseen()
        await ask.press("enter")
        await ask.pilot.pause()
        assert "Nothing would change" in ask.told
        assert ask.returned == []


# --- tasks ----------------------------------------------------------------------------------------


async def test_a_task_comes_in_behind_a_safe_choice(shown):
    async with asked(shown, lambda view: ToggleTasksDialog(view, [SHUFFLED])) as ask:
        await ask.foreseen()
        assert "2 new" in ask.said
        assert "the size of 2 cells is not known until the task is loaded" in ask.said
        await ask.press("right", "enter")
        await until(ask.pilot, lambda: ask.returned)
    assert ask.returned == [Amendment(tasks=(TaskEntry("shuffled.py", "shuffled"),))]


async def test_enter_alone_takes_no_task_in(shown):
    async with asked(shown, lambda view: ToggleTasksDialog(view, [SHUFFLED])) as ask:
        await ask.foreseen()
        await ask.press("enter")
        await until(ask.pilot, lambda: ask.returned)
    assert ask.returned == [None]


async def test_a_task_of_a_whole_file_goes_out_and_the_other_stays(shown):
    async with asked(shown, lambda view: ToggleTasksDialog(view, [QUIZ])) as ask:
        ask.app.view.find_tasks()
        await until(ask.pilot, lambda: ask.app.view.picture.found is not None)
        ask.dialog.on_mount()
        await ask.foreseen()
        assert "2 leave the set" in ask.said
        assert "logs stay, as those of no cell" in ask.said
        await ask.press("right", "enter")
        await until(ask.pilot, lambda: ask.returned)
    assert ask.returned == [
        Amendment(
            tasks=(TaskEntry("counted.py", "counted_heavy"),),
            drop_tasks=(TaskEntry("counted.py"),),
        )
    ]


async def test_the_form_of_a_task_in_the_set_changes_its_entry(shown):
    spec = shown.logs / "evalset.toml"
    amend_spec(Layout(shown.logs), Amendment(
        tasks=(TaskEntry("counted.py", "counted", {"n": 4}, {"x": [1, 2]}),
               TaskEntry("counted.py", "counted", {"n": 5})),
        drop_tasks=(TaskEntry("counted.py"),),
    ))  # fmt: skip
    async with asked(shown, lambda view: ArgumentsDialog(view, QUIZ)) as ask:
        await ask.foreseen()
        assert "changes entry 1 of 2; ctrl+n: the next" in frame(ask.app)
        assert [ask.dialog.text(key) for key in ("n", "sleep", "x")] == ["4", "", "1, 2"]
        await ask.press("ctrl+n")
        assert "changes entry 2 of 2; ctrl+n: a new one" in frame(ask.app)
        assert [ask.dialog.text(key) for key in ("n", "sleep", "x")] == ["5", "", ""]
        await ask.press("enter")
        await until(ask.pilot, lambda: "Nothing would change" in ask.told)
        await ask.press("backspace", "3")
        await ask.foreseen()
        assert "2 new; 2 leave the set; their logs stay" in ask.said
        await ask.press("enter")
        await until(ask.pilot, lambda: ask.returned)
        ask.app.view.amend(ask.returned[0])
    assert read_spec(spec).tasks == (
        TaskEntry("counted.py", "counted", {"n": 4}, {"x": [1, 2]}),
        TaskEntry("counted.py", "counted", {"n": 3}),
    )


async def test_a_task_of_a_whole_file_gets_an_entry_of_its_own_beside_the_others(shown):
    async with asked(shown, lambda view: ArgumentsDialog(view, QUIZ)) as ask:
        assert "changes its entry; ctrl+n: a new one" in frame(ask.app)
        await ask.type("3")
        await ask.foreseen()
        await ask.press("enter")
        await until(ask.pilot, lambda: ask.returned)
    change = ask.returned[0]
    assert change.drop_tasks == (TaskEntry("counted.py"),)
    assert change.tasks[0] == TaskEntry("counted.py", "counted", {"n": 3})
    assert TaskEntry("counted.py", "counted_heavy") in change.tasks


async def test_arguments_make_an_entry_with_a_sweep(shown):
    async with asked(shown, lambda view: ArgumentsDialog(view, QUIZ)) as ask:
        await ask.press("ctrl+n")
        assert "a new entry" in frame(ask.app)
        await ask.type("3, 4")
        await ask.press("down", "down")
        await ask.type("7")
        await ask.foreseen()
        assert "sweep of 2: a cell for each, on each model" in ask.said
        assert "4 new" in ask.said
        await ask.press("enter")
        await until(ask.pilot, lambda: ask.returned)
    entry = TaskEntry("counted.py", "counted", {"x": 7}, {"n": [3, 4]})
    assert ask.returned == [Amendment(tasks=(entry,))]


async def test_a_missing_argument_is_asked_for_when_the_form_is_taken(shown):
    async with asked(shown, lambda view: ArgumentsDialog(view, NEEDY)) as ask:
        await ask.pilot.pause()
        assert "needs name" not in ask.said
        await ask.press("enter")
        await ask.pilot.pause()
        assert "needy needs name: it has no default" in ask.said
        assert ask.returned == []
        await ask.press("escape")
        await until(ask.pilot, lambda: ask.returned)
    assert ask.returned == [None]


async def test_a_wrong_argument_is_said_at_its_own_field(shown):
    async with asked(shown, lambda view: ArgumentsDialog(view, QUIZ)) as ask:
        await ask.type("six")
        await until(ask.pilot, lambda: "n must be int, not 'six'" in ask.said)
        await ask.press("enter")
        await ask.pilot.pause()
        assert ask.returned == []


async def test_a_task_without_parameters_is_added_as_it_is(shown):
    plain = replace(SHUFFLED, params=())
    async with asked(shown, lambda view: ArgumentsDialog(view, plain)) as ask:
        await ask.type("x")
        await until(ask.pilot, lambda: "takes no arguments" in ask.said)
        await ask.press("backspace")
        await ask.foreseen()
        await ask.press("enter")
        await until(ask.pilot, lambda: ask.returned)
    assert ask.returned == [Amendment(tasks=(TaskEntry("shuffled.py", "shuffled"),))]


async def test_two_cells_of_one_key_are_refused_with_both_entries_named(shown):
    spec = read_spec(shown.logs / "evalset.toml")
    twin = Amendment(models=(ModelEntry("mockllm/alpha", base_url="http://elsewhere"),))
    async with asked(shown, add_model()) as ask:
        assert len(spec.models) == 2
        ask.dialog.propose(twin)
        await ask.foreseen()
        ask.dialog.accept()
        await ask.pilot.pause()
        assert "are one cell" in ask.told
        assert ask.returned == []


@pytest.mark.parametrize("size", [(80, 22), (60, 16)])
async def test_what_a_form_has_no_room_for_is_counted_within_its_frame(shown, size):
    async with asked(shown, lambda view: ArgumentsDialog(view, QUIZ), size) as ask:
        await ask.type("3")
        await ask.press("down")
        await ask.type("1, 2")
        await ask.foreseen()
        lines = frame(ask.app).splitlines()[: size[1]]
        assert sum("┏" in line for line in lines) == sum("┗" in line for line in lines) == 1
        inside = "\n".join(lines[: next(n for n, line in enumerate(lines) if "┗" in line)])
        assert "sleep  1, 2" in inside
        assert "4 new; 2 leave the set" in inside
        assert "more lines" in inside, "what is left out is said"


@pytest.mark.parametrize("size", [(120, 35), (60, 16)])
async def test_of_more_fields_than_there_is_room_for_the_one_with_the_keys_is_in_sight(shown, size):
    many = replace(QUIZ, params=tuple(Param(f"p{n}", "int", default=n) for n in range(20)))
    async with asked(shown, lambda view: ArgumentsDialog(view, many), size) as ask:
        await ask.foreseen()
        await ask.press(*["down"] * 15)
        await until(ask.pilot, lambda: "p15" in frame(ask.app))
        await ask.press("x", "enter")
        await ask.press(*["up"] * 15)
        await until(ask.pilot, lambda: "p0 " in frame(ask.app))
        await ask.press("enter")
        await until(ask.pilot, lambda: "p15 must be int" in frame(ask.app))


async def test_a_choice_stays_in_sight_in_a_small_terminal(shown):
    toggle = lambda view: ToggleTasksDialog(view, [SHUFFLED, HEAVY, NEEDY])  # noqa: E731
    async with asked(shown, toggle, (60, 16)) as ask:
        await ask.foreseen()
        lines = frame(ask.app).splitlines()[:16]
        assert "Cancel" in lines[next(n for n, line in enumerate(lines) if "┗" in line) - 1]


@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
async def test_a_dialog_fits_a_small_terminal(shown, size):
    async with asked(shown, add_model(wanted=1), size) as ask:
        await ask.type("openai/gpt-5")
        await ask.foreseen()
        lines = frame(ask.app).splitlines()[: size[1]]
        assert any("Add model" in line for line in lines)
        assert any("openai/gpt-5" in line for line in lines)
