"""Commands from the inbox carried out: each is journalled with what came of it, then taken out.

A command that can't be carried out is refused in a sentence; it never stops the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from evaltui.engine import inbox
from evaltui.engine.attempts import Running
from evaltui.engine.desk import Desk, Wish
from evaltui.engine.state import CellState
from evaltui.engine.stopping import Step, Stop, further
from evaltui.engine.trash import TrashError, bring_back
from evaltui.logs import journal as jn


class RefusedError(Exception):
    """Why a command is not carried out, in a sentence."""


class Obeyed(msgspec.Struct, frozen=True):
    """What came of a command. stop: how the engine is to stop, if it is."""

    outcome: str
    cells: Sequence[str] = ()
    stop: Stop | None = None
    entries: Sequence[jn.Entry] = ()


def obey(desk: Desk) -> list[Stop]:
    """Carry out what lies in the inbox; the stops (`drain`, `cancel`, `hand_over`) asked for.

    Raises OSError where the journal or the inbox can't be written.
    """
    stops: list[Stop] = []
    for path, command in inbox.waiting(desk.layout):
        if command is None:
            desk.book.tell(f"{path.name} in the inbox is no command and was taken out.", "warning")
        elif not _was_taken(desk, command):
            stop = _take(desk, command)
            if stop is not None:
                stops.append(stop)
        inbox.remove(path)
    return stops


def _was_taken(desk: Desk, command: jn.Command) -> bool:
    """A crash between doing and taking out leaves a command that must not be done twice."""
    return any(
        isinstance(entry, jn.CommandTaken) and entry.id == command.id for entry in desk.book.past
    )


def _take(desk: Desk, command: jn.Command) -> Stop | None:
    refused = False
    try:
        obeyed = _ACTIONS[command.command](desk, command)
    except RefusedError as why:
        obeyed, refused = Obeyed(str(why)), True
    desk.book.say(
        jn.CommandTaken(
            t=desk.now,
            id=command.id,
            command=command.command,
            cells=tuple(obeyed.cells),
            arguments=command.arguments,
            outcome=obeyed.outcome,
            refused=refused,
        ),
        *obeyed.entries,
    )
    return obeyed.stop


# --- which cells --------------------------------------------------------------------------------


def _asked_for(desk: Desk, command: jn.Command) -> list[CellState]:
    """The cells a command names: by key, by lane, or all. Raises RefusedError."""
    cells = desk.book.state.cells
    if command.scope == "set" or (command.scope == "cell" and not command.cells):
        return list(cells.values())
    known = cells if command.scope == "cell" else desk.book.state.lanes
    for name in command.cells:
        if name not in known:
            what = "cell" if command.scope == "cell" else "lane"
            raise RefusedError(f"There is no {what} {name} in the set; status lists them.")
    if command.scope == "cell":
        return [cells[key] for key in command.cells]
    return [cell for cell in cells.values() if cell.cell.lane in command.cells]


def _some(cells: Iterable[CellState], why_none: str) -> list[CellState]:
    found = list(cells)
    if not found:
        raise RefusedError(why_none)
    return found


def _keys(cells: Iterable[CellState]) -> list[str]:
    return [cell.cell.key for cell in cells]


def _count(cells: Sequence[object], what: str = "cell") -> str:
    return f"1 {what}" if len(cells) == 1 else f"{len(cells)} {what}s"


# --- running and not running --------------------------------------------------------------------


def _rerun(desk: Desk, command: jn.Command) -> Obeyed:
    cells = _asked_for(desk, command)
    named = bool(command.cells) and command.scope == "cell"
    ready = [
        cell
        for cell in cells
        if cell.status not in ("running", "complete") and (named or cell.status != "held")
    ]
    found = _some(ready, f"Nothing to rerun: {_statuses(cells)}.")
    free = [
        jn.Released(t=desk.now, scope="cell", target=cell.cell.key) for cell in found if cell.held
    ]
    begun = _begin(desk, found, Wish(reason="asked"), f"{_count(found)} to run now.")
    return replace(begun, entries=free)


def _resume(desk: Desk, command: jn.Command) -> Obeyed:
    cells = _asked_for(desk, command)
    ready = [cell for cell in cells if cell.status not in ("running", "held")]
    found = _some(ready, f"Nothing to resume: {_statuses(cells)}.")
    return _begin(desk, found, Wish(), f"{_count(found)} planned again.")


def _retry_errors(desk: Desk, command: jn.Command) -> Obeyed:
    cells = _asked_for(desk, command)
    ready = [cell for cell in cells if cell.status not in ("running", "held")]
    found = _some(ready, f"No errors to run again: {_statuses(cells)}.")
    wish = Wish(retry_errors=True, reason="errors again")
    return _begin(desk, found, wish, f"Errors of {_count(found)} run again.")


def _rescore(desk: Desk, command: jn.Command) -> Obeyed:
    cells = _asked_for(desk, command)
    ready = [cell for cell in cells if cell.status not in ("running", "held")]
    found = _some(ready, f"Nothing to score again: {_statuses(cells)}.")
    return _begin(desk, found, Wish(rescore=True, reason="rescore"), f"Scoring {_count(found)}.")


def _begin(desk: Desk, cells: Sequence[CellState], wish: Wish, outcome: str) -> Obeyed:
    keys = _keys(cells)
    for cell in cells:
        key = cell.cell.key
        desk.plans.pop(key, None)
        desk.loads.forget(cell.cell)
        desk.unplanned.add(key)
        if wish != Wish():
            desk.wishes[key] = wish
    return Obeyed(outcome, keys)


def _replan(desk: Desk, command: jn.Command) -> Obeyed:
    cells = [cell for cell in _asked_for(desk, command) if cell.status != "running"]
    found = _some(cells, "Every cell runs; a running cell is not disturbed.")
    return _begin(desk, found, Wish(), f"{_count(found)} planned again.")


def _drop(desk: Desk, command: jn.Command) -> Obeyed:
    cells = _asked_for(desk, command)
    waiting = [cell for cell in cells if cell.status in ("waiting", "queued")]
    found = _some(waiting, f"No waiting run to drop: {_statuses(cells)}.")
    for cell in found:
        desk.plans.pop(cell.cell.key, None)
        desk.unplanned.discard(cell.cell.key)
    dropped = [jn.Dropped(t=desk.now, cell=key) for key in _keys(found)]
    return Obeyed(f"{_count(found)} will not run by itself.", _keys(found), entries=dropped)


def _cancel(desk: Desk, command: jn.Command) -> Obeyed:
    if command.scope == "set":
        return _stop(desk, command)
    cells = _asked_for(desk, command)
    runs = [run for cell in cells if (run := desk.attempts.of(cell.cell.key)) is not None]
    idle = [cell for cell in cells if cell.status in ("queued", "waiting")]
    _some([*cells] if runs or idle else [], f"Nothing to cancel: {_statuses(cells)}.")
    for run in runs:
        desk.attempts.stop(run, _step(run, command))
    for cell in idle:
        desk.plans.pop(cell.cell.key, None)
        desk.unplanned.discard(cell.cell.key)
    cancelled = [jn.Cancelled(t=desk.now, cell=key) for key in _keys(idle)]
    keys = [run.cell for run in runs] + _keys(idle)
    return Obeyed(_how_it_stops(runs, idle), keys, entries=cancelled)


def _step(run: Running, command: jn.Command) -> Step:
    """Asked once a worker drains, asked again it goes a step further; `now` skips the drain."""
    if command.arguments.get("now") and run.step in (None, "drain"):
        return "interrupt"
    return further(run.step)


def _how_it_stops(runs: Sequence[Running], idle: Sequence[CellState]) -> str:
    said = []
    drained = [run for run in runs if run.step == "drain"]
    if drained:
        said.append(
            f"{_count(drained)} finishes what it runs and starts nothing new; cancel again to stop "
            "at once, which loses running samples"
        )
    at_once = len(runs) - len(drained)
    if at_once:
        said.append(f"{at_once} stops now, finished samples are kept")
    if idle:
        said.append(f"{_count(idle)} will not start")
    return "; ".join(said) + "."


# --- holds --------------------------------------------------------------------------------------


def _hold(desk: Desk, command: jn.Command) -> Obeyed:
    targets = _targets(desk, command)
    reason = str(command.arguments.get("reason", ""))
    desk.holds_made_here = True
    held = [
        jn.Held(t=desk.now, scope=command.scope, target=target, reason=reason) for target in targets
    ]
    return Obeyed(f"Held {_named(command, targets)}; what runs goes on.", entries=held)


def _release(desk: Desk, command: jn.Command) -> Obeyed:
    targets = _targets(desk, command)
    free = [jn.Released(t=desk.now, scope=command.scope, target=target) for target in targets]
    return Obeyed(f"Released {_named(command, targets)}.", entries=free)


def _targets(desk: Desk, command: jn.Command) -> list[str]:
    if command.scope == "set":
        return ["set"]
    _some(_asked_for(desk, command) if command.cells else [], "Say what to hold or release.")
    return list(command.cells)


def _named(command: jn.Command, targets: Sequence[str]) -> str:
    return "the set" if command.scope == "set" else _count(targets, command.scope)


# --- the set ------------------------------------------------------------------------------------


def _stop(desk: Desk, command: jn.Command) -> Obeyed:
    if command.arguments.get("now") or desk.stopping:
        return Obeyed("The set stops now; finished samples are kept.", stop="cancel")
    return Obeyed(
        "The set finishes what it runs and starts nothing new; stop again to stop at once.",
        stop="drain",
    )


def _quit(desk: Desk, command: jn.Command) -> Obeyed:
    count = len(desk.attempts)
    on = f"; {count} {'worker runs' if count == 1 else 'workers run'} on" if count else ""
    return Obeyed(f"The engine lets go of the set{on}.", stop="hand_over")


def _restore(desk: Desk, command: jn.Command) -> Obeyed:
    """arguments: `trash`, a name in the trash, or a list of them; none for the last one moved."""
    asked = command.arguments.get("trash")
    names = [asked] if isinstance(asked, str) else asked
    trashed = desk.book.state.trashed
    chosen = [entry for entry in trashed if names is None or entry.trash in names]
    if not chosen:
        raise RefusedError("Nothing of that name was moved to the trash by this set.")
    back = []
    for entry in chosen if names is not None else chosen[-1:]:
        try:
            bring_back(desk.layout, entry.trash, entry.log)
        except TrashError as why:
            raise RefusedError(str(why)) from None
        back.append(jn.Restored(t=desk.now, log=entry.log, trash=entry.trash))
    return Obeyed(f"Brought back {_count(back, 'log')}.", entries=back)


def _statuses(cells: Sequence[CellState]) -> str:
    if not cells:
        return "the set has no cells"
    kinds = list(dict.fromkeys(cell.status for cell in cells))
    return f"{'it is' if len(cells) == 1 else 'they are'} {', '.join(kinds)}"


_ACTIONS: Mapping[str, Callable[[Desk, jn.Command], Obeyed]] = {
    "cancel": _cancel,
    "rerun": _rerun,
    "hold": _hold,
    "release": _release,
    "drop": _drop,
    "retry_errors": _retry_errors,
    "resume": _resume,
    "quit": _quit,
    "stop": _stop,
    "restore": _restore,
    "rescore": _rescore,
    "replan": _replan,
}
