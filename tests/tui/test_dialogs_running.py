"""Dialogs on a set that runs: what costs at once is asked about, and the engine takes it up."""

import pytest

from evaltui.logs.layout import Layout
from evaltui.spec import Amendment, ModelEntry, read_spec
from evaltui.tui.dialogs.add_model import AddModelDialog
from evaltui.tui.dialogs.settings_of_set import SettingDialog
from evaltui.tui.view import View
from tests.engines import Minded, minded, write_spec
from tests.sets import Scratch
from tests.tui.sets_shown import ShownApp, until
from tests.tui.test_dialogs import Asked

pytestmark = pytest.mark.slow

SLOW = 'name = "counted"\nargs = { n = 4, sleep = 60 }'


def begun(run: Minded) -> None:
    run.until(
        lambda s: any(c.progress and c.progress.busy for c in s.cells.values()), "samples that run"
    )


async def ask(cases: Scratch, run: Minded, make, use) -> Asked:
    """A dialog asked while the set runs."""
    view = View(cases.logs, cases.folder)
    view.open()
    app = ShownApp(view, make(view))
    async with app.run_test(size=(120, 35)) as pilot:
        await until(pilot, lambda: view.picture.engine == "elsewhere" and view.picture.plan)
        asked = Asked(app, pilot, app.shown)
        await use(asked, view)
    return asked


async def test_a_model_is_added_to_a_running_set_behind_a_question(cases):
    write_spec(cases, task=SLOW)
    with minded(cases) as run:
        begun(run)

        async def use(asked: Asked, view: View) -> None:
            await asked.type("mockllm/b")
            await asked.foreseen()
            assert asked.dialog.effect.more_to_run == 4
            assert "the set is running and takes this up at once" in asked.said
            await asked.press("enter")
            await until(asked.pilot, lambda: asked.dialog.message_line.asking)
            await asked.press("enter")
            await asked.pilot.pause()
            assert asked.returned == [], "No is the answer of Enter"
            assert asked.told == "Nothing was changed."
            await asked.press("enter", "y")
            await until(asked.pilot, lambda: asked.returned)
            view.amend(asked.returned[0])

        asked = await ask(cases, run, lambda view: AddModelDialog(view, environ={}), use)
        assert asked.returned == [Amendment(models=(ModelEntry("mockllm/b"),))]
        run.until(lambda s: len(s.cells) == 2, "the new cell")
        run.until(lambda _: len(cases.calls()) == 8, "both cells' samples")


async def test_more_epochs_on_a_running_set_count_what_its_attempt_has_loaded(cases):
    write_spec(cases, task=SLOW)
    with minded(cases) as run:
        begun(run)

        async def use(asked: Asked, view: View) -> None:
            await asked.type("3")
            await asked.foreseen()
            effect = asked.dialog.effect
            assert (effect.before.samples, effect.after.samples) == (4, 12)
            await asked.press("enter")
            await until(asked.pilot, lambda: asked.dialog.message_line.asking)
            await asked.press("n", "escape")
            await until(asked.pilot, lambda: asked.returned)

        asked = await ask(cases, run, lambda view: SettingDialog(view, "epochs"), use)
        assert asked.returned == [None]
    assert read_spec(Layout(cases.logs).spec).epochs is None
