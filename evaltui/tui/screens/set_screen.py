"""What the screens of a set share: they are shown pictures and know what actions would take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from evaltui.engine.state import CellStatus
from evaltui.text import ASCII, UNICODE, Glyphs
from evaltui.tui.actions import Situation
from evaltui.tui.columns import SPEC_ORDER, Column, Sort, turned
from evaltui.tui.picture import Picture
from evaltui.tui.shell import ShellScreen

if TYPE_CHECKING:
    from evaltui.tui.app import SetApp


class SetScreen(ShellScreen):
    """A screen of a set: the app calls `show` when it is pushed, and with every new picture."""

    def show(self, picture: Picture, now: float) -> None:
        """Show a picture; only what differs from the last one is drawn."""

    @property
    def targets(self) -> tuple[str, ...]:
        """Keys of the cells that an action takes: the marks, else what the cursor is on."""
        return ()

    def situation(self, picture: Picture) -> Situation:
        """What decides which actions can be used here."""
        return self.about(picture, self.targets)

    @property
    def set_app(self) -> SetApp:
        from evaltui.tui.app import SetApp

        app = self.app
        assert isinstance(app, SetApp)
        return app

    @property
    def glyphs(self) -> Glyphs:
        return ASCII if self.shell.look.ascii_only else UNICODE

    def pick_sort(
        self,
        columns: Sequence[Column],
        now: Sort | None,
        then: Callable[[Sort | None], object],
        order: tuple[str, str] = SPEC_ORDER,
    ) -> None:
        """Ask by which column a list is to be sorted; order: what it stands in without."""
        from evaltui.tui.screens.picking import sort_dialog

        def picked(key: str | None) -> None:
            if key is not None:
                then(turned(now, key) if key else None)

        self.app.push_screen(sort_dialog(columns, now, order), picked)

    @staticmethod
    def about(
        picture: Picture,
        targets: tuple[str, ...],
        *,
        rows: int = 0,
        row: bool = False,
        lane_cells: int = 0,
        running_rows: int = 0,
    ) -> Situation:
        """The situation of a picture with these targets; the rest is of the list in focus."""
        state = picture.state
        return Situation(
            engine=picture.engine,
            cells=_counted(picture, tuple(state.cells)),
            targets=_counted(picture, targets),
            targets_errored=sum(_errored(picture, key) for key in targets),
            lane_cells=lane_cells,
            trashed=len(state.trashed),
            rows=rows,
            row=row,
            running_rows=running_rows,
            frozen=(picture.trouble or None) if picture.ready else "the directory is being read",
        )


def _counted(picture: Picture, keys: tuple[str, ...]) -> dict[CellStatus, int]:
    counts: dict[CellStatus, int] = {}
    for key in keys:
        cell = picture.state.cells.get(key)
        if cell is not None:
            counts[cell.status] = counts.get(cell.status, 0) + 1
    return counts


def _errored(picture: Picture, key: str) -> int:
    """Errored samples of a cell that stand where nothing runs them by itself."""
    cell = picture.state.cells.get(key)
    if cell is None or cell.status in ("running", "waiting", "queued"):
        return 0
    planned = cell.planned
    return planned.tolerated if planned is not None and planned.total else cell.errored
