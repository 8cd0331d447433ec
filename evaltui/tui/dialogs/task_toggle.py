"""Take tasks into the set or out of it, after a look at what that does; the safe choice first."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult

from evaltui.discovery import TaskInfo
from evaltui.spec import SetSpec
from evaltui.tui.dialogs.amending import AmendingDialog
from evaltui.tui.runs import Cell, cell
from evaltui.tui.task_entries import entries_of, leaving_out, taking_in
from evaltui.tui.view import View
from evaltui.tui.widgets.block import Block
from evaltui.tui.widgets.choice import Choice

_MOST_NAMED = 5


class ToggleTasksDialog(AmendingDialog):
    """Tasks that are all in the set leave it; else those that are not in come in."""

    DEFAULT_CSS = "ToggleTasksDialog #choice { margin-top: 1; }"

    def __init__(self, view: View, tasks: Sequence[TaskInfo]) -> None:
        spec = view.picture.spec
        out = [task for task in tasks if not entries_of(task, spec)]
        self._adds = bool(out)
        self._tasks = tuple(out or tasks)
        many = f"{len(self._tasks)} tasks" if len(self._tasks) > 1 else self._tasks[0].name
        super().__init__(view, f"Add {many}" if self._adds else f"Take out {many}")

    def head(self) -> ComposeResult:
        named = [cell(f"{task.file}@{task.name}") for task in self._tasks[:_MOST_NAMED]]
        more = len(self._tasks) - _MOST_NAMED
        yield Block([*named, *([cell(f"and {more} more", "muted")] if more > 0 else [])])

    def foot(self) -> ComposeResult:
        yield Choice(("Cancel", "Add" if self._adds else "Take out"), id="choice")

    def on_mount(self) -> None:
        self.query_one("#choice", Choice).focus()
        picture = self.view.picture
        if self._adds:
            self.propose(taking_in(self._tasks))
        else:
            found = picture.found.tasks if picture.found else ()
            self.propose(leaving_out(self._tasks, picture.spec or SetSpec(), found))

    def on_choice_chosen(self, message: Choice.Chosen) -> None:
        message.stop()
        if message.index == 0:
            self.do_back()
        else:
            self.accept()

    def do_field_leave(self) -> None:
        self.do_back()

    def remarks(self) -> Sequence[Cell]:
        if self._adds:
            return ()
        return [cell("Logs stay where they are; adding the task again finds them.", "muted")]
