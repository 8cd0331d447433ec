"""Holds that the engine makes by itself, and when they end. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from evaltui.engine.state import CellState, SetState
from evaltui.logs import journal as jn


def held_by_engine(cell: str, reason: str, now: float, log: str | None = None) -> jn.Held:
    """A cell that nothing but a person's word may run again. log: what could not be recovered."""
    return jn.Held(t=now, scope="cell", target=cell, reason=reason, automatic=True, log=log)


def unrecovered(log: str, why: str) -> str:
    """Why a cell is held of which a log can't be recovered."""
    return (
        f"{log} can't be recovered ({why.rstrip('.')}), and samples that it finished may be lost; "
        "mend that and run the set again, or go on without them: release the cell, or move the log "
        "away."
    )


def let_go(cell: str, now: float) -> jn.Released:
    """The engine's own hold of a cell is over."""
    return jn.Released(t=now, scope="cell", target=cell, automatic=True)


def released(past: Iterable[jn.Entry], cells: Collection[str], now: float) -> list[jn.Released]:
    """What lets go of those of `cells` that the engine holds by itself.

    A person's holds stay, and so do those for a log that could not be recovered.
    """
    automatic: dict[str, bool] = {}
    for entry in past:
        if isinstance(entry, jn.Held) and entry.scope == "cell":
            automatic[entry.target] = entry.automatic and entry.log is None
        elif isinstance(entry, jn.Released) and entry.scope == "cell":
            automatic.pop(entry.target, None)
    return [
        let_go(cell, now) for cell, by_engine in automatic.items() if by_engine and cell in cells
    ]


def held_for(past: Iterable[jn.Entry]) -> dict[str, set[str]]:
    """Cell -> the logs for which it is held, since their samples could not be recovered."""
    return _unrecovered(past)[0]


def given_up(past: Iterable[jn.Entry]) -> set[str]:
    """Logs without whose unrecovered samples a person has let the cell go on."""
    return _unrecovered(past)[1]


def _unrecovered(past: Iterable[jn.Entry]) -> tuple[dict[str, set[str]], set[str]]:
    held: dict[str, set[str]] = {}
    without: set[str] = set()
    for entry in past:
        if isinstance(entry, jn.Held) and entry.scope == "cell" and entry.log is not None:
            held.setdefault(entry.target, set()).add(entry.log)
        elif isinstance(entry, jn.Released) and entry.scope == "cell":
            logs = held.pop(entry.target, set())
            without |= set() if entry.automatic else logs
    return held, without


def still_held(state: SetState, past: Iterable[jn.Entry], lost: Collection[str]) -> dict[str, str]:
    """Cell -> why it will be held when a person starts the set, which ends the engine's own holds.

    lost: names of logs that can't be recovered now either.
    """
    latest: dict[str, jn.Held] = {}
    logs: dict[str, set[str]] = {}
    for entry in past:
        if isinstance(entry, jn.Held) and entry.scope == "cell":
            latest[entry.target] = entry
            logs.setdefault(entry.target, set()).update([entry.log] if entry.log else [])
        elif isinstance(entry, jn.Released) and entry.scope == "cell":
            latest.pop(entry.target, None)
            logs.pop(entry.target, None)

    def stays(cell: CellState) -> bool:
        hold = latest.get(cell.cell.key)
        if state.held or state.lanes[cell.cell.lane].held or hold is None:
            return True
        return not hold.automatic or not logs[cell.cell.key].isdisjoint(lost)

    return {
        key: cell.message
        for key, cell in state.cells.items()
        if cell.status == "held" and stays(cell)
    }
