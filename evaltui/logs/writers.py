"""Who is writing a log that is not finished, by the sample buffer that Inspect keeps beside it.

Reads names and times only, and needs no Inspect. A writer that keeps no buffer (`log_realtime` is
off), or sits on another host, can't be seen.
"""

from __future__ import annotations

import glob
import hashlib
import os
from pathlib import Path


def writer_of(log: Path) -> int | None:
    """The pid of the process that is writing this log; None where none is known to live."""
    for folder in buffer_folders(log.parent):
        for buffer in folder.glob(f"{glob.escape(log.name)}.*.db"):
            if is_live(buffer):
                return int(_pid(buffer))
    return None


def is_live(buffer: Path) -> bool:
    """Whether the process that made the buffer, and has its pid in the name, still lives."""
    pid = _pid(buffer)
    return pid.isdigit() and _exists(int(pid)) and not is_gone(int(pid), buffer)


def is_gone(pid: int, buffer: Path) -> bool:
    """Whether the process that made the buffer is over although its pid is in use.

    A zombie keeps its pid (nobody reaps it in many a container), and another process may have got
    it since.
    """
    import psutil

    try:
        process = psutil.Process(pid)
        zombie = process.status() == psutil.STATUS_ZOMBIE
        return bool(zombie or process.create_time() > buffer.stat().st_mtime)
    except (psutil.Error, OSError):
        return False


def buffer_folders(log_dir: Path) -> list[Path]:
    """Where Inspect buffers for a log directory, under the name it was given and its real one."""
    from platformdirs import user_data_path

    buffers = user_data_path("inspect_ai") / "samplebuffer"
    names = dict.fromkeys((log_dir.absolute().as_posix(), log_dir.resolve().as_posix()))
    return [buffers / hashlib.sha256(f"file://{name}".encode()).hexdigest() for name in names]


def _pid(buffer: Path) -> str:
    return buffer.name.rsplit(".", 2)[1]


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
