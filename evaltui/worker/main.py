"""From a folder with an order in it to the last word on it: which order, and how it ended."""

from __future__ import annotations

import atexit
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import msgspec

from evaltui.logs.attempt import LoadOrder, Order, RecoverOrder
from evaltui.logs.files import try_lock
from evaltui.logs.layout import AttemptPaths
from evaltui.worker import session
from evaltui.worker.young_source import distrust_bytecode_of_young_sources


def work(folder: Path) -> None:
    """Carry out the order in `folder` as a worker, and end this process.

    The exit code says little: what counts is the `ended` event, or the result of a load.
    """
    paths = AttemptPaths(folder.resolve())  # Inspect keeps a buffer for each spelling of a path
    session.lead_own_session(paths.output)
    session.heed_signals()
    distrust_bytecode_of_young_sources()
    lock = try_lock(paths.lock)
    if lock is None:
        print(f"{folder.name} is being worked on by another process")
        _end(2)
    code = 1
    try:
        code = _carry_out(paths)
    except BaseException:
        traceback.print_exc()
    _end(code)


def _carry_out(paths: AttemptPaths) -> int:
    if paths.load.exists():
        from evaltui.worker.load import load

        load(msgspec.json.decode(paths.load.read_bytes(), type=LoadOrder), paths)
        return 0
    if paths.recovery.exists():
        from evaltui.worker.recover import recover

        recover(msgspec.json.decode(paths.recovery.read_bytes(), type=RecoverOrder), paths)
        return 0
    from evaltui.worker.attempt import attempt

    return attempt(msgspec.json.decode(paths.order.read_bytes(), type=Order), paths)


def _end(code: int) -> None:
    """End now: a thread that a task left behind must not keep the worker, and its lock, alive."""
    for step in _last_steps():
        try:
            step()
        except BaseException:
            traceback.print_exc()
    os._exit(code)


def _last_steps() -> list[Callable[[], object]]:
    return [atexit._run_exitfuncs, sys.stdout.flush, sys.stderr.flush]
