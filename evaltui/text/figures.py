"""How figures are written: time spans, counts, scores, errors against a threshold.

Pure. A figure that is not known is a dash, and none is ever cut to fit.
"""

import math
from typing import Final

from evaltui.text.glyphs import UNICODE, Glyphs

__all__ = [
    "count",
    "countdown",
    "duration",
    "error_gauge",
    "error_sentence",
    "number",
    "ordinal",
    "score",
    "short_count",
]

NOTHING: Final = "-"
"""Stands for a figure that is not known."""


def duration(seconds: float | None) -> str:
    """A time span in two parts at most: `9s`, `1:57`, `26m`, `1h42m`, `3d4h`.

    Rounded to what is shown; negative spans are `0s`, unknown or endless ones `-`.
    """
    if seconds is None or not math.isfinite(seconds):
        return NOTHING
    whole = _round(max(seconds, 0))
    if whole < 60:
        return f"{whole}s"
    if whole < 600:
        return f"{whole // 60}:{whole % 60:02}"
    minutes, hours = _round(seconds / 60), _round(seconds / 3600)
    if minutes < 60:
        return f"{minutes}m"
    if minutes < 24 * 60:
        return f"{minutes // 60}h{minutes % 60:02}m"
    if hours < 100 * 24:
        return f"{hours // 24}d{hours % 24}h"
    return f"{hours // 24}d" if hours < 1000 * 24 else ">999d"


def countdown(seconds: float | None) -> str:
    """Like `duration`, rounded up: it says `1s` until the moment is there."""
    if seconds is None or not math.isfinite(seconds):
        return NOTHING
    return duration(math.ceil(seconds))


def _round(value: float) -> int:
    return math.floor(value + 0.5)


def count(value: int | None) -> str:
    """A whole number in full: `3,411`; `-` when it is not known."""
    return NOTHING if value is None else f"{value:,}"


def short_count(value: int | None) -> str:
    """A whole number in six characters at most: `3,411`, `12k`, `1.2M`, `12M`, `3.4B`."""
    if value is None:
        return NOTHING
    sign, size = ("-" if value < 0 else ""), abs(value)
    if size < 10_000:
        return f"{value:,}"
    for unit, letter in ((1_000, "k"), (1_000_000, "M"), (1_000_000_000, "B")):
        tenths = (size * 10 + unit // 2) // unit
        if tenths < 100:
            return f"{sign}{tenths // 10}.{tenths % 10}{letter}"
        whole = (size + unit // 2) // unit
        if whole < 1_000:
            return f"{sign}{whole}{letter}"
    return f"{sign}>999B"


def number(value: int | None, width: int) -> str:
    """A whole number at the right of exactly `width` cells.

    In full, else short, else as `#`: digits cut off would make another number of it.
    """
    for text in (count(value), short_count(value)):
        if len(text) <= width:
            return text.rjust(width)
    return "#" * width


def score(value: float | None) -> str:
    """A metric's value in three digits: `.604`, `-.250`, `1.00`, `12.3`, `1,024`."""
    if value is None or not math.isfinite(value):
        return NOTHING
    size = abs(value)
    if size < 0.9995:
        text = f"{size:.3f}"[1:]
    elif size < 9.995:
        text = f"{size:.2f}"
    elif size < 99.95:
        text = f"{size:.1f}"
    else:
        text = f"{size:,.0f}"
    return f"-{text}" if value < 0 and text != ".000" else text


def ordinal(value: int) -> str:
    """`1st`, `2nd`, `3rd`, `4th`, `11th`, `21st`."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{'th' if value % 100 in (11, 12, 13) else ending}"


def error_gauge(
    errors: int,
    fails_at: int | None,
    *,
    at_end: bool = False,
    settled: bool = False,
    glyphs: Glyphs = UNICODE,
) -> str:
    """Errors against the threshold, for a column: `3→11`, `3 at end`, `never`, `3→never`, `3`.

    Args:
        errors: Errored samples so far.
        fails_at: The number of errors that fails the cell; None when no number does.
        at_end: The threshold is a share of a total that still grows, so it is judged at the end.
        settled: The cell has ended, only the count is left to say.
    """
    if settled:
        return f"{errors}"
    if at_end:
        return f"{errors} at end"
    if fails_at is None:
        return f"{errors}{glyphs.arrow}never" if errors else "never"
    return f"{errors}{glyphs.arrow}{fails_at}"


def errors_said(errors: int) -> str:
    """`1 error`, `2 errors`."""
    return f"{errors:,} error{'' if errors == 1 else 's'}"


def error_sentence(errors: int, fails_at: int | None, *, at_end: bool = False) -> str:
    """The gauge in words: `2 errors, fails at the 4th`. Arguments as of `error_gauge`."""
    said = errors_said(errors)
    if at_end:
        return f"{said}, judged at the end"
    if fails_at is None:
        return f"{said}, never fails"
    if errors >= fails_at:
        return f"{said}, failed at the {ordinal(fails_at)}"
    return f"{said}, fails at the {ordinal(fails_at)}"
