"""A set as whoever looks on sees it: spec, journal and events, read on and folded.

Plain output and the screen both look through this, whether the engine is a thread of this process,
another process or on another host. It only reads, and cheaply: what has not grown is not opened.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import MappingProxyType

from msgspec.structs import replace

from evaltui.cells import Cell, Problem
from evaltui.engine.feed import Feed
from evaltui.engine.folding import AttemptEvents, fold
from evaltui.engine.state import Progress, SetState, with_cells
from evaltui.engine.wanted import Stamp, read_wanted, spec_stamp
from evaltui.engine.workers import lives
from evaltui.logs import journal as jn
from evaltui.logs.files import is_locked, read_lines
from evaltui.logs.layout import Layout
from evaltui.spec import SetSpec, SpecError

UNWATCHED = "Its worker ended while nobody watched; start the set to see what is left."


class Tail:
    """Follows one log directory. Not for several threads."""

    def __init__(self, layout: Layout, cells: Sequence[Cell] = ()) -> None:
        """cells: what to show while there is no `evalset.toml`."""
        self._layout = layout
        self._cells = tuple(cells)
        self._spec_seen: Stamp | None = None
        self.spec: SetSpec | None = None
        self.problems: tuple[Problem, ...] = ()
        self._begin()

    def _begin(self) -> None:
        self._folded = with_cells(SetState(), self._cells)
        self._offset = 0
        self._feeds: dict[str, Feed] = {}
        self._shown = self._folded
        self._shown_for: tuple[SetState, bool, tuple[str, ...]] = (self._folded, False, ())

    def poll(self) -> SetState:
        """The set as it stands. The same object as before when nothing changed."""
        if self._spec_changed():
            self._begin()
        first = self._offset == 0
        records: list[jn.Entry | AttemptEvents] = []
        for entry in self._entries():
            if isinstance(entry, jn.AttemptEnded) and not first:
                # its last events come before its end, which the set's counts rest on
                records.append(self._events(entry.cell, entry.attempt))
                self._feeds.pop(entry.attempt, None)
            records.append(entry)
        self._folded = fold(self._folded, records)
        self._folded = fold(self._folded, self._events_of_followed(first))
        return self._with_who_lives()

    # --- the spec ----------------------------------------------------------------------------

    def _spec_changed(self) -> bool:
        seen = spec_stamp(self._layout)
        if seen == self._spec_seen:
            return False
        self._spec_seen = seen
        try:
            wanted = read_wanted(self._layout)
        except (SpecError, OSError):
            return False  # the spec before it stays in force; the engine says what is wrong
        self.spec = wanted.spec
        self.problems = wanted.cells.problems
        changed = wanted.cells.cells != self._cells
        self._cells = wanted.cells.cells
        return changed

    # --- journal and events -------------------------------------------------------------------

    def _entries(self) -> list[jn.Entry]:
        try:
            if os.stat(self._layout.journal).st_size == self._offset:
                return []
        except OSError:
            return []
        entries: list[jn.Entry]
        entries, self._offset = read_lines(self._layout.journal, jn.Entry, self._offset)
        return entries

    def _events_of_followed(self, first: bool) -> list[AttemptEvents]:
        """Of cells that run, and at first of those left unfinished; finished ones have totals."""
        found = [
            self._events(key, cell.progress.attempt)
            for key, cell in self._folded.cells.items()
            if cell.progress is not None
            and (cell.status == "running" or (first and cell.status != "complete"))
        ]
        return [record for record in found if record.events]

    def _events(self, cell: str, attempt: str) -> AttemptEvents:
        return AttemptEvents(cell, attempt, self._feed(attempt).read())

    def _feed(self, attempt: str) -> Feed:
        if attempt not in self._feeds:
            self._feeds[attempt] = Feed(self._layout.attempt(attempt))
        return self._feeds[attempt]

    # --- who lives ----------------------------------------------------------------------------

    def _with_who_lives(self) -> SetState:
        """A killed engine or worker says nothing in the journal: their locks are free."""
        gone = self._folded.engine is not None and not _is_locked(self._layout)
        dead = self._dead() if gone or self._folded.engine is None else ()
        folded, *overlaid = self._shown_for
        if folded is not self._folded or overlaid != [gone, dead]:
            self._shown_for = (self._folded, gone, dead)
            self._shown = _without(self._folded, gone, dead)
        return self._shown

    def _dead(self) -> tuple[str, ...]:
        return tuple(
            key
            for key, cell in self._folded.cells.items()
            if cell.status == "running" and not self._lives(cell.progress)
        )

    def _lives(self, progress: Progress | None) -> bool:
        if progress is None or progress.ended is not None:
            return False
        return lives(self._layout.attempt(progress.attempt))


def _without(state: SetState, engine_gone: bool, dead: Sequence[str]) -> SetState:
    if not engine_gone and not dead:
        return state
    cells = dict(state.cells)
    for key in dead:
        cells[key] = replace(cells[key], status="idle", message=UNWATCHED)
    return replace(
        state,
        cells=MappingProxyType(cells),
        engine=None if engine_gone else state.engine,
        changes=state.changes + 1,
    )


def _is_locked(layout: Layout) -> bool:
    try:
        return is_locked(layout.lock)
    except OSError:
        return False
