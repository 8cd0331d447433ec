"""Holds that the engine makes by itself, and when they end. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from evaltui.logs import journal as jn


def held_by_engine(cell: str, reason: str, now: float) -> jn.Held:
    """A cell that nothing but a person's word may run again."""
    return jn.Held(t=now, scope="cell", target=cell, reason=reason, automatic=True)


def released(past: Iterable[jn.Entry], cells: Collection[str], now: float) -> list[jn.Released]:
    """What lets go of those of `cells` that the engine holds by itself; a person's holds stay."""
    automatic: dict[str, bool] = {}
    for entry in past:
        if isinstance(entry, jn.Held) and entry.scope == "cell":
            automatic[entry.target] = entry.automatic
        elif isinstance(entry, jn.Released) and entry.scope == "cell":
            automatic.pop(entry.target, None)
    return [
        jn.Released(t=now, scope="cell", target=cell)
        for cell, by_engine in automatic.items()
        if by_engine and cell in cells
    ]
