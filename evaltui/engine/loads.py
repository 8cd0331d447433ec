"""Loads of tasks for the plan, each in a worker of its own, a few at a time."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import msgspec

from evaltui.cells import Cell
from evaltui.engine.launcher import LaunchError
from evaltui.engine.orders import load_order
from evaltui.engine.workers import Starts, Worker
from evaltui.logs.attempt import LoadedTask
from evaltui.logs.files import write_atomic
from evaltui.logs.layout import AttemptPaths, Layout
from evaltui.logs.loads import failed_load, read_load
from evaltui.spec import SetSpec


class _Load(msgspec.Struct):
    cell: Cell
    spec: SetSpec
    unprinted: tuple[str, ...]
    before: int | None = None
    worker: Worker | None = None


class Loads:
    """What loading the tasks of a set shows today. Cells with one load key share a load."""

    def __init__(self, layout: Layout, launcher: Starts, at_once: int | None = None) -> None:
        self._layout = layout
        self._launcher = launcher
        self._at_once = at_once or max(2, len(os.sched_getaffinity(0)))
        self._loads: dict[str, _Load] = {}
        self._done: dict[str, LoadedTask] = {}

    def __len__(self) -> int:
        """Loads that are not done."""
        return len(self._loads)

    def want(self, spec: SetSpec, cell: Cell, unprinted: Sequence[str] = ()) -> None:
        """Have a cell's task loaded, unless it is being loaded or was.

        unprinted: logs of the cell whose samples have no stored fingerprints; the load stores them.
        """
        key = cell.load_key
        if key in self._done:
            return
        waiting = self._loads.get(key)
        if waiting is None:
            self._loads[key] = _Load(cell, spec, tuple(unprinted))
        elif waiting.worker is None:
            waiting.unprinted = tuple(dict.fromkeys((*waiting.unprinted, *unprinted)))

    def of(self, cell: Cell) -> LoadedTask | None:
        """What the load of a cell's task showed; None while it has not been loaded."""
        return self._done.get(cell.load_key)

    @property
    def done(self) -> Mapping[str, LoadedTask]:
        """By load key."""
        return self._done

    def forget(self, cell: Cell) -> None:
        """What was loaded is no longer so: the next `want` loads again."""
        self._done.pop(cell.load_key, None)

    def poll(self, exits: Mapping[int, int], now: float) -> bool:
        """Start what may start and take in what is done; whether anything is newly done.

        Raises OSError where an order can't be written.
        """
        finished = [
            key
            for key, load in self._loads.items()
            if load.worker is not None and load.worker.gone(exits, now)
        ]
        for key in finished:
            self._finish(key, self._loads.pop(key))
        busy = sum(load.worker is not None for load in self._loads.values())
        for key, load in list(self._loads.items()):
            if load.worker is None and busy < self._at_once and self._launcher.ready:
                self._start(key, load)
                busy += 1
        return bool(finished)

    def _start(self, key: str, load: _Load) -> None:
        paths = AttemptPaths(self._layout.loads / key)
        order = load_order(load.spec, load.cell, key, str(self._layout.log_dir), load.unprinted)
        write_atomic(paths.load, msgspec.json.encode(order))
        load.before = _written(self._layout, key)
        load.worker = Worker(paths, None, expected=True)
        try:
            load.worker.pid = self._launcher.load(key)
        except LaunchError:
            load.worker.exit = 1

    def _finish(self, key: str, load: _Load) -> None:
        new = _written(self._layout, key) != load.before
        loaded = read_load(self._layout, key) if new else None
        if loaded is None:
            assert load.worker is not None
            folder = self._layout.loads / key
            why = load.worker.why("The worker that loaded it ended without a word.")
            why = f"{why} {folder / 'output.log'} may say more."
            if (result := self._layout.loads / f"{key}.json").is_dir():
                why = f"{result} is a directory where a file belongs; move it away."
            loaded = failed_load(load.cell.order(), why)
        self._done[key] = loaded


def _written(layout: Layout, key: str) -> int | None:
    try:
        return os.stat(layout.loads / f"{key}.json").st_mtime_ns
    except OSError:
        return None
