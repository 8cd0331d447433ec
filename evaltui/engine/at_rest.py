"""Decisions about a set that nobody minds, journalled under its lock. They start nothing."""

from __future__ import annotations

from collections.abc import Sequence

from evaltui.engine.clock import Clock
from evaltui.engine.lock import EngineLock
from evaltui.logs import journal as jn
from evaltui.logs.files import append_lines
from evaltui.logs.layout import Layout


def decide(layout: Layout, entries: Sequence[jn.Entry], clock: Clock) -> None:
    """Journal these; the next engine goes by them. Raises HeldError where one runs, and OSError."""
    lock = EngineLock.take(layout, now=clock.now())
    try:
        append_lines(layout.journal, entries, sync=True)
    finally:
        lock.release()
