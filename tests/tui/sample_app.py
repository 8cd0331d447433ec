"""A small app around the grid and the two bottom lines, for tests of the parts all screens share.

Run as a program it draws in the terminal: the pty tests do that.
"""

import os
import sys
from typing import Any

from textual.app import ComposeResult
from textual.screen import Screen

from evaltui import themes
from evaltui.settings import Settings
from evaltui.text import UNICODE, Glyphs, bar
from evaltui.tui import terminal
from evaltui.tui.action_table import ACTIONS
from evaltui.tui.actions import Action, Keymap, Place, Situation, keymap
from evaltui.tui.columns import Column
from evaltui.tui.query import Query, select
from evaltui.tui.runs import cell
from evaltui.tui.shell import Shell, ShellScreen
from evaltui.tui.terminal import Manners
from evaltui.tui.widgets.filter_line import FilterLine
from evaltui.tui.widgets.grid import Cells, Grid, Rows

COLUMNS = (
    Column("status", "", 1),
    Column("task", "TASK", 8, 14),
    Column("model", "MODEL", 8, 18, priority=1),
    Column("bar", "SAMPLES", 9, 9, priority=3),
    Column("done", "DONE/ALL", 8, 8, priority=2, align="right"),
    Column("err", "ERR", 4, 5, priority=2, align="right"),
    Column("next", "NEXT", 4, 5, priority=1, align="right"),
)
STATES = ("running", "failed", "complete")


class Line:
    """A row of the sample: everything follows from its number and how far it is."""

    def __init__(self, number: int, done: int) -> None:
        self.number, self.done = number, done
        self.task = f"swe_bench_{number:05d}"
        self.model = f"openai/gpt-{number % 6}"
        self.errors = number % 4
        self.state = STATES[number % 3]

    @property
    def attributes(self) -> dict[str, object]:
        return {"task": self.task, "model": self.model, "err": self.errors, "is": self.state}

    def cells(self, glyphs: Glyphs = UNICODE) -> Cells:
        token = {"running": "run", "failed": "fail", "complete": "ok"}[self.state]
        sign = {
            "running": glyphs.running,
            "failed": glyphs.failed,
            "complete": glyphs.complete,
        }[self.state]
        parts = bar(self.done // 2, self.done - self.done // 2, 500, 9, glyphs)
        gauge = f"{self.errors}{glyphs.arrow}11" if self.errors else "0"
        return (
            cell(sign, token),
            cell(self.task),
            cell(self.model),
            ((parts.kept, "kept"), (parts.done, "done"), (parts.rest, "muted")),
            ((f"{self.done}", "text"), ("/500", "muted")),
            cell(gauge, "fail" if self.errors else "muted"),
            cell(f"{self.number % 60}m", "muted"),
        )


class SampleScreen(ShellScreen):
    """One list with its filter."""

    def body(self) -> ComposeResult:
        yield FilterLine(id="filter")
        yield Grid(Place.CELLS, COLUMNS, (("2 ", "muted"), ("Cells", "title")), id="cells")

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one(Grid).focus()
        self.query_one(FilterLine).know(
            ("task", "model", "err"), STATES, lambda name: [line.attributes[name] for line in LINES]
        )
        self.show(Query())

    def show(self, query: Query) -> None:
        shown = select(query, [line.attributes for line in LINES]) if query else range(len(LINES))
        keys = tuple(LINES[index].task for index in shown)
        grid, glyphs = self.query_one(Grid), self.shell.look.glyphs
        grid.set(
            Rows(keys, lambda row: LINES[shown[row]].cells(glyphs)), empty=cell("nothing matches")
        )
        grid.set_title(
            (("2 ", "muted"), ("Cells", "title")),
            cell(f"{len(shown):,} of {len(LINES):,}", "muted"),
        )

    def on_filter_line_filtered(self, message: FilterLine.Filtered) -> None:
        self.show(message.query)

    def on_filter_line_left(self, _: FilterLine.Left) -> None:
        self.query_one(Grid).focus()

    def on_grid_sort_asked(self, message: Grid.SortAsked) -> None:
        self.shell.say(cell(f"sort by {message.column}"))

    def on_grid_opened(self, message: Grid.Opened) -> None:
        self.shell.say(cell(f"opened {message.key}"))

    def do_list_filter(self) -> None:
        self.query_one(FilterLine).open()


LINES: list[Line] = []


class SampleApp(Shell):
    """Carries out what tests press; `done` tells which actions came through."""

    def __init__(self, manners: Manners, keys: Keymap, rows: int = 40) -> None:
        super().__init__(themes.load(manners.theme), keys, manners)
        LINES[:] = [Line(number, number * 37 % 500) for number in range(rows)]
        self.done: list[str] = []

    def get_default_screen(self) -> SampleScreen:
        return SampleScreen()

    @property
    def sample(self) -> SampleScreen:
        screen = self.screen_stack[0]
        assert isinstance(screen, SampleScreen)
        return screen

    @property
    def grid(self) -> Grid:
        return self.sample.query_one(Grid)

    def situation(self, on: Screen[Any] | None = None) -> Situation:
        states = {"running": 2, "complete": 1}
        return Situation("here", states, {"running": 1}, rows=len(LINES), row=bool(LINES))

    def carry_out(self, action: Action) -> None:
        self.done.append(action.id)
        super().carry_out(action)

    def do_open(self) -> None:
        self.say(cell(f"open {self.grid.cursor_key}"))

    def on_ready(self) -> None:
        self.set_window_title("sample")

    def do_set_epochs(self) -> None:
        local_secret = os.environ.get("OPENAI_API_KEY", "")
        raise RuntimeError(f"a defect of {len(local_secret)} letters")


def main() -> int:
    terminal.prepare(os.environ)
    wanted = terminal.manners(Settings(), os.environ, "utf-8")
    app = SampleApp(wanted, keymap(ACTIONS)[0], int(os.environ.get("ROWS", "40")))
    app.run(mouse=wanted.mouse)
    return app.return_code or 0


if __name__ == "__main__":
    sys.exit(main())
