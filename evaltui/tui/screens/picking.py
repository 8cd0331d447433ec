"""Lists to pick from: a column to sort by, what to copy, a command line, a theme."""

from __future__ import annotations

from collections.abc import Sequence

from evaltui import themes
from evaltui.settings import theme_folder
from evaltui.tui.columns import SPEC_ORDER, Column, Sort
from evaltui.tui.look import Look
from evaltui.tui.runs import cell, width_of
from evaltui.tui.screens.dialog import Entry, ListDialog
from evaltui.tui.widgets.grid import Grid

_NAME_AND_TEXT = (
    Column("name", "", 8, 10),
    Column("text", "", 20, 40, grow=1, priority=1),
)


def sort_dialog(
    columns: Sequence[Column], now: Sort | None, order: tuple[str, str] = SPEC_ORDER
) -> ListDialog:
    """By which column; the empty key stands for the order that the rows have by themselves."""
    entries = [Entry("", (cell(order[0]), cell(order[1], "muted")), order[0])]
    for column in columns:
        title = column.title or column.id
        title = title.lower() if title.isupper() else title
        said = ""
        if now is not None and now[0] == column.id:
            said = "again: the other way round" if not now[1] else "now, descending"
        entries.append(Entry(column.id, (cell(title), cell(said, "muted")), title))
    widest = max(width_of(entry.text) for entry in entries)
    names = (Column("name", "", 8, min(max(10, widest), 40)), _NAME_AND_TEXT[1])
    return ListDialog("Sort by", names, entries)


def copy_dialog(entries: Sequence[tuple[str, str]]) -> ListDialog:
    """What of a row is to be copied."""
    return ListDialog("Copy", _NAME_AND_TEXT, _entries(entries))


def command_dialog(entries: Sequence[tuple[str, str]]) -> ListDialog:
    """The command lines for what can be done here; Enter copies one."""
    return ListDialog("Without the screen (Enter copies)", _NAME_AND_TEXT, _entries(entries))


def _entries(entries: Sequence[tuple[str, str]]) -> list[Entry]:
    return [
        Entry(name, (cell(name, "key"), cell(text)), f"{name}\n{text}") for name, text in entries
    ]


class ThemeDialog(ListDialog):
    """The themes, each tried on as the cursor comes to it; Esc goes back to the one before."""

    def __init__(self) -> None:
        names = themes.available([theme_folder()])
        entries = [Entry(name, (cell(name), ()), name) for name in names]
        super().__init__("Theme", _NAME_AND_TEXT, entries)
        self._before: Look | None = None

    def on_mount(self) -> None:
        self._before = self.shell.look
        super().on_mount()
        self.grid.go_key(self._before.theme.name)

    def on_grid_moved(self, message: Grid.Moved) -> None:
        if message.key is not None and message.key != self.shell.look.theme.name:
            self._try(message.key)

    def _try(self, name: str) -> None:
        try:
            theme = themes.load(name, [theme_folder()])
        except themes.ThemeError as error:
            self.message_line.say(cell(str(error), "error"))
            return
        if self.shell.manners.depth == "none" and theme.colours != "none":
            self.message_line.say(cell("NO_COLOR is set: mono stays", "warn"))
            return
        self.shell.use_look(Look(theme, self.shell.look.ascii_only))

    def pick(self, key: str) -> None:
        self.shell.say(cell(f'theme = "{key}" in the settings file keeps it', "info"))
        super().pick(key)

    def do_back(self) -> None:
        if self._before is not None and self._before is not self.shell.look:
            self.shell.use_look(self._before)
        super().do_back()
