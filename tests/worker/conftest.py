"""One forkserver for all worker tests; each attempt is a process of its own all the same."""

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
def attempts(cases: Scratch, launcher: Launcher) -> Attempts:
    return Attempts(cases, launcher.start)
