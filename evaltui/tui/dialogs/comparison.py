"""Two logs compared sample by sample, in a process of its own: a page to read, no decision."""

from __future__ import annotations

import asyncio
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import VerticalScroll

from evaltui.tui.processes import run_module
from evaltui.tui.runs import Cell, cell
from evaltui.tui.screens.dialog import Dialog
from evaltui.tui.widgets.block import Block
from evaltui.tui.widgets.choice import Choice
from evaltui.tui.widgets.frame import Frame


class ComparisonDialog(Dialog):
    """a, b: the logs. names: of their cells, for the title."""

    DEFAULT_CSS = """
    ComparisonDialog > #box { width: 92%; max-width: 110; }
    ComparisonDialog #told { height: auto; max-height: 20; scrollbar-size: 0 0; }
    ComparisonDialog #choice { margin-top: 1; }
    """

    def __init__(self, a: Path, b: Path, names: tuple[str, str]) -> None:
        super().__init__()
        self._logs = (a, b)
        self._names = names
        self._task_running: asyncio.Task[None] | None = None

    def box(self) -> ComposeResult:
        with Frame(cell("Compare", "accent"), giving=(("told", 3),)):
            first, second = self._names
            yield Block([cell(first), (*cell("against  ", "muted"), *cell(second))], id="names")
            with VerticalScroll(id="told", can_focus=False):
                yield Block([cell("comparing sample by sample", "muted")], indent=2, id="lines")
            yield Choice(("Close",), id="choice")

    def on_mount(self) -> None:
        self.query_one("#choice", Choice).focus()
        self._task_running = asyncio.create_task(self._compare())

    def on_unmount(self) -> None:
        if self._task_running is not None:
            self._task_running.cancel()

    async def _compare(self) -> None:
        try:
            found = await run_module("evaltui", ["compare", *map(str, self._logs)])
        except OSError as error:
            self._say([cell(f"no process can be started: {error.strerror}", "error")])
            return
        lines = found.out.decode("utf-8", "replace").splitlines()
        if found.code == 0:
            self._say([cell(line) for line in lines[1:]])
        else:
            said = lines or [found.said.removeprefix("evaltui: ") or "nothing was said"]
            self._say([cell(line, "warn") for line in said])

    def _say(self, lines: list[Cell]) -> None:
        self.query_one("#lines", Block).set(lines)

    def on_choice_chosen(self, message: Choice.Chosen) -> None:
        message.stop()
        self.do_back()

    def do_field_leave(self) -> None:
        self.do_back()
