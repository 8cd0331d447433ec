"""Frames of the dialogs and the further screens, in every size and look."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.screen import Screen

from evaltui.tui.dialogs.add_model import AddModelDialog
from evaltui.tui.dialogs.settings_of_set import SettingDialog
from evaltui.tui.dialogs.task_arguments import ArgumentsDialog
from evaltui.tui.dialogs.task_toggle import ToggleTasksDialog
from evaltui.tui.picture import Picture
from evaltui.tui.screens.plan import PlanScreen
from evaltui.tui.screens.results import ResultsScreen
from evaltui.tui.screens.samples import SamplesScreen
from evaltui.tui.view import View
from tests.tui.frames import LOOKS, SIZES, check
from tests.tui.sets_shown import ShownApp, opened, until
from tests.tui.test_dialogs import QUIZ, SHUFFLED
from tests.tui.test_set_views import SIX, checked, with_verdicts

pytestmark = pytest.mark.parametrize(
    ("size", "look"), [(size, look) for size in SIZES for look in LOOKS]
)


@pytest.fixture
def view(shown, monkeypatch) -> View:
    """The view under a path that is the same everywhere."""
    monkeypatch.chdir(shown.folder)
    return opened(shown, Path("logs"))


async def drawn(
    view: View,
    screen: Screen[Any],
    name: str,
    size: tuple[int, int],
    look: str,
    *,
    typed: str = "",
    ready: Callable[[Any], object] = lambda _: True,
    keys: tuple[str, ...] = (),
    after: Callable[[Any], object] = lambda _: True,
    change: Callable[[Picture], Picture] | None = None,
) -> None:
    app = ShownApp(view, screen, look, change)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        if typed:
            app.post_message(events.Paste(typed))
        await until(pilot, lambda: ready(screen), 60)
        await pilot.press(*keys)
        await until(pilot, lambda: after(screen), 60)
        await settled(pilot)
        check(app, name, look)


async def settled(pilot: Pilot[Any]) -> None:
    for _ in range(3):
        await pilot.pause()


async def test_add_model(view, size, look):
    dialog = AddModelDialog(view, wanted=1, environ={})
    await drawn(
        view, dialog, "add_model", size, look,
        typed="openai/gpt-5", ready=lambda d: d.settled,
    )  # fmt: skip


async def test_completions(view, size, look):
    dialog = AddModelDialog(view, favourites=("openai/o5", "openai/o5-mini"), environ={})
    await drawn(
        view, dialog, "completions", size, look,
        typed="openai/", ready=lambda d: d.text("name") == "openai/", keys=("tab",),
        after=lambda d: d.settled and d.change.models[0].name == "openai/o5",
    )  # fmt: skip


async def test_epochs(view, size, look):
    dialog = SettingDialog(view, "epochs")
    await drawn(
        view,
        dialog,
        "epochs",
        size,
        look,
        typed="3",
        ready=lambda d: d.settled and d.change.settings["epochs"],
    )


async def test_a_bad_threshold(view, size, look):
    dialog = SettingDialog(view, "fail_on_error")
    await drawn(
        view, dialog, "bad_threshold", size, look,
        typed="0", ready=lambda d: d.lines[0].complaint,
    )  # fmt: skip


async def test_arguments_with_a_sweep(view, size, look):
    dialog = ArgumentsDialog(view, QUIZ)
    await drawn(
        view, dialog, "arguments", size, look,
        typed="3, 4", ready=lambda d: d.settled and d.change.tasks[0].sweep,
    )  # fmt: skip


async def test_a_task_to_add(view, size, look):
    dialog = ToggleTasksDialog(view, [SHUFFLED])
    await drawn(
        view, dialog, "add_task", size, look, ready=lambda d: d.settled, keys=("right",)
    )  # fmt: skip


async def test_plan(view, size, look):
    screen = PlanScreen(view, lambda _: None)
    await drawn(view, screen, "plan", size, look, keys=("down",), change=checked)


async def test_samples(view, size, look):
    screen = SamplesScreen(view, view.picture.cells[0].key)
    six = with_verdicts(*(replace_long(verdict) for verdict in SIX))
    await drawn(
        view, screen, "samples", size, look,
        ready=lambda s: s.table is not None, keys=("n",), change=six,
    )  # fmt: skip


def replace_long(verdict: Any) -> Any:
    """The hostile id is tried elsewhere; ten thousand letters make no frame to review."""
    from msgspec.structs import replace as changed

    return changed(verdict, id=str(verdict.id)[:40])


async def test_results(view, size, look):
    screen = ResultsScreen(view)
    await drawn(view, screen, "results", size, look, ready=lambda s: s.rows)
