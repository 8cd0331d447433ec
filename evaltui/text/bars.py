"""Bars and sparklines of an exact width. Pure; colours are the caller's."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from evaltui.text.glyphs import UNICODE, Glyphs

__all__ = ["Bar", "bar", "sparkline"]


class Bar(NamedTuple):
    """A bar in its three parts, to be styled each; together exactly as wide as was asked."""

    kept: str
    done: str
    rest: str

    @property
    def text(self) -> str:
        return self.kept + self.done + self.rest


def bar(kept: int, done: int, total: int, width: int, glyphs: Glyphs = UNICODE) -> Bar:
    """How much of `total` is reused (`kept`), done now and left, in `width` cells.

    Kept work takes whole cells, done work eighths. The bar is full only when nothing is left, and
    anything that is kept or done shows, as far as the width has room for both truths.
    """
    steps = len(glyphs.bar_parts) + 1
    kept = min(max(kept, 0), max(total, 0))
    done = min(max(done, 0), max(total, 0) - kept)
    if total <= 0 or width <= 0:
        return Bar("", "", glyphs.bar_rest * max(width, 0))
    left = total - kept - done
    # A cell that can be divided holds the end of the done part and the beginning of the rest
    others = 1 if steps > 1 and done and left else bool(done) + bool(left)
    nearest = (2 * kept * width + total) // (2 * total)
    cells = min(max(nearest, 1), max(width - others, 0)) if kept else 0
    if left:
        end = (2 * (kept + done) * width * steps + total) // (2 * total)
        parts = min(max(end - cells * steps, 1), (width - cells) * steps - 1) if done else 0
    else:
        parts = (width - cells) * steps
    whole, part = divmod(parts, steps)
    tip = glyphs.bar_parts[part - 1] if part else ""
    rest = width - cells - whole - len(tip)
    return Bar(glyphs.bar_kept * cells, glyphs.bar_done * whole + tip, glyphs.bar_rest * rest)


def sparkline(values: Sequence[float | None], width: int, glyphs: Glyphs = UNICODE) -> str:
    """The last `width` values as heights, newest at the right, in exactly `width` cells.

    Heights are shares of the largest value shown; nothing and less is the lowest, None a gap.
    """
    shown = values[-width:] if width > 0 else ()
    known = [v for v in shown if v is not None and math.isfinite(v)]
    top = max(known, default=0)
    marks = "".join(_spark(value, top, glyphs.sparks) for value in shown)
    return marks.rjust(max(width, 0))


def _spark(value: float | None, top: float, sparks: str) -> str:
    if value is None or not math.isfinite(value):
        return " "
    if value <= 0:
        return sparks[0]
    return sparks[min(math.ceil(value / top * len(sparks)), len(sparks)) - 1]
