"""Rows of cells, kept from one picture to the next: of 10,000 cells few change in a second.

What it gives is what `engine.rows.cell_rows` gives; it only remembers what it worked out before.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from evaltui.cells import Cell as SetCell
from evaltui.engine.rows import CellRow, cell_row
from evaltui.engine.state import CellState
from evaltui.tui.picture import Picture
from evaltui.tui.query import Value

_TIMED = frozenset({"running", "waiting"})
"""What is said of these cells changes by the clock alone."""


def named_attributes(each: SetCell) -> dict[str, Value]:
    """What a cell is called by: task, model, and the settings that make its answers."""
    found: dict[str, Value] = {
        "task": each.task,
        "model": each.model,
        "file": each.task_file,
        "solver": PurePosixPath(each.solver).name if each.solver else None,
    }
    for name, value in (*each.task_args.items(), *each.model_config.items()):
        found[name] = plain(value)
    return found


def row_attributes(each: SetCell, row: CellRow) -> dict[str, Value]:
    """What a filter may ask of a cell."""
    shown = row.kept + row.done
    found = named_attributes(each)
    found["err"] = row.errors
    found["done"] = round(100 * shown / row.total, 1) if row.total else 0
    found["all"] = row.total
    found["next"] = row.next
    found["is"] = row.status
    return found


def plain(value: Any) -> Value:
    """A value as a list shows it and a filter compares it."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list | tuple):
        return ", ".join(str(part) for part in value)
    return str(value)


class RowMemory:
    """Remembers the rows of the last picture."""

    def __init__(self) -> None:
        self._settings: Mapping[str, Any] | None = None
        self._known: dict[str, tuple[CellState, int | None, CellRow, Mapping[str, Value]]] = {}

    def rows(
        self, picture: Picture, now: float
    ) -> tuple[tuple[CellRow, ...], tuple[Mapping[str, Value], ...]]:
        """A row and its attributes for every cell, in spec order."""
        if picture.settings is not self._settings:
            self._settings, self._known = picture.settings, {}
        minded = picture.state.engine is not None
        before, known = self._known, {}
        place = 0
        for key, cell in picture.state.cells.items():
            queued = cell.status == "queued"
            place += queued
            here = place if queued else None
            old = before.get(key)
            if old is None or old[0] is not cell or old[1] != here or cell.status in _TIMED:
                row = cell_row(cell, picture.settings, now, here, minded=minded)
                same = old is not None and old[2] == row
                attributes = old[3] if old and same else row_attributes(cell.cell, row)
                old = (cell, here, row, attributes)
            known[key] = old
        self._known = known
        return (
            tuple(each[2] for each in known.values()),
            tuple(each[3] for each in known.values()),
        )
