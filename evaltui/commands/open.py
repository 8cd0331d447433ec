"""`evaltui open`, which is what `evaltui LOG_DIR` means: a set on the screen."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import click

from evaltui.commands.screen import show_set, why_no_screen
from evaltui.commands.set_command import SetCommand
from evaltui.commands.set_options import SetLine, Usage, set_line, set_options


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
    why = why_no_screen()
    ctx.exit(show_set(line.log_dir) if why is None else _plainly(line.log_dir, why))


def _amend(line: SetLine) -> None:
    from evaltui.commands.running import with_id
    from evaltui.commands.setting_up import set_up
    from evaltui.logs.layout import Layout

    if line.asks_for_change:
        set_up(line, Path.cwd())
    with_id(Layout(line.log_dir), line.eval_set_id)


def _plainly(log_dir: Path, why: str) -> int:
    from evaltui.commands.looking import look
    from evaltui.commands.status import status_lines

    if not log_dir.exists():
        raise Usage(f"{why}, so no screen is shown, and {log_dir} does not exist")
    for line in status_lines(look(log_dir), time.time()):
        click.echo(line)
    return 0
