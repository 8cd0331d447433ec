"""What help and palette offer on each screen can be done there, or says why not."""

import pytest

from evaltui.tui.actions import Place
from evaltui.tui.shell import ShellScreen
from tests.sets import Scratch
from tests.tui.sets_shown import until
from tests.tui.test_main_screen import app_of, press, showing, text

SCREENS = {
    "cells": "",
    "tasks": "1",
    "lanes": "tab",
    "inspector": "3",
    "cell": "enter",
    "plan": "p",
    "samples": "i",
    "results": "m",
}


@pytest.mark.parametrize("keys", SCREENS.values(), ids=list(SCREENS))
async def test_what_is_offered_can_be_done_and_what_is_off_says_why(shown: Scratch, keys):
    async with showing(shown) as pilot:
        await press(pilot, *keys.split())
        app, screen = app_of(pilot), pilot.app.screen
        assert isinstance(screen, ShellScreen)
        situation = app.situation()
        offered = app.keys.at(screen.place_now)
        assert Place.EVERYWHERE in {place for action in offered for place in action.places}
        for action in offered:
            off = action.off(situation)
            does = [n for n in (app.screen.focused, screen, app) if hasattr(n, action.method)]
            assert off or does, f"{action.id} is offered and nobody does it"
            assert off is None or len(off.split()) > 1, f"{action.id} is off without a reason"


@pytest.mark.parametrize("keys", SCREENS.values(), ids=list(SCREENS))
async def test_enter_in_the_help_of_each_screen_does_it_there(shown: Scratch, keys):
    async with showing(shown) as pilot:
        await press(pilot, *keys.split())
        below = pilot.app.screen
        await press(pilot, "question_mark")
        await until(pilot, lambda: "Help: keys in" in text(pilot))
        await press(pilot, *"set.epochs", "enter")
        await until(pilot, lambda: "Epochs" in text(pilot))
        await press(pilot, "escape")
        await until(pilot, lambda: pilot.app.screen is below)


async def test_a_key_for_a_panel_that_is_not_there_says_so(shown: Scratch):
    async with showing(shown) as pilot:
        seen = await press(pilot, "p", "3")
        assert "inspector: not on this screen" in seen
