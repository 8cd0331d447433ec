"""A change that is settled before it is asked about: its effect, and two words to choose from."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from textual.app import ComposeResult

from evaltui.spec import Amendment
from evaltui.tui.dialogs.amending import AmendingDialog
from evaltui.tui.runs import Cell, cell
from evaltui.tui.view import View
from evaltui.tui.widgets.choice import Choice


class ConfirmingDialog(AmendingDialog):
    """The safe word has the cursor. yes: the other one."""

    DEFAULT_CSS = "ConfirmingDialog #choice { margin-top: 1; }"

    def __init__(self, view: View, title: str, yes: str) -> None:
        super().__init__(view, title)
        self._yes = yes

    @abstractmethod
    def made(self) -> Amendment:
        """The change that is asked about."""

    def foot(self) -> ComposeResult:
        yield Choice(("Cancel", self._yes), id="choice")

    def on_mount(self) -> None:
        self.query_one("#choice", Choice).focus()
        self.propose(self.made())

    def remarks(self) -> Sequence[Cell]:
        made = self.made()
        if made.drop_tasks or made.drop_models:
            return [cell("logs stay, as those of no cell; adding it again finds them", "muted")]
        return ()

    def on_choice_chosen(self, message: Choice.Chosen) -> None:
        message.stop()
        if message.index == 0:
            self.do_back()
        else:
            self.accept()

    def do_field_leave(self) -> None:
        self.do_back()
