"""One forkserver for all worker tests; each attempt is a process of its own all the same."""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaltui.engine.launcher import Launcher
from evaltui.logs.layout import Layout
from tests.sets import Scratch
from tests.worker.attempts import Attempts


@pytest.fixture(scope="session")
def launcher() -> Iterator[Launcher]:
    with Launcher(Layout(Path("/nonexistent"))) as launcher:
        yield launcher


@pytest.fixture
def attempts(cases: Scratch, launcher: Launcher) -> Iterator[Attempts]:
    """Attempts in this test's scratch folder; workers that a failed test left are ended."""
    started: list[int] = []

    def start(folder: Path) -> int:
        started.append(launcher.start(folder))
        return started[-1]

    yield Attempts(cases, start)
    ended = launcher.poll()
    for pid in set(started) - set(ended):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
