"""What the terminal can do, decided from the environment, and the sequences for what it can.

Pure but for `prepare`, which must run before Textual is imported, and `leave_on_signals`. Writes
nothing to the terminal itself.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Callable, Mapping, MutableMapping
from typing import Literal

import msgspec

from evaltui.settings import Settings
from evaltui.text import choose_glyphs

Depth = Literal["none", "ansi", "rgb"]

SIGNALS = {signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGQUIT: 131, signal.SIGINT: 130}
"""Signals that end the app, the terminal restored, and the exit code of each."""


class Manners(msgspec.Struct, frozen=True):
    """How to behave in this terminal.

    theme: name to load. ascii_only: draw with ASCII twins. progress: OSC 9;4 is understood.
    """

    theme: str
    depth: Depth
    ascii_only: bool
    mouse: bool
    title: bool
    progress: bool
    bell: bool
    notify: bool
    tmux: bool


def why_no_screen(environ: Mapping[str, str], *, stdin: bool, stderr: bool) -> str | None:
    """Why no screen can be drawn, None when it can. stdin, stderr: whether each is a terminal."""
    if not stdin or not stderr:
        return f"{'stdin' if not stdin else 'stderr'} is not a terminal"
    if environ.get("TERM", "") in ("", "dumb", "unknown"):
        return f"TERM is {environ.get('TERM', '') or 'not set'}"
    return None


def manners(settings: Settings, environ: Mapping[str, str], encoding: str) -> Manners:
    """The user's wishes, and what the terminal leaves of them. encoding: of the output."""
    depth = colour_depth(environ)
    mouse = "off" if settings.mouse == "auto" and over_ssh(environ) else settings.mouse
    progress = settings.progress == "on" or (
        settings.progress == "auto" and shows_progress(environ)
    )
    return Manners(
        theme=theme_name(settings.theme, environ),
        depth=depth,
        ascii_only=choose_glyphs(
            settings.glyphs,
            encoding=encoding,
            term=environ.get("TERM"),
            locale=_locale(environ),
        ).ascii_only,
        mouse=mouse != "off",
        title=settings.title,
        progress=progress,
        bell=settings.bell,
        notify=settings.notify,
        tmux=bool(environ.get("TMUX")),
    )


def colour_depth(environ: Mapping[str, str]) -> Depth:
    """No colour where NO_COLOR is set and not empty; the terminal's 16; or any (also by 256)."""
    if environ.get("NO_COLOR"):
        return "none"
    term = environ.get("TERM", "").lower()
    if environ.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return "rgb"
    if "256color" in term or term.startswith(("xterm-kitty", "alacritty", "foot", "xterm-ghostty")):
        return "rgb"
    return "ansi"


def theme_name(wanted: str, environ: Mapping[str, str]) -> str:
    """The theme to load: NO_COLOR stands above the wish, and `auto` looks at the terminal."""
    depth = colour_depth(environ)
    if depth == "none":
        return "mono"
    if wanted != "auto":
        return wanted
    if depth == "ansi":
        return "ansi"
    ground = environ.get("COLORFGBG", "").rpartition(";")[2]
    return "light" if ground in ("7", "15") else "dark"


def _locale(environ: Mapping[str, str]) -> str | None:
    names = ("LC_ALL", "LC_CTYPE", "LANG")
    return next((environ[name] for name in names if environ.get(name)), None)


def over_ssh(environ: Mapping[str, str]) -> bool:
    return bool(environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"))


def shows_progress(environ: Mapping[str, str]) -> bool:
    """Whether OSC 9;4 is understood: elsewhere it would pop up as a notification."""
    return bool(
        environ.get("WT_SESSION")
        or environ.get("ConEmuANSI") == "ON"
        or environ.get("TERM_PROGRAM", "").lower() in ("ghostty", "wezterm")
    ) and not environ.get("TMUX")


def erases_with_ground(environ: Mapping[str, str]) -> bool:
    """Whether cells can be erased, and then have the ground in hand: not so in GNU screen (tmux may
    go by its name) and in the terminals of old.
    """
    return not environ.get("TERM", "").startswith(("screen", "vt", "ansi"))


def prepare(environ: MutableMapping[str, str]) -> None:
    """Set what Textual reads when it is imported. To be called before that.

    Over SSH the rest of an arrow key may come late: Esc waits 250 ms for it. What a key caused is
    drawn at the next of 120 frames a second, not of 60; nothing is drawn where nothing changed.
    Until the app is ready nothing is garbage: looking for it costs a tenth of the start. A thread
    that reads logs must not keep the loop waiting for 5 ms whenever it has looked for a key.
    """
    gc.disable()
    sys.setswitchinterval(0.001)
    environ.setdefault("TEXTUAL_FPS", "120")
    if over_ssh(environ):
        environ.setdefault("ESCDELAY", "250")


def leave_on_signals(
    loop: asyncio.AbstractEventLoop, leave: Callable[[int], object]
) -> Callable[[], None]:
    """Call `leave(exit code)` on TERM, HUP, QUIT and INT; what is returned takes it back."""
    for number, code in SIGNALS.items():
        loop.add_signal_handler(number, leave, code)

    def undo() -> None:
        for number in SIGNALS:
            loop.remove_signal_handler(number)

    return undo


# Sequences


def title_sequence(title: str) -> str:
    """The window title. The one before is kept by `TITLE_PUSH` and comes back with `TITLE_POP`."""
    return f"\x1b]2;{_plain(title)}\x07"


TITLE_PUSH = "\x1b[22;2t"
TITLE_POP = "\x1b[23;2t"


def notify_sequence(text: str, *, tmux: bool) -> str:
    """A desktop notification (OSC 9)."""
    return _through(f"\x1b]9;{_plain(text)}\x07", tmux=tmux)


def progress_sequence(share: float | None, state: Literal["run", "error", "wait"] = "run") -> str:
    """Progress in the terminal's tab (OSC 9;4). share: 0 to 1, None takes it away."""
    if share is None:
        return "\x1b]9;4;0;0\x07"
    kind = {"run": 1, "error": 2, "wait": 4}[state]
    return f"\x1b]9;4;{kind};{round(100 * max(0.0, min(1.0, share)))}\x07"


def _through(sequence: str, *, tmux: bool) -> str:
    if not tmux:
        return sequence
    return "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"


def _plain(text: str) -> str:
    """Text that cannot end the sequence it stands in."""
    return "".join(letter if letter.isprintable() else " " for letter in text)[:200]


def terminal_is_there(fileno: int) -> bool:
    """Whether the terminal of `fileno` still exists."""
    try:
        os.tcgetpgrp(fileno)
    except OSError:
        return False
    return True
