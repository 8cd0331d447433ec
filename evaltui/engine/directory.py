"""A log directory as plans need it: its logs, their samples, who writes them, what was drawn.

Read bit by bit or at once, and again only where something changed. Nothing is decided here and no
task is loaded.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from evaltui.cells import Cell
from evaltui.engine.holds import given_up, still_held, unrecovered
from evaltui.engine.orders import utc
from evaltui.engine.runs import unended_since
from evaltui.engine.state import SetState
from evaltui.logs import journal as jn
from evaltui.logs.archive import LogError
from evaltui.logs.attempt import LoadedTask
from evaltui.logs.buffered import abandoned_buffers, damage
from evaltui.logs.draws import Draw, read_draw
from evaltui.logs.files import read_lines
from evaltui.logs.history import read_logged
from evaltui.logs.index import LogIndex
from evaltui.logs.layout import Layout
from evaltui.logs.logged import LoggedLog
from evaltui.logs.records import LogFile
from evaltui.logs.writers import writer_of
from evaltui.plan import Asked, Known, Pairing, pair_logs
from evaltui.spec import SetSpec

NO_LOADS: Mapping[str, LoadedTask] = {}


class Directory:
    """What was read of one log directory so far. Not for several threads.

    unrecovered: for those who only look, samples that the engine's recovery of a crashed log would
    bring back count as if they stood in it, and what a start of the set lets go of is not held.
    """

    def __init__(
        self, layout: Layout, index: LogIndex | None = None, *, unrecovered: bool = False
    ) -> None:
        self._layout = layout
        self._index = index or LogIndex(layout.log_dir)
        self._unrecovered = unrecovered
        self._buffers: dict[str, list[Path]] = {}
        self._damage: dict[str, str] = {}
        self._read: dict[str, tuple[LogFile, LoggedLog | None, str]] = {}
        self._paired_for: object = None
        self._pairing = Pairing({}, ())
        self.rows: list[LogFile] = []
        """The logs by name, as they were listed last."""

    # --- logs and their samples -----------------------------------------------------------------

    def refresh(self) -> bool:
        """Look which logs there are; whether any is new, gone or changed. Raises OSError."""
        rows = self._index.refresh()
        crashed = self._crashed_since()
        if not crashed and [id(row) for row in rows] == [id(row) for row in self.rows]:
            return False
        self.forget(crashed)
        self.rows = rows
        names = {row.name for row in rows}
        self._read = {name: each for name, each in self._read.items() if name in names}
        return True

    @property
    def unread(self) -> int:
        """Logs whose samples are still to be read."""
        return sum(row.header is not None and not self._is_read(row) for row in self.rows)

    def read_for(self, seconds: float) -> bool:
        """Read samples for about so long; whether any were read."""
        until = time.monotonic() + seconds
        some = False
        for row in self.rows:
            if row.header is not None and not self._is_read(row):
                self._read_one(row)
                some = True
                if time.monotonic() > until:
                    break
        return some

    def histories(self, rows: Iterable[LogFile]) -> tuple[dict[str, LoggedLog], dict[str, str]]:
        """The samples of these logs by name, and for the others why they can't be read."""
        for row in rows:
            if row.header is not None and not self._is_read(row):
                self._read_one(row)
        return self.so_far(rows)

    def so_far(self, rows: Iterable[LogFile]) -> tuple[dict[str, LoggedLog], dict[str, str]]:
        """As `histories`, of those that were read already."""
        found: dict[str, LoggedLog] = {}
        broken: dict[str, str] = {}
        for row in rows:
            _, history, why = self._read.get(row.name, (None, None, ""))
            if history is not None:
                found[row.name] = history
            elif why:
                broken[row.name] = why
        return found, broken

    def unprinted(self, rows: Iterable[LogFile]) -> list[str]:
        """Those of these logs that lack fingerprints of samples: a load stores them."""
        histories, _ = self.histories(rows)
        return [name for name, log in histories.items() if not log.fingerprinted]

    def forget_unprinted(self) -> None:
        """A load may have stored what logs lacked: those are read again."""
        for name, (_, history, _) in list(self._read.items()):
            if history is not None and not history.fingerprinted:
                del self._read[name]

    def forget(self, names: Iterable[str]) -> None:
        """These have served: a large set's samples need not stay in memory."""
        for name in names:
            self._read.pop(name, None)

    def _is_read(self, row: LogFile) -> bool:
        known = self._read.get(row.name)
        return known is not None and known[0] is row

    def _read_one(self, row: LogFile) -> None:
        self._damage.pop(row.name, None)
        buffered = self._unrecovered and not row.finished and row.name not in given_up(self._past())
        if buffered:
            self._buffers[row.name] = abandoned_buffers(row.path)
            if why := damage(row.path):
                self._damage[row.name] = why
        try:
            log = read_logged(self._layout, row, buffered=buffered)
            self._read[row.name] = (row, log, "")
        except LogError as error:
            self._read[row.name] = (row, None, str(error))

    def _crashed_since(self) -> list[str]:
        """Logs that were being written when they were read, and are no longer."""
        paths = {row.name: row.path for row in self.rows if not row.finished}
        return [
            name
            for name, buffers in self._buffers.items()
            if name in paths and abandoned_buffers(paths[name]) != buffers
        ]

    def _past(self) -> list[jn.Entry]:
        past: list[jn.Entry]
        past, _ = read_lines(self._layout.journal, jn.Entry)
        return past

    # --- cells ----------------------------------------------------------------------------------

    def pairing(
        self, cells: Sequence[Cell], spec: SetSpec, loads: Mapping[str, LoadedTask] = NO_LOADS
    ) -> Pairing:
        """The logs by cell; paired again only when logs, cells, spec or loads changed."""
        seen = ([id(row) for row in self.rows], list(cells), spec, len(loads))
        if seen != self._paired_for:
            self._pairing = pair_logs(cells, spec, Known(logs=self.rows, loads=loads))
            self._paired_for = seen
        return self._pairing

    def read_paired(
        self, cells: Sequence[Cell], spec: SetSpec, loads: Mapping[str, LoadedTask] = NO_LOADS
    ) -> None:
        """Read the samples of every log that belongs to a cell; no plan needs those of others."""
        paired = self.pairing(cells, spec, loads).logs.values()
        self.histories(row for rows in paired for row in rows)

    def written_elsewhere(
        self, cells: Sequence[Cell], spec: SetSpec, loads: Mapping[str, LoadedTask] = NO_LOADS
    ) -> dict[str, tuple[str, int]]:
        """Cell key -> an unfinished log of the cell that somebody is writing, and the pid."""
        return written_elsewhere(self._layout, self.pairing(cells, spec, loads).logs)

    def draws(self, cells: Iterable[Cell]) -> dict[str, Draw]:
        """What slices drew, by cell key."""
        if not self._layout.draws.is_dir():
            return {}
        found = {cell.key: read_draw(self._layout, cell.key) for cell in cells}
        return {key: draw for key, draw in found.items() if draw is not None}

    def known(
        self,
        cells: Sequence[Cell],
        spec: SetSpec,
        *,
        loads: Mapping[str, LoadedTask] = NO_LOADS,
        state: SetState | None = None,
        elsewhere: Collection[str] = (),
        asked: Asked | None = None,
    ) -> Known:
        """What was read so far, in the form that plans are made from.

        state: for cells that run and for holds. elsewhere: cells whose logs others are writing.
        """
        histories, unreadable = self.so_far(self.rows)
        states = state.cells if state is not None else {}
        running = {key for key, cell in states.items() if cell.status == "running"}
        return Known(
            logs=self.rows,
            histories=histories,
            unreadable=unreadable,
            loads=loads,
            draws=self.draws(cells),
            running=running | set(elsewhere),
            holds=self._holds(state, self.pairing(cells, spec, loads).logs),
            asked=self._reruns(state, asked or Asked()),
            asked_of_all=self._with_run(asked or Asked(), spec),
        )

    def _holds(
        self, state: SetState | None, logs: Mapping[str, Sequence[LogFile]]
    ) -> dict[str, str]:
        """Why cells are held, by key."""
        if state is None:
            return {}
        held = {key: cell.message for key, cell in state.cells.items() if cell.status == "held"}
        if state.engine is not None or not self._unrecovered:
            return held
        if held:
            left = (row for row in self.rows if not row.finished)
            lost = {row.name for row in left if row.name in self._damage or not self._is_read(row)}
            held = still_held(state, self._past(), lost)
        for key, rows in logs.items() if self._damage else ():
            for row in rows:
                if row.name in self._damage and not row.finished:
                    held.setdefault(key, unrecovered(row.name, self._damage[row.name]))
        return held

    def _reruns(self, state: SetState | None, asked: Asked) -> dict[str, Asked]:
        """What is asked of cells that failed in a run that goes on, by key."""
        failed = [key for key, cell in state.cells.items() if cell.failures] if state else []
        since = unended_since(self._past()) if failed else None
        if since is None:
            return {}
        return dict.fromkeys(failed, replace(asked, rerun=True, since=utc(since)))

    def _with_run(self, asked: Asked, spec: SetSpec) -> Asked:
        """A run that was left unended goes on: what it has paid for is its own."""
        if spec.settings.get("reuse") != "none":
            return asked
        since = unended_since(self._past())
        return asked if since is None else replace(asked, since=utc(since))


def written_elsewhere(
    layout: Layout, logs: Mapping[str, Sequence[LogFile]]
) -> dict[str, tuple[str, int]]:
    """Cell key -> an unfinished log of the cell that somebody is writing, and the writer's pid."""
    found: dict[str, tuple[str, int]] = {}
    for key, rows in logs.items():
        for row in rows:
            if not row.finished and (pid := writer_of(layout.log_dir / row.name)) is not None:
                found[key] = (row.name, pid)
    return found
