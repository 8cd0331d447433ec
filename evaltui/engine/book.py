"""The journal and the state it makes: an engine's one way of deciding anything.

What is said here is on the disk before anything depends on it, and folded as everybody else folds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import MappingProxyType

from msgspec.structs import replace

from evaltui.cells import Cell
from evaltui.engine.clock import Clock
from evaltui.engine.folding import AttemptEvents, fold
from evaltui.engine.state import CellState, SetState, with_cells
from evaltui.logs import journal as jn
from evaltui.logs.attempt import Event
from evaltui.logs.files import append_lines, read_lines
from evaltui.logs.layout import Layout

_TALK = (jn.Planned, jn.Message, jn.SpecRead)
"""Entries on which no later decision rests: a crash may lose them."""


class Book:
    """The journal of one log directory in the hands of its engine."""

    def __init__(self, layout: Layout, clock: Clock) -> None:
        self._layout = layout
        self._clock = clock
        self._past: list[jn.Entry] = []
        self._written: dict[str, set[str]] = {}
        self.state = SetState()

    def open(self, cells: Iterable[Cell]) -> None:
        """Read what was decided before, for these cells. Raises OSError."""
        self._layout.private.mkdir(parents=True, exist_ok=True)
        self._past, _ = read_lines(self._layout.journal, jn.Entry)
        self._note(self._past)
        self.state = fold(with_cells(SetState(), cells), self._past)

    @property
    def past(self) -> Sequence[jn.Entry]:
        """All entries so far, those of earlier engines included."""
        return self._past

    def logs_written(self, cell: str) -> frozenset[str]:
        """Logs that attempts of this cell wrote, less those that were ever moved to the trash.

        One of those that is there again was brought back, whether or not that could be journalled.
        """
        return frozenset(self._written.get(cell, ()))

    def _note(self, entries: Iterable[jn.Entry]) -> None:
        for entry in entries:
            match entry:
                case jn.AttemptEnded(log=str(log)) | jn.Recovered(log=log) if entry.cell:
                    self._written.setdefault(entry.cell, set()).add(log)
                case jn.Trashed() | jn.Restored():
                    for logs in self._written.values():
                        logs.discard(entry.log)
                case _:
                    pass

    @property
    def now(self) -> float:
        return self._clock.now()

    def cell(self, key: str) -> CellState:
        return self.state.cells[key]

    def say(self, *entries: jn.Entry) -> None:
        """Decide, all at once. Raises OSError where it can't be written: then nothing is."""
        sync = not all(isinstance(entry, _TALK) for entry in entries)
        append_lines(self._layout.journal, entries, sync=sync)
        self._past.extend(entries)
        self._note(entries)
        self.state = fold(self.state, entries)

    def tell(self, text: str, level: jn.Level = "info") -> None:
        """A message to whoever looks on."""
        self.say(jn.Message(t=self.now, text=text, level=level))

    def hear(self, cell: str, attempt: str, events: Sequence[Event]) -> None:
        """What a worker said."""
        if events:
            self.state = fold(self.state, [AttemptEvents(cell, attempt, events)])

    def recast(self, cells: Sequence[Cell]) -> None:
        """The spec asks for other cells now; one that comes back has its past back."""
        known = self.state.cells
        before = fold(with_cells(SetState(), cells), self._past).cells
        kept = {cell.key: known.get(cell.key, before[cell.key]) for cell in cells}
        state = replace(self.state, cells=MappingProxyType(kept))
        self.state = with_cells(state, cells)
