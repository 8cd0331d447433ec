"""The argument form of a task: a field for each parameter; a list with commas is a sweep."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events

from evaltui.discovery import Param, TaskInfo
from evaltui.engine.wanted import task_names
from evaltui.spec import Amendment, SetSpec, TaskEntry
from evaltui.tui.arguments import (
    Arguments,
    argument_texts,
    described,
    entry_for,
    read_arguments,
    unknown_arguments,
)
from evaltui.tui.dialogs.form import FormDialog
from evaltui.tui.runs import Cell, cell
from evaltui.tui.task_entries import entries_of, taking_out
from evaltui.tui.view import View
from evaltui.tui.widgets.form_field import FormField
from evaltui.tui.widgets.frame import Frame

_WIDEST_LABEL = 24
_NEXT = "ctrl+n"


class ArgumentsDialog(FormDialog):
    """Change the entry of a task that is in the set, or add one to those it has, or the first.

    It begins with the first entry; `ctrl+n` goes on to the next, and behind the last to a new one.
    """

    def __init__(self, view: View, task: TaskInfo) -> None:
        super().__init__(view, f"{task.name}: arguments")
        self._info = task
        self._entries = entries_of(task, view.picture.spec)
        self._place = 0

    @property
    def _entry(self) -> TaskEntry | None:
        """The entry that is changed; None for a new one."""
        return self._entries[self._place] if self._place < len(self._entries) else None

    def subtitle(self) -> Cell:
        many = len(self._entries)
        if not many:
            return cell("not in the set yet", "muted")
        if self._entry is None:
            return cell(f"a new entry; {_NEXT}: back to the first", "muted")
        which = f"changes entry {self._place + 1} of {many}" if many > 1 else "changes its entry"
        then = "the next" if self._place + 1 < many else "a new one"
        return cell(f"{which}; {_NEXT}: {then}", "muted")

    def fields(self) -> Sequence[FormField]:
        params = self._info.params
        if not params:
            hint = "the task takes no arguments; Enter adds it as it is"
            return (FormField("arguments", 9, hint=hint),)
        texts = argument_texts(self._info, self._entry)
        width = min(_WIDEST_LABEL, max(len(param.name) for param in params))
        return tuple(
            FormField(param.name, width, text=texts[param.name], hint=described(param))
            for param in params
        )

    def on_key(self, event: events.Key) -> None:
        if event.key != _NEXT or not self._entries or self.message_line.asking:
            super().on_key(event)
            return
        event.stop()
        event.prevent_default()
        self._place = (self._place + 1) % (len(self._entries) + 1)
        self.query_one("#frame", Frame).set_title(self.title_cell, self.subtitle())
        texts = argument_texts(self._info, self._entry)
        for line in self.lines:
            line.field.set_text(texts.get(line.key, ""))
        self.propose(self.read(whole=False))

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
        return None if found.wrong else self._made(found)

    def _without_arguments(self) -> Amendment | None:
        line = self.lines[0]
        if line.text.strip():
            line.complain(f"{self._info.name} takes no arguments")
            return None
        line.say(())
        return self._made(Arguments())

    def _made(self, found: Arguments) -> Amendment:
        """The entry in place of the one that is changed; a whole file's other tasks stay as are."""
        entry = self._entry
        new = entry_for(self._info, found, entry)
        if entry is None:
            return Amendment(tasks=(new,))
        rest = taking_out([(entry, self._info.name)], self._names)
        return Amendment(tasks=(new, *rest.tasks), drop_tasks=rest.drop_tasks)

    def _names(self, file: str) -> Sequence[str]:
        picture = self.view.picture
        spec = picture.spec or SetSpec()
        found = task_names(spec.root_path(picture.log_dir), file)
        return found if isinstance(found, list) else ()

    def remarks(self) -> Sequence[Cell]:
        unknown = unknown_arguments(self._info, self._entry)
        if not unknown:
            return ()
        said = f"{', '.join(unknown)} of the entry is no parameter of the task, and goes"
        return [(("! ", "warn"), (said, "text"))]

    def _below(self, param: Param, text: str, sweep: Sequence[object]) -> list[Cell]:
        if sweep:
            return [cell(f"sweep of {len(sweep)}: a cell for each, on each model", "accent")]
        return [cell(described(param), "muted")] if text.strip() else []
