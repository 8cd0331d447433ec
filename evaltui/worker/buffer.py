"""Keeps the folder of Inspect's sample buffer in place while this worker runs.

Workers of one log directory share the folder, and each removes it when it finds it empty: another
one that was about to write there then fails.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from evaltui.worker import bridge

PLACEHOLDER = "evaltui-"


@contextlib.contextmanager
def kept_buffer_folder(log_dir: Path) -> Iterator[None]:
    folder = bridge.sample_buffer_folder(log_dir)
    placeholder = folder / f"{PLACEHOLDER}{os.getpid()}"
    _place(placeholder)
    _sweep(folder)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            placeholder.unlink()
            folder.rmdir()


def _place(placeholder: Path) -> None:
    """Make the placeholder; another worker may remove the folder between two steps of it."""
    while True:
        placeholder.parent.mkdir(parents=True, exist_ok=True)
        try:
            placeholder.touch()
        except FileNotFoundError:
            continue
        return


def _sweep(folder: Path) -> None:
    """Remove the placeholders of workers that were killed."""
    for left in folder.glob(f"{PLACEHOLDER}*"):
        try:
            os.kill(int(left.name.removeprefix(PLACEHOLDER)), 0)
        except ProcessLookupError:
            left.unlink(missing_ok=True)
        except (ValueError, PermissionError):
            continue
