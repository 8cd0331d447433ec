"""The signs that evaltui draws, their ASCII twins, and which of the two a terminal gets.

Pure: the environment comes in as arguments. Knows no colours and no foreign text.
"""

from typing import Final, Literal

import msgspec

__all__ = ["ASCII", "UNICODE", "Glyphs", "choose_glyphs"]


class Glyphs(msgspec.Struct, frozen=True):
    """The signs that evaltui draws, one cell each but for `arrow`. Named by what they mean."""

    ascii_only: bool
    complete: str
    failed: str
    running: str
    queued: str
    rerun: str
    cancelled: str
    held: str
    changed: str
    kept: str
    new: str
    arrow: str
    times: str
    crumb: str
    ellipsis: str
    at_least: str
    bar_kept: str
    bar_done: str
    bar_rest: str
    bar_parts: str
    """Eighths of a cell from one to seven; empty where cells can't be divided."""
    sparks: str
    """Eight heights, lowest first."""


UNICODE: Final = Glyphs(
    ascii_only=False,
    complete="✓",
    failed="✗",
    running="▸",
    queued="◌",
    rerun="↻",
    cancelled="⊘",
    held="⊖",
    changed="∅",
    kept="=",
    new="+",
    arrow="→",
    times="×",
    crumb="›",
    ellipsis="…",
    at_least="≥",
    bar_kept="▒",
    bar_done="█",
    bar_rest="·",
    bar_parts="▏▎▍▌▋▊▉",
    sparks="▁▂▃▄▅▆▇█",
)
ASCII: Final = Glyphs(
    ascii_only=True,
    complete="v",
    failed="x",
    running=">",
    queued=".",
    rerun="~",
    cancelled="-",
    held="=",
    changed="0",
    kept="=",
    new="+",
    arrow="->",
    times="x",
    crumb=">",
    ellipsis="~",
    at_least=">",
    bar_kept="=",
    bar_done="#",
    bar_rest=".",
    bar_parts="",
    sparks="_.,-=+*#",
)


def choose_glyphs(
    preference: Literal["auto", "unicode", "ascii"] = "auto",
    *,
    encoding: str | None,
    term: str | None,
    locale: str | None,
) -> Glyphs:
    """The glyph set for a terminal.

    Args:
        preference: The user's setting. `unicode` still gives way to an encoding without the signs.
        encoding: Of the stream that is written to (`sys.stdout.encoding`).
        term: `TERM`. The Linux console has few signs, a dumb terminal none to count on.
        locale: As in `LC_ALL`, `LC_CTYPE` or `LANG`. In Chinese, Japanese and Korean locales
            terminals may draw blocks and lines two cells wide.
    """
    if preference == "ascii" or not _can_encode(encoding):
        return ASCII
    if preference == "unicode":
        return UNICODE
    language = (locale or "").replace("-", "_").split("_")[0].casefold()
    if term in (None, "", "dumb", "linux") or language in ("zh", "ja", "ko"):
        return ASCII
    return UNICODE


def _can_encode(encoding: str | None) -> bool:
    signs = "".join(
        v for k in UNICODE.__struct_fields__ if isinstance(v := getattr(UNICODE, k), str)
    )
    try:
        signs.encode(encoding or "ascii")
    except (LookupError, UnicodeError):
        return False
    return True
