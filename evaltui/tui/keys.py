"""Names and labels of keys, and which keys may change something. Pure.

Keys go by Textual's names (`question_mark`, `ctrl+d`, `shift+tab`); people write and read `?`,
`ctrl+d`, `⇧tab`. Both spellings are taken everywhere.
"""

from __future__ import annotations

import re
import unicodedata

UNSAFE = frozenset("ABCDFHO[]")
"""Over a slow line an arrow or a function key can arrive as Esc and these letters."""

_RENAMED = {
    "solidus": "slash",
    "reverse_solidus": "backslash",
    "commercial_at": "at",
    "hyphen_minus": "minus",
    "plus_sign": "plus",
    "low_line": "underscore",
}
_NAMED = frozenset(
    "up down left right home end pageup pagedown insert delete backspace enter escape tab space"
    " ".split()
    + [f"f{number}" for number in range(1, 25)]
)
_ALIASES = {"esc": "escape", "return": "enter", "del": "delete", "pgup": "pageup",
            "pgdn": "pagedown", "pgdown": "pagedown"}  # fmt: skip
_MODIFIERS = ("ctrl", "alt", "shift", "super", "hyper", "meta")
_LABELS = {"enter": "⏎", "escape": "Esc", "up": "↑", "down": "↓", "left": "←", "right": "→",
           "tab": "Tab", "space": "Space", "pageup": "PgUp", "pagedown": "PgDn", "home": "Home",
           "end": "End", "backspace": "Backspace", "delete": "Del", "insert": "Ins"}  # fmt: skip
_ASCII_LABELS = {"enter": "Enter", "up": "Up", "down": "Down", "left": "Left", "right": "Right"}


def key_name(written: str) -> str:
    """The name of a key that somebody wrote as `?`, `Esc`, `ctrl+D` or `question_mark`.

    Raises ValueError, in words for the settings file, when it is no key.
    """
    if len(written) == 1:
        return character_name(written)
    *modifiers, last = re.split(r"\+(?=.)", written.strip())
    modifiers = [modifier.lower() for modifier in modifiers]
    for modifier in modifiers:
        if modifier not in _MODIFIERS:
            raise ValueError(
                f"{written!r} is no key: {modifier!r} is no modifier (ctrl, alt, shift)"
            )
    if len(last) == 1:
        base = character_name(last.lower() if modifiers else last)
    else:
        base = _ALIASES.get(last.lower(), last.lower())
        if base not in _NAMED and base not in _CHARACTERS:
            raise ValueError(f"{written!r} is no key (write ?, G, space, ctrl+d, f5 or pageup)")
    return "+".join([*(each for each in _MODIFIERS if each in modifiers), base])


def character_name(character: str) -> str:
    """The name of the key that types a character: itself for letters and digits."""
    if character.isalnum():
        return character
    name = unicodedata.name(character, "").lower().replace("-", "_").replace(" ", "_")
    return _RENAMED.get(name, name) or character


_CHARACTERS = {character_name(chr(code)): chr(code) for code in range(0x21, 0x7F)}


def key_label(name: str, *, ascii_only: bool = False) -> str:
    """How a key is shown: `?` for question_mark, `⏎` (or `Enter`) for enter."""
    *modifiers, base = name.split("+")
    label = (_ASCII_LABELS.get(base) if ascii_only else None) or _LABELS.get(base)
    return "+".join([*modifiers, label or _CHARACTERS.get(base, base)])


def is_unsafe(name: str) -> bool:
    """Whether a key may arrive by accident, so that nothing that changes state may be on it."""
    return _CHARACTERS.get(name, name) in UNSAFE
