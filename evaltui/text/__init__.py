"""How figures and foreign text are written, in the TUI and in plain output alike.

The lowest layer: pure, it imports nothing of evaltui's, reads no clock and no environment.
"""

from evaltui.text.bars import Bar, bar, sparkline
from evaltui.text.figures import (
    count,
    countdown,
    duration,
    error_gauge,
    error_sentence,
    errors_said,
    number,
    ordinal,
    score,
    short_count,
)
from evaltui.text.foreign import clip, fit, graphemes, visible, width_of
from evaltui.text.glyphs import ASCII, UNICODE, Glyphs, choose_glyphs

__all__ = [
    "ASCII",
    "UNICODE",
    "Bar",
    "Glyphs",
    "bar",
    "choose_glyphs",
    "clip",
    "count",
    "countdown",
    "duration",
    "error_gauge",
    "error_sentence",
    "errors_said",
    "fit",
    "graphemes",
    "number",
    "ordinal",
    "score",
    "short_count",
    "sparkline",
    "visible",
    "width_of",
]
