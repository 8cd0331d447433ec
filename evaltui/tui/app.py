"""The app of a set: pictures to screens, actions to the view. Draws nothing itself.

`call_from_view` brings what the reading thread found into the app's own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol, cast, runtime_checkable

from msgspec.structs import replace
from textual.screen import Screen
from textual.timer import Timer

from evaltui.engine.rows import cell_rows, set_counts
from evaltui.themes import Theme
from evaltui.tui.actions import Keymap, Situation
from evaltui.tui.commanding import Commanding
from evaltui.tui.message_words import fresh_answer, message
from evaltui.tui.picture import Picture
from evaltui.tui.runs import Cell, cell
from evaltui.tui.screens.main import MainScreen
from evaltui.tui.screens.set_screen import SetScreen
from evaltui.tui.shell import ShellScreen
from evaltui.tui.terminal import Manners
from evaltui.tui.view import View

TICK = 1.0
SAID_STAYS = 8.0
"""Seconds a word of the app's own stays in the message line."""

FOLLOW_AFTER = 0.3
"""Seconds the cursor rests on a cell before its samples are read."""


@runtime_checkable
class Shows(Protocol):
    """A screen or dialog that is given every new picture."""

    def show(self, picture: Picture, now: float) -> None: ...


class SetApp(Commanding):
    """The application of one set. Its result is the exit code."""

    def __init__(
        self,
        view: View,
        theme: Theme,
        keys: Keymap,
        manners: Manners,
        *,
        said: str = "",
        now: Callable[[], float] = time.time,
    ) -> None:
        """said: a word to begin with, such as what was wrong with the settings."""
        super().__init__(theme, keys, manners)
        self.view = view
        self.now = now
        self._timer: Timer | None = None
        self._shown_at = 0.0
        self._pending = False
        self._own: tuple[Cell, float] | None = None
        self._follow_timer: Timer | None = None
        self._was = ""
        self._first_said = said

    def get_default_screen(self) -> Screen[Any]:
        return MainScreen()

    # --- pictures -----------------------------------------------------------------------------

    def on_mount(self) -> None:
        self._timer = self.set_interval(TICK, self.show_now, pause=True)
        self.view.tell(lambda: self.call_from_view(self._changed))
        self.set_window_title(f"{self.view.picture.log_dir.resolve().name} · evaltui")
        if self._first_said:
            self.say(cell(self._first_said, "warn"))
        self.call_after_refresh(self.show_now)

    def call_from_view(self, job: Callable[[], object]) -> None:
        """Have `job` done by the app; for the reading thread, and never waits for it."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(lambda: self.call_later(job) if self.is_running else None)

    def _changed(self) -> None:
        """There is another picture: drawn at once where somebody waits for it, else each second."""
        if self.view.failure is not None:
            raise self.view.failure
        since = time.monotonic() - self._shown_at
        if self.view.hurried or since >= TICK * 0.9:
            self.show_now()
        elif not self._pending:
            self._pending = True
            self.set_timer(TICK - since, self.show_now)

    def show_now(self) -> None:
        """Show the set as it stands, on every screen that is in sight."""
        self._pending = False
        if not self.is_running:
            return  # a timer may still ring while the app takes its screens down
        self._shown_at = time.monotonic()
        picture, now = self.view.picture, self.now()
        for screen in self.screen_stack:
            if isinstance(screen, Shows) and screen.is_mounted:
                screen.show(picture, now)
        self._show_message(picture, now)
        self._mind_terminal(picture, now)
        if picture.ready:
            self.view.drawn()
        if self._timer is not None:
            said = self._own is not None or fresh_answer(picture, now) is not None
            lives = said or picture.engine != "none"
            (self._timer.resume if lives else self._timer.pause)()

    def _show_message(self, picture: Picture, now: float) -> None:
        if self._own is not None and time.monotonic() < self._own[1]:
            return
        self._own = None
        for screen in self.screen_stack:
            if isinstance(screen, ShellScreen) and screen.is_mounted:
                screen.message_line.say(message(picture, now, self.glyphs))

    def say(self, said: Cell) -> None:
        self._own = (said, time.monotonic() + SAID_STAYS)
        super().say(said)
        if self._timer is not None:
            self._timer.resume()

    def key_came(self) -> None:
        if self._own is not None:
            self._own = None
            self._show_message(self.view.picture, self.now())

    def _mind_terminal(self, picture: Picture, now: float) -> None:
        """Progress in the tab, and a call for attention when the set ends or is stuck."""
        status = picture.state.status if picture.ready else ""
        if picture.engine == "none":
            if self._was == "running" and status in ("complete", "incomplete"):
                self.draw_attention(f"{picture.log_dir.name}: {status}")
            if self._was == "running":
                self.show_progress(None)
        elif self.manners.progress:
            rows = cell_rows(picture.state, picture.settings, now)
            _, _, done, samples, _ = set_counts(rows)
            self.show_progress(done / samples if samples else 0.0)
        self._was = status

    def cursor_moved(self) -> None:
        """The cursor is on another cell: its samples are read once it rests."""
        if self._follow_timer is not None:
            self._follow_timer.stop()
        self._follow_timer = self.set_timer(FOLLOW_AFTER, self._follow)

    def _follow(self) -> None:
        if len(self.screen_stack) == 1 and isinstance(self.screen, MainScreen):
            key = self.screen.cells.cursor_key
            if key is not None:
                self.view.follow(key)
            else:
                self.view.unfollow()

    # --- actions ------------------------------------------------------------------------------

    @property
    def set_screen(self) -> SetScreen:
        """The screen of the set in front; dialogs stand above it.

        One that is only being made is passed over: it can't be asked for its rows yet.
        """
        shown = (each for each in reversed(self.screen_stack) if isinstance(each, SetScreen))
        return next((each for each in shown if each.is_mounted), self.main)

    @property
    def main(self) -> MainScreen:
        return cast(MainScreen, self.screen_stack[0])

    def situation(self, on: Screen[Any] | None = None) -> Situation:
        screen = on or self.screen
        nodes = (screen.focused, screen, self)
        undone = [
            action.id
            for action in self.keys.actions
            if not any(hasattr(node, action.method) for node in nodes)
        ]
        situation = self.set_screen.situation(self.view.picture)
        return replace(situation, undone=frozenset(undone))

    @property
    def targets(self) -> tuple[str, ...]:
        return self.set_screen.targets

    @property
    def row_targets(self) -> tuple[str, ...]:
        return self.main.tasks.targets

    @property
    def lane(self) -> str | None:
        screen = self.set_screen
        if isinstance(screen, MainScreen) and screen.panel_in_focus == "lanes":
            return screen.lanes.lane
        return None

    def show_screen(self, screen: Screen[Any]) -> None:
        """Put a screen in front and show it the set."""
        self.push_screen(screen)
        self.call_after_refresh(self.show_now)

    def open_cell(self, key: str) -> None:
        """Show the cell screen."""
        from evaltui.tui.screens.cell import CellScreen

        self.show_screen(CellScreen(key))

    def inspect(self, key: str, *, filtering: bool = False) -> None:
        """Show the samples of a cell with their verdicts. filtering: begin with a filter."""
        from evaltui.tui.screens.samples import SamplesScreen

        self.show_screen(SamplesScreen(self.view, key, self.open_cell, filtering=filtering))

    def do_view_inspect(self) -> None:
        key = next(iter(self.targets), None) or self.main.cells.cursor_key
        if key is None:
            self.say(cell("no cell here", "warn"))
        else:
            self.inspect(key)

    def do_view_plan(self) -> None:
        from evaltui.tui.screens.plan import PlanScreen

        self.show_screen(PlanScreen(self.view, self.inspect))

    def do_view_results(self) -> None:
        from evaltui.tui.screens.results import ResultsScreen

        self.show_screen(ResultsScreen(self.view, self.open_cell))
