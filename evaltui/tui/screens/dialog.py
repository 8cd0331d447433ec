"""Dialogs: a box over the screen that had the keys. Each knows its question, none knows the set.

`ListDialog` asks to pick one of many, narrowed by typing: help, palette, copy menu and themes are
made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import Vertical

from evaltui.tui.actions import MOVING, Place
from evaltui.tui.columns import Column
from evaltui.tui.query import fuzzy
from evaltui.tui.runs import cell
from evaltui.tui.shell import ShellScreen
from evaltui.tui.widgets.field import Field
from evaltui.tui.widgets.grid import Cells, Grid, Rows


class Dialog(ShellScreen):
    """A box in the middle of the screen below, which stays in sight around it."""

    DEFAULT_CSS = """
    Dialog { background: transparent; align: center middle; }
    Dialog > #box { width: 80%; max-width: 100; height: auto; max-height: 100%;
                    background: $look-ground; }
    Dialog > MessageLine { dock: bottom; margin-bottom: 1; background: $look-ground; }
    Dialog > HintBar { dock: bottom; background: $look-ground; }
    """
    place = Place.FIELD

    def box(self) -> ComposeResult:
        """What stands in the box."""
        yield from ()

    def body(self) -> ComposeResult:
        with Vertical(id="box"):
            yield from self.box()

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """Close with a result. A second answer to what is closed already is for nobody."""
        return super().dismiss(result) if self.is_current else AwaitComplete()

    def do_back(self) -> None:
        self.dismiss(None)

    def do_field_leave(self) -> None:
        """Esc, whatever in the box has the keys."""
        self.do_back()

    def meant_elsewhere(self, event: events.Key) -> None:
        """What acts on the set or opens something waits until the dialog is closed, and says so."""
        action = self.shell.keys.find(event.key, Place.EVERYWHERE)
        if action is None or action.group == MOVING:
            return
        if action.group == "The app" and not event.is_printable:
            self.shell.perform(action.id)
        else:
            self.shell.say(((f"{action.title}: not from here; Esc closes this first", "warn"),))


class Entry(msgspec.Struct, frozen=True):
    """One thing to pick.

    key: what is returned. text: what typing looks in, its first line a title. off: why it is off.
    """

    key: str
    cells: Cells
    text: str
    off: str | None = None


class ListDialog(Dialog):
    """Pick an entry; typing narrows the list, best match first. Returns its key, or None."""

    DEFAULT_CSS = "ListDialog > #box { height: 80%; }"

    def __init__(
        self,
        title: str,
        columns: Sequence[Column],
        entries: Sequence[Entry],
        again: Callable[[], Sequence[Entry]] | None = None,
    ) -> None:
        """again: the entries as they are by now, where those can change."""
        super().__init__()
        self._title = title
        self._columns = tuple(columns)
        self._entries = tuple(entries)
        self._again = again
        self._narrowed_by = ""

    def box(self) -> ComposeResult:
        yield Field(((" > ", "key"),), id="field", commands=self.commands)
        grid = Grid(Place.FIELD, self._columns, cell(self._title, "title"), id="list", header=False)
        grid.always_active = True
        grid.can_focus = False
        yield grid

    @property
    def commands(self) -> frozenset[str]:
        """Keys that are no letters as long as nothing is typed."""
        keys = self.shell.keys
        return frozenset((*keys["view.palette"].keys, *keys["view.help"].keys))

    @property
    def grid(self) -> Grid:
        return self.query_one("#list", Grid)

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one("#field", Field).focus()
        self._show("")

    def on_field_changed(self, message: Field.Changed) -> None:
        self._show(message.text)

    def renew(self) -> None:
        entries = self._entries if self._again is None else tuple(self._again())
        if entries != self._entries:
            self._entries = entries
            self._show(self._narrowed_by, stay=True)

    def do_field_accept(self) -> None:
        text = self.query_one("#field", Field).text
        if text != self._narrowed_by:
            self._show(text)  # Enter came before what was typed was looked at
        key = self.grid.cursor_key
        if key is not None:
            self.pick(key)

    def on_grid_opened(self, message: Grid.Opened) -> None:
        self.pick(message.key)

    def pick(self, key: str) -> None:
        """Return an entry; one that is off says why instead."""
        entry = next(entry for entry in self._entries if entry.key == key)
        if entry.off is not None:
            self.message_line.say(((f"{entry.text.splitlines()[0]}: {entry.off}", "warn"),))
            return
        self.dismiss(key)

    def on_key(self, event: events.Key) -> None:
        move = _MOVES.get(event.key)
        if move is None:
            super().on_key(event)
            return
        event.stop()
        event.prevent_default()
        move(self.grid)

    def narrowed(self, text: str) -> list[Entry]:
        """The entries in which all words of `text` are found, best first, else in their order."""
        words = text.casefold().split()
        scored = []
        for place, entry in enumerate(self._entries):
            scores = [_score(word, entry.text) for word in words]
            if None not in scores:
                scored.append((sum(score or 0 for score in scores), place, entry))
        return [entry for *_, entry in sorted(scored, key=lambda each: each[:2])]

    def _show(self, text: str, *, stay: bool = False) -> None:
        """Show what is found. stay: with the cursor where it is, if that is still there."""
        self._narrowed_by = text
        entries = self.narrowed(text)
        self.grid.set(
            Rows.of((entry.key, entry.cells) for entry in entries),
            empty=cell("nothing is called that; Esc closes", "muted"),
        )
        self.grid.set_title(
            cell(self._title, "title"),
            cell(f"{len(entries)} of {len(self._entries)}", "muted"),
        )
        if entries and not stay:
            self.grid.go(0)


def _score(word: str, text: str) -> int | None:
    """How well a word is found: as it is before scattered, which counts in the title alone."""
    lines = text.casefold().splitlines()
    for number, line in enumerate(lines):
        if word in line:
            return number
    scattered = fuzzy(word, lines[0]) if lines else None
    return None if scattered is None else len(lines) + scattered


_MOVES: dict[str, Callable[[Grid], Any]] = {
    "down": lambda grid: grid.move(1),
    "up": lambda grid: grid.move(-1),
    "ctrl+n": lambda grid: grid.move(1),
    "ctrl+p": lambda grid: grid.move(-1),
    "pagedown": lambda grid: grid.page(2),
    "pageup": lambda grid: grid.page(-2),
}
