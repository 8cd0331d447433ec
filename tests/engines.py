"""An engine in a thread over a real set, for tests: started, told what to do, waited for."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from evaltui.engine import inbox
from evaltui.engine.clock import Clock, SystemClock
from evaltui.engine.engine import Engine
from evaltui.engine.launcher import Launcher
from evaltui.engine.outcome import Outcome
from evaltui.engine.state import CellState, SetState
from evaltui.engine.tail import Tail
from evaltui.engine.workers import Starts, lives
from evaltui.logs import journal as jn
from evaltui.logs.attempt import Event, Started
from evaltui.logs.files import read_lines
from evaltui.logs.layout import Layout
from tests.sets import Scratch, wait_until


class HurriedClock(SystemClock):
    """A clock on which waiting for a rerun takes no time: it jumps to the due time."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def now(self) -> float:
        return time.time() + self.ahead

    def sleep(self, seconds: float, woken: threading.Event) -> None:
        woken.wait(min(seconds, 0.05))
        self.ahead += 20 * seconds


class Minded:
    """One run of an engine over the log directory of a scratch folder."""

    def __init__(self, cases: Scratch, launcher: Starts, clock: Clock, **options: Any) -> None:
        self.layout = Layout(cases.logs)
        self.engine = Engine(self.layout, launcher, clock, **options)
        self.tail = Tail(self.layout)
        self.error: BaseException | None = None
        self._outcome: Outcome | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self._outcome = self.engine.run()
        except BaseException as error:
            self.error = error

    @property
    def state(self) -> SetState:
        return self.tail.poll()

    def cell(self, task: str, model: str = "mockllm/a") -> CellState:
        found = [
            c for c in self.state.cells.values() if (c.cell.task, c.cell.model) == (task, model)
        ]
        assert len(found) == 1, found
        return found[0]

    def until(self, holds: Callable[[SetState], object], what: str = "") -> None:
        wait_until(lambda: self.error or holds(self.state), 60, what)
        assert self.error is None, self.error

    def outcome(self) -> Outcome:
        self.thread.join(60)
        assert not self.thread.is_alive(), "the engine has not ended"
        assert self.error is None, self.error
        assert self._outcome is not None
        return self._outcome

    def tell(self, command: jn.CommandName, cells: Sequence[str] = (), **more: Any) -> str:
        """Send a command and wait for what came of it."""
        sent = inbox.send(self.layout, command, cells, **more)
        taken = inbox.outcome(self.layout, sent, SystemClock(), 20)
        assert taken is not None, f"{command} was not taken"
        return ("refused: " if taken.refused else "") + taken.outcome


@functools.cache
def _server() -> tuple[Launcher, Layout]:
    """One preloaded server for all tests of a process: to preload takes longer than most tests."""
    home = Path(tempfile.mkdtemp(prefix="evaltui-tests-"))
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("INSPECT_", "EVALTUI_"))}
    launcher = Launcher(Layout(home), environment={**kept, "XDG_DATA_HOME": str(home / "data")})
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    atexit.register(launcher.close)
    Layout(home).attempts.mkdir(parents=True)
    Layout(home).loads.mkdir()
    Layout(home).recoveries.mkdir()
    return launcher, Layout(home)


def data_home() -> Path:
    """The user's data folder (XDG_DATA_HOME) of the shared server's workers."""
    return _server()[1].log_dir / "data"


def sample_buffer(log: str) -> Path:
    """Where the shared server's worker buffers what it has not written to this log yet."""
    (found,) = data_home().glob(f"inspect_ai/samplebuffer/*/{log}.*.db")
    return found


class Workers:
    """The shared server's workers for one log directory."""

    def __init__(self, layout: Layout) -> None:
        self._launcher, self._home = _server()
        self._layout = layout

    @property
    def ready(self) -> bool:
        return self._launcher.ready

    def attempt(self, name: str) -> int:
        return self._launcher.attempt(self._from(self._home.attempts, self._layout.attempts / name))

    def load(self, name: str) -> int:
        return self._launcher.load(self._from(self._home.loads, self._layout.loads / name))

    def recover(self, name: str) -> int:
        return self._launcher.recover(
            self._from(self._home.recoveries, self._layout.recoveries / name)
        )

    def poll(self) -> dict[int, int]:
        return self._launcher.poll()

    def _from(self, folder: Path, target: Path) -> str:
        return os.path.relpath(target, folder)


@contextlib.contextmanager
def minded(cases: Scratch, clock: Clock | None = None, **options: Any) -> Iterator[Minded]:
    """An engine that is gone, with all its workers, when the block ends."""
    layout = Layout(cases.logs)
    cases.tell_workers()
    run = Minded(cases, Workers(layout), clock or SystemClock(), **options)
    try:
        yield run
    finally:
        run.engine.stop("hand_over")
        run.thread.join(30)
        end_workers(layout)


def end_workers(layout: Layout) -> None:
    """Kill the workers that a test left running."""
    for folder in layout.attempts.glob("*"):
        paths = layout.attempt(folder.name)
        for pid in _pids(layout, folder.name):
            if lives(paths):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def _pids(layout: Layout, attempt: str) -> list[int]:
    events: list[Event]
    events, _ = read_lines(layout.attempt(attempt).events, Event)
    return [event.pid for event in events if isinstance(event, Started)]


def worker_pids(layout: Layout) -> list[int]:
    """The pids of all workers that ever started an attempt, in the order of attempts' names."""
    return [
        pid for folder in sorted(layout.attempts.glob("*")) for pid in _pids(layout, folder.name)
    ]


def journal(layout: Layout, kind: type[Any]) -> list[Any]:
    """The journal's entries of one kind."""
    entries: list[jn.Entry]
    entries, _ = read_lines(layout.journal, jn.Entry)
    return [entry for entry in entries if isinstance(entry, kind)]


def write_spec(
    cases: Scratch, *lines: str, task: str = 'name = "counted"', models: str = "a"
) -> Path:
    """`evalset.toml` with one task of counted.py on `mockllm/` models."""
    cases.logs.mkdir(exist_ok=True)
    path = cases.logs / "evalset.toml"
    entries = "".join(f'[[model]]\nname = "mockllm/{name}"\n' for name in models)
    text = "\n".join(["version = 1", *lines, "[[task]]", 'file = "counted.py"', task, entries])
    path.write_text(text)
    return path


def statuses(state: SetState) -> list[str]:
    return [cell.status for cell in state.cells.values()]
