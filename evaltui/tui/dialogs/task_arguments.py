"""The argument form of a task: a field for each parameter; a list with commas is a sweep."""

from __future__ import annotations

from collections.abc import Sequence

from evaltui.discovery import Param, TaskInfo
from evaltui.spec import Amendment, TaskEntry
from evaltui.tui.arguments import argument_texts, described, entry_for, read_arguments
from evaltui.tui.dialogs.form import FormDialog
from evaltui.tui.runs import Cell, cell
from evaltui.tui.task_entries import entries_of
from evaltui.tui.view import View
from evaltui.tui.widgets.form_field import FormField

_WIDEST_LABEL = 24


class ArgumentsDialog(FormDialog):
    """Add a task with arguments. A task that is in the set begins with its arguments there, and
    other ones add cells beside those.
    """

    def __init__(self, view: View, task: TaskInfo) -> None:
        super().__init__(view, f"{task.name}: arguments")
        self._info = task
        self._entries = entries_of(task, view.picture.spec)

    def subtitle(self) -> Cell:
        said = "in the set; other arguments add cells" if self._entries else "not in the set yet"
        return cell(said, "muted")

    def fields(self) -> Sequence[FormField]:
        params = self._info.params
        if not params:
            hint = "the task takes no arguments; Enter adds it as it is"
            return (FormField("arguments", 9, hint=hint),)
        texts = argument_texts(self._info, self._entries[-1] if self._entries else None)
        width = min(_WIDEST_LABEL, max(len(param.name) for param in params))
        return tuple(
            FormField(param.name, width, text=texts[param.name], hint=described(param))
            for param in params
        )

    def read(self, *, whole: bool) -> Amendment | None:
        if not self._info.params:
            return self._without_arguments()
        texts = {line.key: line.text for line in self.lines}
        found = read_arguments(self._info, texts)
        for param in self._info.params:
            line, wrong = self.line(param.name), found.wrong.get(param.name)
            if wrong is None:
                line.say(self._below(param, line.text, found.sweep.get(param.name, ())))
            elif whole or line.text.strip():
                line.complain(wrong)
        return None if found.wrong else Amendment(tasks=(entry_for(self._info, found),))

    def _without_arguments(self) -> Amendment | None:
        line = self.lines[0]
        if line.text.strip():
            line.complain(f"{self._info.name} takes no arguments")
            return None
        line.say(())
        return Amendment(tasks=(TaskEntry(self._info.file, self._info.name),))

    def _below(self, param: Param, text: str, sweep: Sequence[object]) -> list[Cell]:
        if sweep:
            return [cell(f"sweep of {len(sweep)}: a cell for each, on each model", "accent")]
        return [cell(described(param), "muted")] if text.strip() else []
