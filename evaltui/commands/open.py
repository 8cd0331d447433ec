"""`evaltui open`, which is what `evaltui LOG_DIR` means: a set on the screen."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaltui.commands.set_command import SetCommand
from evaltui.commands.set_options import SetLine, Usage, set_line, set_options

if TYPE_CHECKING:
    from evaltui.tui.view import View

LOST = 129
"""Exit code when the terminal went away: nobody is there to be told anything."""


@click.command("open", cls=SetCommand)
@set_options
@click.pass_context
def command(ctx: click.Context, /, **values: Any) -> None:
    """Open the set in LOG_DIR; with tasks, models or options, make it or add to it first.

    Leaving with q lets what runs go on. Without a terminal it prints how the set stands.
    """
    line = set_line(values)
    os.environ.update(line.environment)
    if line.asks_for_change or line.eval_set_id:
        _amend(line)
    ctx.exit(open_set(line.log_dir))


def _amend(line: SetLine) -> None:
    from evaltui.commands.running import with_id
    from evaltui.commands.setting_up import set_up
    from evaltui.logs.layout import Layout

    if line.asks_for_change:
        set_up(line, Path.cwd())
    with_id(Layout(line.log_dir), line.eval_set_id)


def open_set(log_dir: Path, *, start: bool = False) -> int:
    """Show the set in `log_dir` until the user leaves; the exit code. start: run it at once."""
    why = _why_no_screen()
    if why is not None:
        return _plainly(log_dir, why)
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
        click.echo(f"{said} See it again: evaltui {log_dir}")
    return code


def _write_nowhere() -> None:
    """What is still to be flushed at exit must not fail on a terminal that is gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)


def has_screen() -> bool:
    """Whether there is a terminal to show a screen on."""
    return _why_no_screen() is None


def _why_no_screen() -> str | None:
    from evaltui.tui.terminal import why_no_screen

    return why_no_screen(os.environ, stdin=sys.stdin.isatty(), stderr=sys.stderr.isatty())


def _plainly(log_dir: Path, why: str) -> int:
    from evaltui.commands.looking import look
    from evaltui.commands.status import status_lines

    if not log_dir.exists():
        raise Usage(f"{why}, so no screen is shown, and {log_dir} does not exist")
    for line in status_lines(look(log_dir), time.time()):
        click.echo(line)
    return 0


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
