"""Temporary folders outside the log directory, where nothing half-made is taken for a log.

A worker that is killed leaves its folder behind; the next one clears away what nobody holds.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from evaltui.logs.files import try_lock

PREFIX = "evaltui-worker-"
LOCK = "lock"


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder for the length of the block. OSError passes through."""
    _clear_left()
    folder, held = _made()
    try:
        yield folder
    finally:
        os.close(held)
        shutil.rmtree(folder, ignore_errors=True)


def _made() -> tuple[Path, int]:
    """A folder and the lock on it; another worker may clear it away before it is locked."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        held = try_lock(folder / LOCK)
        if held is not None and (folder / LOCK).exists():
            return folder, held
        if held is not None:
            os.close(held)


def _clear_left() -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.stat().st_uid != os.getuid() or not (folder / LOCK).exists():
                continue
            held = try_lock(folder / LOCK)
            if held is not None:
                os.close(held)
                shutil.rmtree(folder, ignore_errors=True)
