"""A real finished set for the screens; made once, as long as what makes it stays the same."""

import contextlib
import hashlib
import os
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.sets import CASES, Scratch
from tests.tui import finished_set


@pytest.fixture(scope="session")
def made_set(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a set that no test may change."""
    made_by = hashlib.sha256(version("inspect-ai").encode())
    for path in (Path(finished_set.__file__), *sorted(CASES.glob("*.py"))):
        made_by.update(path.read_bytes())
    kept = pytestconfig.cache.mkdir("shown_set") / made_by.hexdigest()[:16]
    if not kept.exists():
        fresh = tmp_path_factory.mktemp("shown_set") / "set"
        fresh.mkdir()
        finished_set.make_set(fresh)
        with contextlib.suppress(OSError):  # another run was quicker
            shutil.copytree(fresh, kept.with_suffix(f".{os.getpid()}")).rename(kept)
    return kept


@pytest.fixture
def shown(made_set: Path, tmp_path: Path) -> Scratch:
    """A copy of that set, which a test may change."""
    shutil.copytree(made_set, tmp_path, dirs_exist_ok=True)
    return Scratch(tmp_path)
