"""A set on the screen, from the first frame to the word that is left behind.

Imports no click: a set that is opened by its name alone needs no parser, and starts sooner for it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaltui.tui.view import View

LOST = 129
"""Exit code when the terminal went away: nobody is there to be told anything."""


def why_no_screen() -> str | None:
    """Why there is no terminal to show a screen on; None where there is one."""
    from evaltui.tui import terminal

    return terminal.why_no_screen(os.environ, stdin=sys.stdin.isatty(), stderr=sys.stderr.isatty())


def show_set(log_dir: Path, *, start: bool = False) -> int:
    """Show the set in `log_dir` until the user leaves; the exit code. start: run it at once."""
    from evaltui.tui import terminal
    from evaltui.tui.view import View

    # Before Textual is imported, which reads it then, and before there is a thread that might find
    # garbage collected and have it so again.
    terminal.prepare(os.environ)
    view = View(log_dir)
    view.open()
    if start:
        view.start()
    code = _show(view)
    said = view.hand_over()
    if code == LOST:
        _write_nowhere()
    elif said:
        print(f"{said} See it again: evaltui {log_dir}", flush=True)
    return code


def _write_nowhere() -> None:
    """What is still to be flushed at exit must not fail on a terminal that is gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)


def _show(view: View) -> int:
    from evaltui import settings, themes
    from evaltui.tui import terminal
    from evaltui.tui.action_table import ACTION_IDS, ACTIONS
    from evaltui.tui.actions import keymap
    from evaltui.tui.app import SetApp

    loaded = settings.load(settings.config_path(), os.environ, ACTION_IDS)
    manners = terminal.manners(loaded.settings, os.environ, sys.stdout.encoding or "ascii")
    keys, wrong_keys = keymap(ACTIONS, loaded.settings.keys)
    problems = [*loaded.problems, *wrong_keys]
    try:
        theme = themes.load(manners.theme, [settings.theme_folder()])
    except themes.ThemeError as error:
        problems.append(str(error))
        theme = themes.load("mono" if manners.depth == "none" else "dark")
    app = SetApp(view, theme, keys, manners, said=problems[0] if problems else "")
    app.favourites = loaded.settings.models
    result = app.run(mouse=manners.mouse)
    return result if result is not None else app.return_code or 0
