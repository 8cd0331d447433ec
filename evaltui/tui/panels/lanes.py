"""The lanes: one for each model, in two lines each where there is room, else in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaltui.engine.rows import LaneRow, OtherRow
from evaltui.text import Glyphs
from evaltui.tui.actions import Place
from evaltui.tui.lane_lines import lane_columns, lane_lines, other_line
from evaltui.tui.runs import Cell, cell
from evaltui.tui.widgets.grid import Grid, Rows

_SECOND = "\x00pace"
_OTHER = "\x00other"


class LanesPanel(Grid):
    """A list of lanes. `short`: one line each."""

    def __init__(self, *, id: str | None = None, framed: bool = True) -> None:
        super().__init__(
            Place.LANES,
            lane_columns(()),
            cell("Lanes", "title"),
            id=id,
            framed=framed,
            header=False,
        )
        self.short = False
        self._lanes = 0

    def show(
        self,
        lanes: Sequence[LaneRow],
        others: Sequence[OtherRow],
        finishes: Mapping[str, Sequence[float]],
        now: float,
        glyphs: Glyphs,
        empty: Cell,
    ) -> None:
        """Show these lanes, and below them the models that are called beside theirs, which the
        cursor does not go to. finishes: by lane, unix seconds of its last samples.
        """
        self._lanes = len(lanes)
        rows: list[tuple[str, tuple[Cell, ...]]] = []
        for lane in lanes:
            lines = lane_lines(lane, finishes.get(lane.name, ()), now, glyphs, short=self.short)
            rows += zip((lane.name, lane.name + _SECOND), lines, strict=False)
        rows += [(_OTHER + other.name, other_line(other, glyphs)) for other in others]
        self.set_columns(lane_columns([line for _, line in rows]))
        self.set(Rows.of(rows), empty=empty)

    @property
    def lane(self) -> str | None:
        """The lane under the cursor."""
        key = self.cursor_key
        return key.removesuffix(_SECOND) if key is not None else None

    @property
    def _step(self) -> int:
        return 1 if self.short else 2

    def go(self, row: int) -> None:
        row = max(0, min(row, self._lanes * self._step - 1))
        super().go(row - row % self._step)

    def move(self, rows: int) -> None:
        self.go(self.at.row + rows * self._step)
