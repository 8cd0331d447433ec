"""`evaltui send`: a command to the running engine."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from evaltui.commands.set_options import Usage, local_directory

if TYPE_CHECKING:
    from evaltui.cells import Cell
    from evaltui.logs.journal import CommandName

COMMANDS: tuple[CommandName, ...] = ("cancel", "rerun", "hold", "release", "drop", "quit")


@click.command("send")
@click.argument("log_dir")
@click.argument("order", metavar="COMMAND", type=click.Choice(COMMANDS))
@click.argument("cells", nargs=-1)
@click.option("--lane", multiple=True, help="A model, all of whose cells are meant.")
def command(
    log_dir: str, order: CommandName, cells: tuple[str, ...], lane: tuple[str, ...]
) -> None:
    """Tell the engine of LOG_DIR to cancel, rerun, hold, release or drop cells, or to quit.

    CELL is a key as `status --json` has it, a task name, or TASK@MODEL; globs are allowed. Without
    cells the whole set is meant.
    """
    from evaltui.engine.clock import SystemClock
    from evaltui.engine.inbox import outcome, send
    from evaltui.engine.lock import holder
    from evaltui.engine.tail import Tail
    from evaltui.logs.layout import Layout

    directory = local_directory(log_dir)
    layout = Layout(directory)
    if holder(layout) is None:
        raise Usage(f"no engine runs on {log_dir}; start one with: evaltui run {log_dir}")
    state = Tail(layout).poll()
    known = [cell.cell for cell in state.cells.values()]
    if lane:
        unknown = [name for name in lane if name not in state.lanes]
        if unknown:
            raise Usage(f"{unknown[0]} is no model of this set; it has {', '.join(state.lanes)}")
        sent = send(layout, order, lane, scope="lane")
    elif cells:
        sent = send(layout, order, _keys(cells, known, log_dir))
    else:
        sent = send(layout, order, scope="set")
    answer = outcome(layout, sent, SystemClock(), 10)
    if answer is None:
        raise Usage(f"the engine of {log_dir} has not answered within 10 s; see evaltui status")
    if answer.refused:
        raise Usage(answer.outcome)
    click.echo(answer.outcome)


def _keys(named: Sequence[str], cells: Sequence[Cell], log_dir: str) -> list[str]:
    found: list[str] = []
    for name in named:
        matching = [
            cell.key
            for cell in cells
            if cell.key.startswith(name)
            or fnmatch.fnmatchcase(cell.task, name)
            or fnmatch.fnmatchcase(f"{cell.task}@{cell.model}", name)
        ]
        if not matching:
            raise Usage(
                f"no cell of {log_dir} is called {name}; evaltui status {log_dir} lists them"
            )
        found += [key for key in matching if key not in found]
    return found
