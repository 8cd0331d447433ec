"""Single attempts, loads and recoveries in real worker processes, without an engine."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
import psutil

from evaltui.logs import attempt as ev
from evaltui.logs.attempt import CellOrder, LoadedTask, LoadOrder, Order, RecoverOrder, Recovery
from evaltui.logs.files import is_locked, read_lines
from evaltui.logs.layout import AttemptPaths, Layout
from evaltui.logs.reading import read_summaries
from evaltui.logs.records import SampleSummary
from tests.sets import Scratch, wait_until

KEY = "cell"


class Attempts:
    """Attempts in one scratch folder, whose log directory is `logs`.

    start: starts a worker on the folder of an order and gives its pid.
    """

    def __init__(self, cases: Scratch, start: Callable[[Path], int]) -> None:
        self.cases = cases
        self.start = start
        self.layout = Layout(cases.logs)
        self.number = 0
        cases.tell_workers()

    def write(
        self, task_file: str = "counted.py", task: str = "counted", **fields: Any
    ) -> AttemptPaths:
        """Write an order; `cell` adds to the cell's fields."""
        self.number += 1
        name = f"attempt-{self.number}"
        cell = {"key": KEY, "task_file": task_file, "task": task, "model": "mockllm/a"}
        order = {
            "version": 1,
            "attempt": name,
            "number": self.number,
            "reason": "new",
            "action": "run",
            "cell": CellOrder(**{**cell, **fields.pop("cell", {})}),
            "root": "..",
            "log_dir": str(self.layout.log_dir),
            "eval_set_id": "set",
            "logs": tuple(self.logs()),
            **fields,
        }
        paths = self.layout.attempt(name)
        paths.folder.mkdir(parents=True)
        paths.order.write_bytes(msgspec.json.encode(Order(**order)))
        return paths

    def begin(self, *args: Any, **fields: Any) -> Said:
        """Start an attempt and leave it running."""
        paths = self.write(*args, **fields)
        return Said(paths, self.start(paths.folder))

    def run(self, *args: Any, **fields: Any) -> Said:
        """Run an attempt to its end."""
        said = self.begin(*args, **fields)
        said.wait_until_gone()
        return said

    def load(self, task_file: str, task: str, **fields: Any) -> LoadedTask:
        paths = self._folder(self.layout.loads)
        order = LoadOrder(1, paths.name, "..", str(self.layout.log_dir), task_file, task, **fields)
        paths.load.write_bytes(msgspec.json.encode(order))
        Said(paths, self.start(paths.folder)).wait_until_gone()
        result = (self.layout.loads / f"{paths.name}.json").read_bytes()
        return msgspec.json.decode(result, type=LoadedTask)

    def recover(self, *logs: str) -> Recovery:
        paths = self._folder(self.layout.recoveries)
        order = RecoverOrder(1, paths.name, str(self.layout.log_dir), logs)
        paths.recovery.write_bytes(msgspec.json.encode(order))
        Said(paths, self.start(paths.folder)).wait_until_gone()
        return msgspec.json.decode(paths.recovered.read_bytes(), type=Recovery)

    def _folder(self, where: Path) -> AttemptPaths:
        self.number += 1
        paths = AttemptPaths(where / f"order-{self.number}")
        paths.folder.mkdir(parents=True)
        return paths

    def logs(self) -> list[str]:
        """By name, the last attempt's first."""
        order = [said.name for said in self.layout.attempts.glob("*")] if self.number else []
        written = {
            log.path: int(name.rpartition("-")[2])
            for name in order
            for log in Said(self.layout.attempt(name)).of(ev.LogPath)
        }
        return sorted(self.cases.log_names(), key=lambda log: written.get(log, 0), reverse=True)

    def samples(self, log: str | None = None) -> list[SampleSummary]:
        """The samples of a log, of the last one where none is named."""
        return read_summaries(self.cases.logs / (log or self.logs()[0]))

    def called(self) -> list[tuple[str, int]]:
        """(id or question, epoch) of the sample calls since the last time this was asked."""
        calls = [(call[1], int(call[2])) for call in self.cases.calls()]
        self.cases.forget_calls()
        return sorted(calls)


class Said:
    """What a worker has said so far."""

    def __init__(self, paths: AttemptPaths, pid: int = 0) -> None:
        self.paths = paths
        self.pid = pid

    @property
    def events(self) -> list[Any]:
        return read_lines(self.paths.events, ev.Event)[0]

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def ended(self) -> ev.Ended:
        ended = self.of(ev.Ended)
        assert len(ended) == 1, self.output
        found: ev.Ended = ended[0]
        return found

    @property
    def output(self) -> str:
        return self.paths.output.read_text() if self.paths.output.exists() else ""

    @property
    def log(self) -> str:
        return str(self.of(ev.LogPath)[0].path)

    def done(self, reused: bool = False) -> list[ev.SampleEnd]:
        return [end for end in self.of(ev.SampleEnd) if end.reused == reused]

    def counts(self) -> dict[str, int]:
        return dict(self.of(ev.Reuse)[0].counts)

    def wait_for_samples(self, count: int) -> None:
        wait_until(lambda: len(self.done()) >= count, what=f"{count} samples\n{self.output}")

    def wait_until_gone(self) -> None:
        wait_until(self._is_gone, what=f"the worker's end\n{self.output}")

    def _is_gone(self) -> bool:
        # the forkserver reaps its children; the lock alone is free before a worker takes it too
        return not psutil.pid_exists(self.pid) and not is_locked(self.paths.lock)

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)


def keys(ends: Iterable[ev.SampleEnd]) -> list[tuple[str, int]]:
    return sorted((str(end.id), end.epoch) for end in ends)
