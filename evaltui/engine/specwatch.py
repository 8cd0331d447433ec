"""The spec watched while an engine runs: a good edit is taken up, a broken one is only reported."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from evaltui.cells import Cell, Problem
from evaltui.engine.desk import Desk
from evaltui.engine.finding import take_back
from evaltui.engine.holds import released
from evaltui.engine.wanted import Stamp, Wanted, read_wanted, spec_stamp
from evaltui.logs import journal as jn
from evaltui.spec import SetSpec, SpecError

BENIGN = frozenset(
    {"max_tasks", "retry_attempts", "retry_wait", "retry_immediate", "retry_cleanup"}
)
"""Settings that the engine heeds at once and that change no plan."""

SETTLES = 0.5
"""Seconds after which a file that looks cut off is taken for what was meant."""


class SpecWatch:
    """Notices edits of `evalset.toml`.

    Whoever writes in place leaves a moment with half a file, or an empty one: it is broken or has
    lost cells. Such a one counts when it stays so.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._seen = spec_stamp(desk.layout)
        self._changed: tuple[Stamp | None, float] = (self._seen, desk.now)

    def turn(self) -> None:
        """Take up an edit made since the last turn. Raises OSError where it can't be journalled."""
        desk = self._desk
        seen = spec_stamp(desk.layout)
        if seen is None or seen == self._seen:
            return  # an editor that replaces the file leaves a moment without one
        if seen != self._changed[0]:
            self._changed = (seen, desk.now)
        settled = desk.now - self._changed[1] >= SETTLES
        try:
            wanted = read_wanted(desk.layout)
        except SpecError as error:
            if settled:
                self._seen = seen
                desk.book.say(_broken(error, desk.now))
        except OSError as error:
            self._seen = seen
            desk.book.tell(f"evalset.toml can't be read: {error.strerror}.", "warning")
        else:
            if settled or not _loses_cells(wanted, desk.wanted):
                self._seen = seen
                take_up(desk, wanted)


def _loses_cells(now: Wanted, before: Wanted) -> bool:
    return bool({cell.key for cell in before.cells.cells} - {cell.key for cell in now.cells.cells})


def _broken(error: SpecError, now: float) -> jn.SpecBroken:
    return jn.SpecBroken(t=now, message=error.message, line=error.line, column=error.column)


def take_up(desk: Desk, wanted: Wanted) -> None:
    """Work by this spec from here on: running cells go on, the others are planned again."""
    before = desk.wanted
    if wanted == before and desk.book.state.spec_error is None:
        return
    known = {cell.key: cell for cell in before.cells.cells}
    desk.wanted = wanted
    _let_go(desk, {cell.key for cell in wanted.cells.cells})
    desk.book.recast(wanted.cells.cells)
    desk.book.say(jn.SpecRead(t=desk.now, cells=tuple(cell.key for cell in wanted.cells.cells)))
    tell_problems(desk, wanted.cells.problems, before.cells.problems)
    desk.plans = {key: plan for key, plan in desk.plans.items() if key in desk.book.state.cells}
    touched = _touched(wanted.spec, before.spec, known, wanted.cells.cells)
    if not touched:
        return
    desk.spec_number += 1
    if free := released(desk.book.past, touched, desk.now):
        desk.book.say(*free)
    for key in touched:
        state = desk.book.state.cells[key]
        desk.plans.pop(key, None)
        if state.status == "blocked":
            desk.loads.forget(state.cell)  # what kept it from loading may be mended
        if state.status != "running":
            desk.unplanned.add(key)
    if added := {cell.key for cell in wanted.cells.cells} - known.keys():
        take_back(desk, added)


def _let_go(desk: Desk, wanted: Collection[str]) -> None:
    """Cells that the set has no more finish the samples under way, and pay for no others."""
    gone = [running for running in desk.attempts if running.cell not in wanted]
    for running in gone:
        if running.step is None:
            running.left_set = True
            desk.attempts.stop(running, "drain")
    if gone:
        cells = "1 cell that runs has" if len(gone) == 1 else f"{len(gone)} cells that run have"
        desk.book.tell(f"{cells} left the set: samples under way finish, no more start.")


def tell_problems(desk: Desk, problems: tuple[Problem, ...], before: tuple[Problem, ...]) -> None:
    """Say what stands in the way of cells, unless it was said before."""
    for problem in problems:
        if problem not in before:
            desk.book.tell(problem.message, "error")


def _touched(
    now: SetSpec, before: SetSpec, known: Mapping[str, Cell], cells: tuple[Cell, ...]
) -> list[str]:
    """Cells whose plan the edit may have changed: all when a rule changed, else the new ones."""
    if _rules(now) != _rules(before) or now.root != before.root:
        return [cell.key for cell in cells]
    return [cell.key for cell in cells if _differs(cell, known.get(cell.key))]


def _rules(spec: SetSpec) -> dict[str, Any]:
    return {key: value for key, value in spec.settings.items() if key not in BENIGN}


def _differs(cell: Cell, before: Cell | None) -> bool:
    return before is None or cell.order() != before.order()
