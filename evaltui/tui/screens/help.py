"""Help and palette: two projections of the table of actions onto a list that can be narrowed.

The help lists every key of the place the user came from, why one is off, and what the signs mean;
the palette only what acts. Enter does what the entry says; each of the two leads to the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events

from evaltui.text import ASCII, UNICODE
from evaltui.tui.actions import MOVING, Action, Keymap, Place, Situation
from evaltui.tui.columns import Column
from evaltui.tui.keys import key_label
from evaltui.tui.legend import signs
from evaltui.tui.runs import cell
from evaltui.tui.screens.dialog import Entry, ListDialog

_COLUMNS = (
    Column("keys", "KEYS", 9, 12),
    Column("title", "ACTION", 10, 16),
    Column("help", "WHAT IT DOES", 20, 40, grow=1, priority=1),
)


class ActionsDialog(ListDialog):
    """Actions to pick from. other: the action whose keys lead to the other list of the two."""

    def __init__(self, title: str, entries: Callable[[], Sequence[Entry]], other: str) -> None:
        super().__init__(title, _COLUMNS, entries(), entries)
        self._other = other

    def on_key(self, event: events.Key) -> None:
        if event.key in self.shell.keys[self._other].keys:
            event.stop()
            event.prevent_default()
            self.dismiss(self._other)
        else:
            super().on_key(event)

    def meant_elsewhere(self, event: events.Key) -> None:
        """The keys that opened this list open nothing further."""
        if event.key not in self.commands:
            super().meant_elsewhere(event)


def help_dialog(
    keys: Keymap, place: Place, situation: Callable[[], Situation], *, ascii_only: bool
) -> ListDialog:
    """Every action that can be reached in a place, as things stand; then the signs."""
    legend = _legend(ascii_only)

    def entries() -> list[Entry]:
        now = situation()
        return [*(_entry(action, now, ascii_only) for action in keys.at(place)), *legend]

    title = f"Help: keys in {place}, and below them what the signs mean"
    return ActionsDialog(title, entries, "view.palette")


def palette_dialog(
    keys: Keymap, place: Place, situation: Callable[[], Situation], *, ascii_only: bool
) -> ListDialog:
    """What can be done there, by name, what is off last; moving about is left to the keys."""
    actions = [action for action in keys.at(place) if action.group != MOVING]

    def entries() -> list[Entry]:
        now = situation()
        on_first = sorted(actions, key=lambda action: action.off(now) is not None)
        return [_entry(action, now, ascii_only) for action in on_first]

    return ActionsDialog("Commands", entries, "view.help")


def _entry(action: Action, situation: Situation, ascii_only: bool) -> Entry:
    off = action.off(situation)
    token = "text" if off is None else "off"
    explained = cell(action.help, "muted") if off is None else cell(f"off: {off}", "warn")
    return Entry(
        action.id,
        (cell(_keys(action, ascii_only), "key"), cell(action.title, token), explained),
        f"{action.title}\n{action.help}\n{action.id}",
        off,
    )


def _keys(action: Action, ascii_only: bool) -> str:
    return " ".join(key_label(key, ascii_only=ascii_only) for key in action.keys)


def _legend(ascii_only: bool) -> list[Entry]:
    return [
        Entry(
            f"sign:{place}",
            (cell(sign.shown, sign.token), cell(sign.name), cell(sign.meaning, "muted")),
            f"{sign.name}\n{sign.meaning}\nsign {sign.shown}",
            "this is a sign, there is nothing to do",
        )
        for place, sign in enumerate(signs(ASCII if ascii_only else UNICODE))
    ]
