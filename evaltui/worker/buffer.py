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


@contextlib.contextmanager
def kept_buffer_folder(log_dir: Path) -> Iterator[None]:
    folder = bridge.sample_buffer_folder(log_dir)
    placeholder = folder / f"evaltui-{os.getpid()}"
    _place(placeholder)
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
