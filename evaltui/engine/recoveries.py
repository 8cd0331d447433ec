"""Recoveries of crashed logs: their finished samples brought back, each in a worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from evaltui.engine.launcher import LaunchError
from evaltui.engine.orders import VERSION
from evaltui.engine.workers import Starts, Worker
from evaltui.logs.attempt import RecoveredLog, RecoverOrder, Recovery
from evaltui.logs.files import write_atomic
from evaltui.logs.layout import AttemptPaths, Layout


class Recoveries:
    """The recoveries under way. A log that is being recovered is named by `busy`."""

    def __init__(self, layout: Layout, launcher: Starts) -> None:
        self._layout = layout
        self._launcher = launcher
        self._under_way: dict[str, tuple[tuple[str, ...], Worker]] = {}
        self._waiting: dict[str, tuple[str, ...]] = {}

    def __len__(self) -> int:
        return len(self._under_way) + len(self._waiting)

    @property
    def busy(self) -> set[str]:
        """Names of the logs that are being recovered."""
        started = [logs for logs, _ in self._under_way.values()]
        return {name for logs in (*started, *self._waiting.values()) for name in logs}

    def want(self, name: str, logs: Sequence[str]) -> None:
        """Have `logs` recovered, in a folder called `name`."""
        self._waiting[name] = tuple(logs)

    def poll(self, exits: Mapping[int, int], now: float) -> list[RecoveredLog]:
        """Start what waits and take in what is done. Raises OSError."""
        done: list[RecoveredLog] = []
        for name, (logs, worker) in list(self._under_way.items()):
            if worker.gone(exits, now):
                del self._under_way[name]
                done += self._results(worker.paths, logs)
        while self._waiting and self._launcher.ready:
            name, logs = self._waiting.popitem()
            self._under_way[name] = (logs, self._start(name, logs))
        return done

    def _start(self, name: str, logs: tuple[str, ...]) -> Worker:
        paths = AttemptPaths(self._layout.recoveries / name)
        paths.recovered.unlink(missing_ok=True)
        order = RecoverOrder(VERSION, name, str(self._layout.log_dir), logs)
        write_atomic(paths.recovery, msgspec.json.encode(order))
        worker = Worker(paths, None, expected=True)
        try:
            worker.pid = self._launcher.recover(name)
        except LaunchError:
            worker.exit = 1
        return worker

    def _results(self, paths: AttemptPaths, logs: Sequence[str]) -> Sequence[RecoveredLog]:
        try:
            return msgspec.json.decode(paths.recovered.read_bytes(), type=Recovery).logs
        except (OSError, msgspec.MsgspecError):
            why = f"The recovery ended without a word; {paths.output} may say why."
            return [RecoveredLog(log, error=why) for log in logs]
