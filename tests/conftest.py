"""What every test shares: a scratch folder with the trial tasks in it."""

import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.sets import Scratch, scratch

os.environ.pop("PYTHONUNBUFFERED", None)  # few users have it, and output left unwritten hides in it


@pytest.fixture
def cases(tmp_path: Path) -> Scratch:
    return scratch(tmp_path)


@pytest.fixture(scope="session")
def log_kinds(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one real Inspect log of every kind; made once for an Inspect version."""
    script = Path(__file__).parent / "log_kinds.py"
    made_by = hashlib.sha256(script.read_bytes() + version("inspect-ai").encode())
    kept = pytestconfig.cache.mkdir("log_kinds") / made_by.hexdigest()[:16]
    if not kept.exists():
        fresh = tmp_path_factory.mktemp("log_kinds") / "logs"
        fresh.mkdir()
        home = {"XDG_DATA_HOME": str(fresh.parent), "INSPECT_DISPLAY": "none"}
        subprocess.run(
            [sys.executable, script, fresh], check=True, env={**os.environ, **home}, timeout=300
        )
        with contextlib.suppress(OSError):  # another run was quicker
            shutil.copytree(fresh, kept.with_suffix(f".{os.getpid()}")).rename(kept)
    return kept
