"""Take tasks into the set or out of it, after a look at what that does; the safe choice first."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult

from evaltui.discovery import TaskInfo
from evaltui.spec import Amendment, SetSpec
from evaltui.tui.dialogs.confirming import ConfirmingDialog
from evaltui.tui.runs import cell
from evaltui.tui.task_entries import entries_of, leaving_out, taking_in
from evaltui.tui.view import View
from evaltui.tui.widgets.block import Block

_MOST_NAMED = 5


class ToggleTasksDialog(ConfirmingDialog):
    """Tasks that are all in the set leave it; else those that are not in come in."""

    def __init__(self, view: View, tasks: Sequence[TaskInfo]) -> None:
        spec = view.picture.spec
        out = [task for task in tasks if not entries_of(task, spec)]
        self._adds = bool(out)
        self._tasks = tuple(out or tasks)
        many = f"{len(self._tasks)} tasks" if len(self._tasks) > 1 else self._tasks[0].name
        title = f"Add {many}" if self._adds else f"Take out {many}"
        super().__init__(view, title, "Add" if self._adds else "Take out")

    def head(self) -> ComposeResult:
        named = [cell(f"{task.file}@{task.name}") for task in self._tasks[:_MOST_NAMED]]
        more = len(self._tasks) - _MOST_NAMED
        rest = [cell(f"and {more} more", "muted")] if more > 0 else []
        yield Block([*named, *rest], id="named")

    def made(self) -> Amendment:
        picture = self.view.picture
        if self._adds:
            return taking_in(self._tasks)
        found = picture.found.tasks if picture.found else ()
        return leaving_out(self._tasks, picture.spec or SetSpec(), found)
