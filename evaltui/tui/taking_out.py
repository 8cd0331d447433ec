"""From cells that somebody points at to the entries of the spec that take them out.

Reads the file of an entry that stands for a whole file, to keep its other tasks; decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from evaltui.engine.state import CellState
from evaltui.engine.wanted import task_names
from evaltui.spec import Amendment, SetSpec
from evaltui.tui.picture import Picture
from evaltui.tui.task_entries import taking_out


class Leaving(msgspec.Struct, frozen=True):
    """named: what leaves, for people. cells: of the set as it is, that go with it."""

    named: str
    change: Amendment
    cells: tuple[CellState, ...]


def without_models(picture: Picture, keys: Sequence[str]) -> Leaving | None:
    """The `[[model]]` entries of these cells. None where the picture does not know them (yet)."""
    spec, chosen = picture.spec, _cells(picture, keys)
    places = sorted({each.cell.entry[1] for each in chosen})
    if spec is None or not places or places[-1] >= len(spec.models):
        return None
    cells = _all_cells(picture)
    return Leaving(
        _named([spec.models[place].name for place in places], "models"),
        Amendment(drop_models=tuple(spec.models[place] for place in places)),
        tuple(each for each in cells if each.cell.entry[1] in places),
    )


def without_tasks(picture: Picture, keys: Sequence[str]) -> Leaving | None:
    """The tasks of these cells, each out of the `[[task]]` it stands in. None as above."""
    spec, chosen = picture.spec, _cells(picture, keys)
    leaving = dict.fromkeys((each.cell.entry[0], each.cell.task) for each in chosen)
    if spec is None or not leaving or max(leaving)[0] >= len(spec.tasks):
        return None
    cells = _all_cells(picture)
    return Leaving(
        _named([name for _, name in leaving], "tasks"),
        taking_out(
            [(spec.tasks[place], name) for place, name in leaving],
            lambda file: _names(spec, picture, file),
        ),
        tuple(each for each in cells if (each.cell.entry[0], each.cell.task) in leaving),
    )


def _names(spec: SetSpec, picture: Picture, file: str) -> Sequence[str]:
    found = task_names(spec.root_path(picture.log_dir), file)
    return found if isinstance(found, list) else ()


def _cells(picture: Picture, keys: Sequence[str]) -> list[CellState]:
    return [picture.state.cells[key] for key in keys if key in picture.state.cells]


def _all_cells(picture: Picture) -> tuple[CellState, ...]:
    return tuple(picture.state.cells.values())


def _named(names: Sequence[str], what: str) -> str:
    distinct = list(dict.fromkeys(names))
    return distinct[0] if len(distinct) == 1 else f"{len(distinct)} {what}"
