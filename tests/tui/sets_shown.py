"""A small app over the view of a real directory, for tests of dialogs and further screens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.message import Message
from textual.pilot import Pilot
from textual.screen import Screen

from evaltui import themes
from evaltui.tui.action_table import ACTIONS
from evaltui.tui.actions import Situation, keymap
from evaltui.tui.picture import Picture
from evaltui.tui.shell import Shell, ShellScreen
from evaltui.tui.view import View
from tests.sets import Scratch
from tests.tui.frames import manners, watch_tokens


def opened(cases: Scratch, log_dir: Path | None = None) -> View:
    """Its view, everything read, and reading on. log_dir: as the user would have named it."""
    view = View(log_dir or cases.logs, cases.folder)
    view.turn()
    while view.turn() or view.picture.rests != "samples":
        pass
    view.open()
    return view


class ShownApp(Shell):
    """Shows one screen over an empty one, and keeps what it returned."""

    def __init__(
        self,
        view: View,
        screen: Screen[Any],
        look: str = "dark",
        change: Callable[[Picture], Picture] | None = None,
    ) -> None:
        """change: what is shown instead of what the view sees."""
        wanted = manners(look)
        super().__init__(themes.load(wanted.theme), keymap(ACTIONS)[0], wanted)
        self.view = view
        self.shown = screen
        self._change = change or (lambda picture: picture)
        self.returned: list[Any] = []
        watch_tokens(self)

    def get_default_screen(self) -> ShellScreen:
        return ShellScreen()

    class Changed(Message):
        """The view has another picture."""

    def on_mount(self) -> None:
        self.push_screen(self.shown, self.returned.append)
        self.view.tell(lambda: self.post_message(self.Changed()))
        self.call_after_refresh(self.show_now)

    def on_shown_app_changed(self, _: Changed) -> None:
        self.show_now()

    def show_now(self) -> None:
        show = getattr(self.shown, "show", None)
        if show is not None and self.shown.is_mounted:
            show(self._change(self.view.picture), 0.0)

    def situation(self, on: Screen[Any] | None = None) -> Situation:
        return Situation(cells={"idle": 4}, rows=4, row=True, running_rows=4)

    def on_unmount(self) -> None:
        self.view.hand_over()  # ends its reading, and the launcher of loads
        super().on_unmount()


async def until(pilot: Pilot[Any], holds: Callable[[], object], seconds: float = 20) -> None:
    """Let the app go on until something holds."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"did not happen: {holds}"
        await pilot.pause()
        await asyncio.sleep(0.01)
    await pilot.pause()
