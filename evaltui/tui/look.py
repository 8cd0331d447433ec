"""How things look: a theme and a glyph set, as Rich styles for lines and as CSS for Textual.

The only place where a style token becomes colours. Nothing here draws.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.theme import BUILTIN_THEMES
from textual.theme import Theme as CssTheme

from evaltui.text import ASCII, UNICODE, Glyphs
from evaltui.themes import Paint, Theme

Run = tuple[str, str]
"""A piece of text and its style token."""


class Look:
    """A theme in use. ascii_only: draw with the ASCII twins of the glyphs. Never changes."""

    def __init__(self, theme: Theme, ascii_only: bool = False) -> None:
        self.theme = theme
        self.ascii_only = ascii_only
        self._styles: dict[tuple[str, str | None], Style] = {}

    def style(self, token: str, ground: str | None = None) -> Style:
        """The style of a token, lying on a ground token (`cursor`, `mark`) or on the screen."""
        style = self._styles.get((token, ground))
        if style is None:
            style = self._styles[token, ground] = rich_style(self.theme.paint(token, ground))
        return style

    @property
    def glyphs(self) -> Glyphs:
        """The signs to draw with."""
        return ASCII if self.ascii_only else UNICODE

    def segments(self, runs: Sequence[Run], ground: str | None = None) -> list[Segment]:
        """Runs as segments. Their text must be clean already: nothing is looked at here."""
        return [Segment(text, self.style(token, ground)) for text, token in runs]

    @property
    def css_name(self) -> str:
        return f"evaltui-{self.theme.name}"

    def css(self) -> CssTheme:
        """The same theme for Textual's own widgets (text fields, layout grounds)."""

        def fore(token: str) -> str:
            return _css(self.theme.paint(token).fore)

        def ground(token: str) -> str:
            return _css(self.theme.paint(token).ground)

        ansi = self.theme.colours != "rgb"
        return CssTheme(
            name=self.css_name,
            primary=fore("focus"),
            secondary=fore("focus"),
            accent=fore("accent"),
            warning=fore("warn"),
            error=fore("error"),
            success=fore("ok"),
            foreground=fore("text"),
            background=ground("text"),
            surface=ground("text"),
            panel=ground("text"),
            boost=ground("text"),
            dark=self.theme.dark,
            ansi=ansi,
            variables={
                **(BUILTIN_THEMES["ansi-dark"].variables if ansi else {}),
                "look-ground": ground("text"),
                "look-text": fore("text"),
                "look-field": fore("field"),
                "look-field-ground": ground("field"),
                "look-muted": fore("muted"),
                "look-border": fore("border"),
                "look-focus": fore("focus"),
            },
        )


def rich_style(paint: Paint) -> Style:
    """A paint as a Rich style."""
    has = paint.attributes.__contains__
    return Style(
        color=_color(paint.fore),
        bgcolor=_color(paint.ground),
        bold=has("bold") or None,
        dim=has("dim") or None,
        italic=has("italic") or None,
        underline=has("underline") or None,
        reverse=has("reverse") or None,
    )


def _color(name: str | None) -> Color | None:
    return None if name is None else Color.parse(name)


def _css(name: str | None) -> str:
    if name is None or name == "default":
        return "ansi_default"
    return name if name.startswith("#") else f"ansi_{name}"
