"""Help and palette: two projections of the table of actions onto a list that can be narrowed.

The help lists every key of the place the user came from, and why one is off; the palette only
what acts. Enter does what the entry says.
"""

from __future__ import annotations

from evaltui.tui.actions import Action, Keymap, Place, Situation
from evaltui.tui.columns import Column
from evaltui.tui.keys import key_label
from evaltui.tui.runs import cell
from evaltui.tui.screens.dialog import Entry, ListDialog

_COLUMNS = (
    Column("keys", "KEYS", 9, 12),
    Column("title", "ACTION", 10, 16),
    Column("help", "WHAT IT DOES", 20, 40, grow=1, priority=1),
)
_MOVING = "Moving"


def help_dialog(
    keys: Keymap, place: Place, situation: Situation, *, ascii_only: bool
) -> ListDialog:
    """Every action that can be reached in a place, as things stand now."""
    entries = [_entry(action, situation, ascii_only) for action in keys.at(place)]
    return ListDialog(f"Help: keys in {place}", _COLUMNS, entries)


def palette_dialog(
    keys: Keymap, place: Place, situation: Situation, *, ascii_only: bool
) -> ListDialog:
    """What can be done there, by name; moving about is left to the keys."""
    actions = [action for action in keys.at(place) if action.group != _MOVING]
    on_first = sorted(actions, key=lambda action: action.enabled(situation) is not None)
    entries = [_entry(action, situation, ascii_only) for action in on_first]
    return ListDialog("Commands", _COLUMNS, entries)


def _entry(action: Action, situation: Situation, ascii_only: bool) -> Entry:
    off = action.enabled(situation)
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
