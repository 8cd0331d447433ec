"""Time as an argument: what waits takes a `Clock`, so that a test waits for nothing."""

from __future__ import annotations

import threading
import time
from typing import Protocol


class Clock(Protocol):
    """Says the time and lets it pass."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def sleep(self, seconds: float, woken: threading.Event) -> None:
        """Let `seconds` pass, fewer when `woken` is set meanwhile."""
        ...


class SystemClock:
    """The time of this host."""

    def now(self) -> float:
        return time.time()

    def sleep(self, seconds: float, woken: threading.Event) -> None:
        woken.wait(seconds)
