"""Take models or tasks out of the set: which cells go, and what becomes of their logs."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult

from evaltui.engine.state import CellState
from evaltui.spec import Amendment
from evaltui.tui.dialogs.confirming import ConfirmingDialog
from evaltui.tui.runs import cell
from evaltui.tui.view import View
from evaltui.tui.widgets.block import Block

_MOST_NAMED = 5


class TakeOutDialog(ConfirmingDialog):
    """change: drops entries of the spec. named: what leaves, for the title. leaving: its cells."""

    def __init__(
        self, view: View, named: str, change: Amendment, leaving: Sequence[CellState]
    ) -> None:
        super().__init__(view, f"Take out {named}", "Take out")
        self._made = change
        self._leaving = tuple(leaving)

    def head(self) -> ComposeResult:
        glyphs = self.glyphs
        lines = [
            (
                (f"{each.cell.task} {glyphs.times} {each.cell.model}", "text"),
                (f"  {each.status}", "muted"),
            )
            for each in self._leaving[:_MOST_NAMED]
        ]
        more = len(self._leaving) - _MOST_NAMED
        rest = [cell(f"and {more} more", "muted")] if more > 0 else []
        yield Block([*lines, *rest], id="named")

    def made(self) -> Amendment:
        return self._made
