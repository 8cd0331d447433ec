"""Frames: a screen as text, with a parallel map of style tokens, to be reviewed as a diff.

A frame says what stands where (the upper block), in which token (the lower block, capitals under
the cursor), and what each token looked like in that theme. Frames are kept in `frames/`; run with
`FRAMES=update` to write them anew, which is refused in CI.
"""

import os
from pathlib import Path

from rich.style import Style

from evaltui import themes
from evaltui.tui.look import Look
from evaltui.tui.shell import Shell
from evaltui.tui.terminal import Manners

FOLDER = Path(__file__).parent / "frames"
SIZES = ((80, 24), (120, 35))
LOOKS = ("dark", "ansi", "mono", "ascii")

LETTERS = {
    "text": ".", "muted": "-", "strong": "s", "accent": "a", "border": "b", "focus": "f",
    "header": "h", "ok": "o", "fail": "x", "run": "r", "wait": "w", "queued": "q", "held": "l",
    "blocked": "g", "changed": "c", "kept": "k", "new": "n", "done": "d", "spark": "p", "key": "y",
    "off": "u", "info": "i", "warn": "v", "error": "e", "field": "t",
}  # fmt: skip
assert set(LETTERS) == set(themes.TOKENS) - set(themes.GROUNDS)
assert len(set(LETTERS.values())) == len(LETTERS)


class TokenLook(Look):
    """A look whose styles know their token."""

    def style(self, token: str, ground: str | None = None) -> Style:
        return super().style(token, ground) + Style(meta={"token": token, "ground": ground})


def manners(look: str) -> Manners:
    """A terminal of that look: `ascii` is the dark theme with ASCII glyphs."""
    theme = "dark" if look == "ascii" else look
    depth = {"ansi": "ansi", "mono": "none"}.get(look, "rgb")
    return Manners(theme, depth, look == "ascii", True, False, False, False, False, False)  # type: ignore[arg-type]


def watch_tokens(app: Shell) -> None:
    """Have the app draw with styles that know their token; before it starts."""
    app.look = TokenLook(app.look.theme, app.look.ascii_only)


def frame(app: Shell) -> str:
    """What the app shows now."""
    text: list[str] = []
    tokens: list[str] = []
    looks: dict[tuple[str, str | None], set[str]] = {}
    update = app.screen._compositor.render_full_update() if len(app.screen_stack) < 2 else None
    if update is None:
        update = app.screen._compositor.render_update(
            full=True, screen_stack=app._background_screens
        )
    for strips in update.strips:
        row, marks, grounds = "", "", set()
        for segment in (segment for strip in strips for segment in strip):
            meta = segment.style.meta if segment.style else {}
            token, ground = meta.get("token"), meta.get("ground")
            letter = LETTERS.get(token, " ")
            row += segment.text
            marks += (letter.upper() if ground == "cursor" else letter) * segment.cell_length
            if ground not in (None, "cursor"):
                grounds.add(ground)
            if token is not None:
                looks.setdefault((token, ground), set()).add(_described(segment.style))
        text.append(row.rstrip())
        tokens.append((marks + "".join(f"  {ground}" for ground in sorted(grounds))).rstrip(" "))
    legend = [
        f"{LETTERS[token]} {token}{f' on {ground}' if ground else ''}: {', '.join(sorted(seen))}"
        for (token, ground), seen in sorted(looks.items(), key=lambda each: str(each[0]))
    ]
    width = app.size.width
    return "\n".join([*text, "-" * width, *tokens, "-" * width, *legend]) + "\n"


def check(app: Shell, name: str, look: str) -> None:
    """Compare what the app shows with the frame that is kept under that name."""
    path = FOLDER / f"{name}.{app.size.width}x{app.size.height}.{look}.txt"
    now = frame(app)
    if os.environ.get("FRAMES") == "update":
        assert not os.environ.get("CI"), "frames are not written anew in CI"
        path.write_text(now, encoding="utf-8")
    assert path.exists(), f"no frame {path.name}: look at it with FRAMES=update, then commit it"
    assert now == path.read_text(encoding="utf-8"), f"{path.name} shows something else now"


def _described(style: Style) -> str:
    names = ("bold", "dim", "italic", "underline", "reverse")
    parts = [name for name in names if getattr(style, name)]
    for prefix, colour in (("", style.color), ("on ", style.bgcolor)):
        if colour is not None and not colour.is_default:
            triplet = colour.triplet
            parts.append(prefix + (triplet.hex if triplet else colour.name))
    return " ".join(parts) or "plain"
