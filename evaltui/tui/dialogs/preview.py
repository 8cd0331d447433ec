"""The look before something that costs money or touches many cells; the safe choice first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.app import ComposeResult

from evaltui.tui.picture import Picture
from evaltui.tui.runs import Cell, cell
from evaltui.tui.screens.dialog import Dialog
from evaltui.tui.widgets.block import Block
from evaltui.tui.widgets.choice import Choice
from evaltui.tui.widgets.frame import Frame

Lines = Callable[[Picture], Sequence[Cell]]


class PreviewDialog(Dialog):
    """What would be done, what it costs, the command that does it. Returns whether to do it: the
    safe word has the cursor, and the other one a key of its own.

    lines: asked again with every picture, so that a plan being checked is redrawn here.
    """

    DEFAULT_CSS = """
    PreviewDialog #command { margin-top: 1; }
    PreviewDialog #choice { margin-top: 1; }
    """

    def __init__(self, title: str, lines: Lines, picture: Picture, command: str, yes: str) -> None:
        super().__init__()
        self._title = title
        self._lines = lines
        self._first = picture
        self._command = command
        self._yes = yes

    def box(self) -> ComposeResult:
        with Frame(cell(self._title, "accent"), giving=(("command", 1), ("lines", 3))):
            yield Block(self._lines(self._first), id="lines")
            yield Block([cell(self._command, "muted")] if self._command else [], id="command")
            yield Choice(("Not now", self._yes), id="choice")

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one("#choice", Choice).focus()

    def show(self, picture: Picture, now: float) -> None:
        """Draw the effect anew where it is another one by now."""
        self.query_one("#lines", Block).set(self._lines(picture))

    def on_choice_chosen(self, message: Choice.Chosen) -> None:
        message.stop()
        self.dismiss(message.index == 1)

    def do_field_leave(self) -> None:
        self.dismiss(False)
