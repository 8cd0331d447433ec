"""The lock of a log directory: whoever holds it decides, everybody else looks on.

The file says who holds it (pid, host, start); only the flock says whether anybody does.
"""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path

import msgspec

from evaltui.logs.files import is_locked, try_lock
from evaltui.logs.layout import Layout


class Holder(msgspec.Struct, frozen=True):
    """Who holds the lock. start: unix seconds."""

    pid: int
    host: str
    start: float
    detached: bool = False
    version: int = 1


class HeldError(Exception):
    """Another engine works on the directory; `holder` is None where it has not said who it is."""

    def __init__(self, log_dir: Path, holder: Holder | None) -> None:
        who = f" (pid {holder.pid} on {holder.host})" if holder else ""
        super().__init__(f"{log_dir} is run by another evaltui{who}; it can be told what to do")
        self.holder = holder


class EngineLock:
    """The lock while it is held; closed by `release`, or with the process."""

    def __init__(self, layout: Layout, descriptor: int, holder: Holder) -> None:
        self._path = layout.lock
        self._descriptor: int | None = descriptor
        self.holder = holder

    @classmethod
    def take(cls, layout: Layout, *, detached: bool = False, now: float) -> EngineLock:
        """Hold the lock from now on. Raises HeldError, and OSError where it can't be written."""
        descriptor = try_lock(layout.lock)
        if descriptor is None:
            raise HeldError(layout.log_dir, holder(layout))
        mine = Holder(os.getpid(), socket.gethostname(), now, detached)
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, msgspec.json.encode(mine) + b"\n", 0)
        except BaseException:
            os.close(descriptor)
            raise
        return cls(layout, descriptor, mine)

    def check(self) -> None:
        """Raises OSError when the directory it lies in is gone, or another came in its place."""
        assert self._descriptor is not None
        if not os.path.samestat(os.fstat(self._descriptor), os.stat(self._path)):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self._path))

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def holder(layout: Layout) -> Holder | None:
    """Who holds the lock now, None where nobody does (or it has not said yet)."""
    try:
        if not is_locked(layout.lock):
            return None
        return msgspec.json.decode(layout.lock.read_bytes(), type=Holder)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
