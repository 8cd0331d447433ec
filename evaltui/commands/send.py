"""`evaltui send`: a command to the running engine."""

from __future__ import annotations

import contextlib
import fnmatch
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import click

from evaltui.commands.set_options import Usage, local_directory

if TYPE_CHECKING:
    from evaltui.cells import Cell
    from evaltui.engine.state import SetState
    from evaltui.logs.journal import CommandName
    from evaltui.logs.layout import Layout

Scope = Literal["cell", "lane", "set"]
_MOST_NAMED = 5
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
    cells the whole set is meant. Holding and releasing need no engine.

    After a quit nobody minds the set; what runs goes on, and `evaltui run LOG_DIR` takes it up.
    """
    from evaltui.engine.lock import HeldError, holder
    from evaltui.engine.tail import Tail
    from evaltui.logs.layout import Layout

    layout = Layout(local_directory(log_dir))
    runs = holder(layout) is not None
    if not runs and order not in ("hold", "release"):
        raise Usage(f"no engine runs on {log_dir}; start one with: evaltui run {log_dir}")
    state = Tail(layout).poll()
    scope, targets = _meant(state, cells, lane, log_dir)
    if not runs:
        with contextlib.suppress(HeldError):  # one has come since: it is told
            _decide(layout, order, scope, targets)
            click.echo(_decided(order, _named(state, scope, targets), log_dir))
            return
    click.echo(_asked(layout, order, scope, targets, log_dir))


def _meant(
    state: SetState, cells: Sequence[str], lanes: Sequence[str], log_dir: str
) -> tuple[Scope, list[str]]:
    if lanes:
        unknown = [name for name in lanes if name not in state.lanes]
        if unknown:
            raise Usage(f"{unknown[0]} is no model of this set; it has {', '.join(state.lanes)}")
        return "lane", list(lanes)
    if cells:
        return "cell", _keys(cells, [cell.cell for cell in state.cells.values()], log_dir)
    return "set", []


def _asked(
    layout: Layout, order: CommandName, scope: Scope, targets: Sequence[str], log_dir: str
) -> str:
    """What the engine made of it. Raises Usage where it refuses."""
    from evaltui.engine.clock import SystemClock
    from evaltui.engine.inbox import outcome, send

    sent = send(layout, order, targets, scope)
    answer = outcome(layout, sent, SystemClock(), 10)
    if answer is None:
        raise Usage(f"the engine of {log_dir} has not answered within 10 s; see evaltui status")
    if answer.refused:
        raise Usage(answer.outcome)
    return answer.outcome


def _decide(layout: Layout, order: CommandName, scope: Scope, targets: Sequence[str]) -> None:
    """A hold or a release of a set that nobody minds, for the next engine. Raises HeldError."""
    from evaltui.engine.at_rest import decide
    from evaltui.engine.clock import SystemClock
    from evaltui.logs import journal as jn

    clock = SystemClock()
    kind = jn.Held if order == "hold" else jn.Released
    named = targets or ["set"]
    decide(layout, [kind(t=clock.now(), scope=scope, target=each) for each in named], clock)


def _decided(order: CommandName, named: str, log_dir: str) -> str:
    if order == "hold":
        return f"Held {named}; nothing of it starts until it is released."
    return f"Released {named}; evaltui run {log_dir} goes on with it."


def _named(state: SetState, scope: Scope, targets: Sequence[str]) -> str:
    """What is meant, by the names that people know."""
    from evaltui.commands.lines import cell_names
    from evaltui.commands.looking import output_glyphs
    from evaltui.text import count, visible

    if scope == "set":
        return "the set"
    shown = [visible(target) for target in targets[:_MOST_NAMED]]
    if scope == "cell":
        names = cell_names([cell.cell for cell in state.cells.values()], output_glyphs().times)
        shown = [visible(names[key]) for key in targets[:_MOST_NAMED]]
    more = len(targets) - len(shown)
    said = ", ".join(shown) + (f" and {count(more)} more" if more else "")
    return f"the lane{'s' * (len(targets) > 1)} {said}" if scope == "lane" else said


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
