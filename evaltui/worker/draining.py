"""Watches for the request to drain: finish the samples that run and start no others.

A worker that can't write any more drains by itself: what it would still do could not be kept.
"""

from __future__ import annotations

import asyncio
import importlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evaltui.worker import bridge
from evaltui.worker.events import EventLog

SECONDS_BETWEEN_LOOKS = 0.2


class Drain:
    """The drain of one running task. `asked` tells whether it was asked for."""

    def __init__(self, request: Path, events: EventLog) -> None:
        self._request = request
        self._events = events
        self.asked = False

    def watch(self, task_id: str) -> None:
        """Begin to watch; called on the eval's loop, where the drain is then made."""
        call_soon = _loop_caller()
        threading.Thread(
            target=self._look, args=(task_id, call_soon), name="evaltui-drain", daemon=True
        ).start()

    def now(self, task_id: str) -> None:
        """Drain at once; called on the eval's loop."""
        self.asked = True
        bridge.drain(task_id)

    def _look(self, task_id: str, call_soon: Callable[[Callable[[], object]], object]) -> None:
        wait = threading.Event()
        while not self._request.exists() and self._events.trouble is None:
            wait.wait(SECONDS_BETWEEN_LOOKS)
        call_soon(lambda: self.now(task_id))


def _loop_caller() -> Callable[[Callable[[], object]], object]:
    """What has a function called on the loop that runs here, from any thread."""
    try:
        return asyncio.get_running_loop().call_soon_threadsafe
    except RuntimeError:  # Inspect can be told to run on trio instead
        token: Any = importlib.import_module("trio").lowlevel.current_trio_token()
        run_soon: Callable[[Callable[[], object]], object] = token.run_sync_soon
        return run_soon
