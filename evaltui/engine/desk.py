"""What an engine has before it: the set as wanted and as it stands, and what is under way.

One desk belongs to one engine and its thread. It holds, and answers simple questions about what it
holds; what is done with it stands in the modules that take it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from evaltui.cells import Cell
from evaltui.engine.attempts import Attempts
from evaltui.engine.book import Book
from evaltui.engine.loads import Loads
from evaltui.engine.recoveries import Recoveries
from evaltui.engine.retry import LONGEST_WAIT
from evaltui.engine.state import CellState, CellStatus, SetState
from evaltui.engine.wanted import Wanted
from evaltui.engine.workers import Starts
from evaltui.logs.index import LogIndex
from evaltui.logs.layout import Layout
from evaltui.plan import CellPlan


class Wish(msgspec.Struct, frozen=True):
    """What a person asked of a cell's next attempt beyond what the plan says by itself."""

    retry_errors: bool = False
    rescore: bool = False
    reason: str = ""


class Desk(msgspec.Struct):
    """spec_number: grows with each spec that is read, so that an attempt of an earlier one is seen.

    since: when the run began that this engine minds, unix seconds (see `runs`). unplanned: cells of
    which nothing starts before they are planned. plans: of the cells that may start. wishes: until
    they are fulfilled. replans: how often in a row a cell's load differed from its plan.
    holds_made_here: somebody held something while this engine ran, and may release it. stopping:
    nothing starts any more.
    """

    layout: Layout
    launcher: Starts
    book: Book
    wanted: Wanted
    attempts: Attempts
    loads: Loads
    recoveries: Recoveries
    index: LogIndex
    since: float
    eval_set_id: str
    spec_number: int = 1
    unplanned: set[str] = msgspec.field(default_factory=set)
    plans: dict[str, CellPlan] = msgspec.field(default_factory=dict)
    wishes: dict[str, Wish] = msgspec.field(default_factory=dict)
    replans: Counter[str] = msgspec.field(default_factory=Counter)
    holds_made_here: bool = False
    stopping: bool = False
    _sorted_for: SetState | None = None
    _sorted: dict[CellStatus, list[CellState]] = msgspec.field(default_factory=dict)

    @property
    def now(self) -> float:
        return self.book.now

    def cells(self) -> Iterator[CellState]:
        """In spec order."""
        yield from self.book.state.cells.values()

    def cell(self, key: str) -> Cell:
        return self.book.state.cells[key].cell

    def with_status(self, *statuses: CellStatus) -> list[CellState]:
        """The cells of these statuses, in spec order."""
        state = self.book.state
        if state is not self._sorted_for:
            self._sorted_for = state
            self._sorted = {}
            for cell in state.cells.values():
                self._sorted.setdefault(cell.status, []).append(cell)
        found = [cell for status in statuses for cell in self._sorted.get(status, ())]
        return sorted(found, key=lambda cell: cell.cell.index) if len(statuses) > 1 else found

    @property
    def unfinished(self) -> list[CellState]:
        """Cells that run or may run without anybody's doing."""
        return self.with_status("running", "queued", "waiting", "idle")

    def due(self) -> list[CellState]:
        """Cells that could start now: queued, or waiting and their time has come.

        One that is further off than any wait was reckoned on a clock that has been set back since.
        """
        now = self.now
        return [
            cell
            for cell in self.with_status("queued", "waiting")
            if cell.status == "queued"
            or (cell.due is not None and not now < cell.due <= now + LONGEST_WAIT)
        ]

    @property
    def task_names(self) -> frozenset[str]:
        """Of all cells: `sample_id` may name samples of one task."""
        return frozenset(cell.cell.task for cell in self.cells())

    def is_recovering(self, cell: CellState) -> bool:
        """Whether a log of the cell is still being brought back."""
        progress = cell.progress
        return progress is not None and progress.log in self.recoveries.busy
