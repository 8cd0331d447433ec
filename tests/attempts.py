"""Single attempts, loads and recoveries in real worker processes, without an engine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from evaltui.logs import attempt as ev
from evaltui.logs.attempt import CellOrder, LoadedTask, LoadOrder, Order, RecoverOrder, Recovery
from evaltui.logs.files import is_locked, read_lines
from evaltui.logs.layout import AttemptPaths, Layout
from tests.sets import Scratch, wait_until

KEY = "cell"


class Attempts:
    """Attempts in one scratch folder, whose log directory is `logs`."""

    def __init__(self, cases: Scratch) -> None:
        self.cases = cases
        self.layout = Layout(cases.logs)
        self.number = 0

    def write(
        self, task_file: str = "counted.py", task: str = "counted", **fields: Any
    ) -> AttemptPaths:
        self.number += 1
        name = f"attempt-{self.number}"
        cell = {"key": KEY, "task_file": task_file, "task": task, "model": "mockllm/a"}
        order = Order(
            **{
                "version": 1,
                "attempt": name,
                "number": self.number,
                "reason": "first",
                "action": "run",
                "cell": CellOrder(**{**cell, **fields.pop("cell", {})}),
                "root": "..",
                "log_dir": str(self.layout.log_dir),
                "eval_set_id": "set",
                "logs": tuple(self.logs()),
                **fields,
            }
        )
        paths = self.layout.attempt(name)
        paths.folder.mkdir(parents=True)
        paths.order.write_bytes(msgspec.json.encode(order))
        return paths

    def logs(self) -> list[str]:
        """Newest first; the attempts of a test never tie."""
        return self.cases.log_names()[::-1]

    def start(self, folder: Path, **environment: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "evaltui.worker", str(folder)],
            env=self.cases.environment(**environment),
            stdin=subprocess.DEVNULL,
        )

    def run(self, **fields: Any) -> Said:
        paths = self.write(**fields)
        process = self.start(paths.folder)
        code = process.wait(timeout=120)
        return Said(paths, code)

    def load(self, task_file: str, task: str, **fields: Any) -> LoadedTask:
        self.number += 1
        name = f"load-{self.number}"
        paths = AttemptPaths(self.layout.loads / name)
        paths.folder.mkdir(parents=True)
        order = LoadOrder(1, name, "..", str(self.layout.log_dir), task_file, task, **fields)
        paths.load.write_bytes(msgspec.json.encode(order))
        self.start(paths.folder).wait(timeout=120)
        result = (self.layout.loads / f"{name}.json").read_bytes()
        return msgspec.json.decode(result, type=LoadedTask)

    def recover(self, *logs: str) -> Recovery:
        self.number += 1
        paths = AttemptPaths(self.layout.recoveries / f"recovery-{self.number}")
        paths.folder.mkdir(parents=True)
        order = RecoverOrder(1, paths.name, str(self.layout.log_dir), logs)
        paths.recovery.write_bytes(msgspec.json.encode(order))
        self.start(paths.folder).wait(timeout=120)
        return msgspec.json.decode(paths.recovered.read_bytes(), type=Recovery)


class Said:
    """What a worker has said so far."""

    def __init__(self, paths: AttemptPaths, code: int | None = None) -> None:
        self.paths = paths
        self.code = code

    @property
    def events(self) -> list[Any]:
        return read_lines(self.paths.events, ev.Event)[0]

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def ended(self) -> ev.Ended:
        ended = self.of(ev.Ended)
        assert len(ended) == 1, self.output
        return ended[0]

    @property
    def output(self) -> str:
        return self.paths.output.read_text() if self.paths.output.exists() else ""

    @property
    def pid(self) -> int:
        return self.of(ev.Started)[0].pid

    def done(self, reused: bool = False) -> list[ev.SampleEnd]:
        return [end for end in self.of(ev.SampleEnd) if end.reused == reused]

    def wait_for_samples(self, count: int) -> None:
        wait_until(lambda: len(self.done()) >= count, what=f"{count} samples\n{self.output}")

    def wait_until_gone(self) -> None:
        wait_until(lambda: not is_locked(self.paths.lock), what="the worker's end")

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)


def keys(ends: Sequence[ev.SampleEnd]) -> set[tuple[str, int]]:
    return {(str(end.id), end.epoch) for end in ends}
