"""Whether a worker lives. Its lock says so; pids and exit codes only hasten and explain it."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from typing import Protocol

from evaltui.logs.files import is_locked
from evaltui.logs.layout import AttemptPaths

SECONDS_BETWEEN_LOOKS = 0.5
"""How often the lock of a worker that says nothing is looked at."""


class Starts(Protocol):
    """What starts workers by the name of the folder their order is in: `Launcher`, in practice."""

    @property
    def ready(self) -> bool: ...
    def attempt(self, name: str) -> int: ...
    def load(self, name: str) -> int: ...
    def recover(self, name: str) -> int: ...
    def poll(self) -> dict[int, int]: ...


def lives(paths: AttemptPaths) -> bool:
    """Whether a worker holds the lock of this folder."""
    try:
        return is_locked(paths.lock)
    except OSError:
        return False


class Worker:
    """One started (or adopted) worker.

    pid: None where it is not known yet, or is another host's. expected: it was just started, so a
    free lock means that it has not come to take it.
    """

    def __init__(self, paths: AttemptPaths, pid: int | None, *, expected: bool) -> None:
        self.paths = paths
        self.pid = pid
        self.exit: int | None = None
        self._expected = expected
        self._looked = float("-inf")

    def has_spoken(self, pid: int | None) -> None:
        """It said something, so it had its lock by then."""
        self._expected = False
        self.pid = pid

    def gone(self, exits: Mapping[int, int], now: float) -> bool:
        """Whether it has ended, by whatever way; seldom asks more than the memory."""
        if self.pid is not None and self.pid in exits:
            self.exit = exits[self.pid]
        if self.exit is None and now - self._looked < SECONDS_BETWEEN_LOOKS:
            return False
        self._looked = now
        if lives(self.paths):
            self._expected = False
            return False
        return not self._expected or self.exit is not None or not _exists(self.pid)

    def why(self, otherwise: str) -> str:
        """Why it ended without a last word, as far as its exit code tells."""
        if self.exit is None or self.exit >= 0:
            return otherwise
        number = -self.exit
        known = number in {each.value for each in signal.Signals}
        name = signal.Signals(number).name if known else f"signal {number}"
        hint = " (out of memory, or killed by hand)" if name == "SIGKILL" else ""
        return f"The worker was ended by {name}{hint}."


def _exists(pid: int | None) -> bool:
    if pid is None:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
