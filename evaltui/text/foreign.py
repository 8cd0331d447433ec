"""Text from tasks, models and logs: made harmless, measured, clipped and padded. Pure.

It is data and shown literally, so it may neither move the cursor nor turn or hide what stands
around it. Widths are Rich's (`rich.cells.cell_len`), because Textual lays out by them.
"""

import unicodedata
from collections.abc import Iterator
from typing import Final, Literal

from evaltui.text.glyphs import UNICODE, Glyphs

__all__ = ["clip", "fit", "graphemes", "visible", "width_of"]


def visible(text: str, glyphs: Glyphs = UNICODE, *, keep: str = "") -> str:
    """`text` with nothing in it that a terminal would obey or hide.

    Control characters become their pictures (`␛`; `^[` in ASCII); bidi controls, invisible
    characters, misplaced joiners, unpaired surrogates and unassigned ones become `<U+202E>`. Blanks
    of all kinds become as many spaces as they are wide. Letters stay, whatever the glyphs.

    Args:
        keep: Characters to leave alone, such as a newline where lines are wanted.
    """
    if text.isascii() and text.isprintable():
        return text
    ahead = (*text[1:], "")
    behind = ("", *text[:-1])
    return "".join(
        c if c in keep or _joins(c, before, after) else _made_visible(c, glyphs.ascii_only)
        for before, c, after in zip(behind, text, ahead, strict=True)
    )


def _joins(character: str, before: str, after: str) -> bool:
    """A joiner where one belongs: Rich takes the character after U+200D to be part of an emoji."""
    if character not in _JOINERS or not (before > "\x7f" and _shows(before)):
        return False
    return character == _NON_JOINER or (after >= "\u2190" and _shows(after))


def _shows(character: str) -> bool:
    return character.isprintable() and character not in _INVISIBLE


def _made_visible(character: str, ascii_only: bool) -> str:
    if _shows(character):
        return character
    code = ord(character)
    if code < 0x20 or code == 0x7F:
        if ascii_only:
            return "^" + chr(code ^ 0x40)
        return "␡" if code == 0x7F else chr(0x2400 + code)
    if unicodedata.category(character) == "Zs":
        return " " * max(width_of(character), 1)
    return f"<U+{code:04X}>"


_NON_JOINER: Final = "\u200c"
_JOINER: Final = "\u200d"
_JOINERS: Final = frozenset((_NON_JOINER, _JOINER))

_INVISIBLE: Final = frozenset(
    # Letters that fill a place with nothing, and selectors, which can carry text unseen
    ["\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u3164", "\uffa0"]
    + [chr(code) for code in (*range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0))]
)
"""What counts as printable and still shows nothing."""


def width_of(text: str) -> int:
    """How many terminal cells a text takes; it must hold no control characters."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def clip(text: str, width: int, glyphs: Glyphs = UNICODE) -> str:
    """`text` made visible, in at most `width` cells; an ellipsis stands for what is left out."""
    # A screenful of a long text is all that is looked at; marks without end count as its length
    shown = visible(text[: 16 * max(width, 0) + 16], glyphs)
    whole = len(text) <= 16 * max(width, 0) + 16
    if whole and width_of(shown) <= width:
        return shown
    if width <= 0:
        return ""
    room = width - len(glyphs.ellipsis)
    kept = []
    for grapheme in graphemes(shown):
        room -= width_of(grapheme)
        if room < 0:
            break
        kept.append(grapheme)
    return "".join(kept) + glyphs.ellipsis


def fit(
    text: str,
    width: int,
    align: Literal["left", "right"] = "left",
    glyphs: Glyphs = UNICODE,
) -> str:
    """`text` made visible, in exactly `width` cells: clipped, or padded with spaces."""
    shown = clip(text, width, glyphs)
    padding = " " * max(width - width_of(shown), 0)
    return padding + shown if align == "right" else shown + padding


def graphemes(text: str) -> Iterator[str]:
    """The parts of `text` that must not be cut: letters with their marks, joined emoji, flags.

    A short form of Unicode's rules (UAX 29): marks, joiners, variation selectors, skin tones and
    Hangul vowels and finals belong to what is before them; regional indicators come in pairs.
    """
    start = flags = 0
    for index, character in enumerate(text):
        is_flag = "\U0001f1e6" <= character <= "\U0001f1ff"
        joined = index == 0 or text[index - 1] == _JOINER or _extends(character)
        if not (joined or (is_flag and flags % 2 == 1)):
            yield text[start:index]
            start, flags = index, 0
        flags = flags + 1 if is_flag else flags
    if text:
        yield text[start:]


def _extends(character: str) -> bool:
    return not character.isascii() and (
        character in _JOINERS
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\u1161" <= character <= "\u11ff"
        or unicodedata.category(character) in ("Mn", "Me", "Mc")
    )
