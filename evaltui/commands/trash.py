"""`evaltui trash`: the superseded logs of a set; only here are they ever deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evaltui.commands.set_options import Usage, directory_there

if TYPE_CHECKING:
    from evaltui.logs.layout import Layout


@click.command("trash")
@click.argument("log_dir")
@click.option("--restore", "restore", metavar="NAME", help="Move a log back; `all` for every one.")
@click.option("--empty", is_flag=True, help="Delete the superseded logs for good.")
def command(log_dir: str, restore: str | None, empty: bool) -> None:
    """List the superseded logs of LOG_DIR, bring them back, or delete them."""
    from evaltui.engine import trash
    from evaltui.logs.layout import Layout
    from evaltui.text import count, visible

    if restore and empty:
        raise Usage("--restore and --empty say opposite things; keep one")
    layout = Layout(directory_there(log_dir))
    try:
        if empty:
            number, size = trash.empty(layout)
            click.echo(f"{number} logs deleted, {count(size)} bytes freed")
            return
        for path in trash.contents(layout):
            if restore is None:
                click.echo(f"{visible(path.name)}  {count(path.stat().st_size)} bytes")
        if restore is not None:
            for log in _restored(layout, restore):
                click.echo(f"{visible(log)} is back in {log_dir}")
    except (OSError, trash.TrashError) as error:
        raise Usage(str(error)) from None


def _restored(layout: Layout, name: str) -> list[str]:
    """Bring back one log, or all."""
    from evaltui.engine import trash, undo
    from evaltui.engine.clock import SystemClock

    there = {path.name: undo.log_name(layout, path.name) for path in trash.contents(layout)}
    wanted = [each for each, log in there.items() if name in ("all", each, log)]
    if not wanted:
        raise Usage(
            f"no log called {name} is in the trash; evaltui trash {layout.log_dir} lists it"
        )
    return undo.restore(layout, wanted, SystemClock())
