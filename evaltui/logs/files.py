"""Durable writing and tolerant reading of small files: atomic replacement, JSON lines, locks."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def write_atomic(path: Path, data: bytes) -> None:
    """Put `data` at `path` so that a reader sees the old file or the new one, never a part.

    Written to a temporary name in the same folder, fsynced and renamed. OSError passes through,
    with the temporary file removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(".tmp", f".{path.name}.", path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), 0o666 & ~_umask())
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def append_line(path: Path, record: Any, *, sync: bool = False) -> None:
    """Append `record` as one JSON line; see `append_lines`."""
    append_lines(path, [record], sync=sync)


def append_lines(path: Path, records: Iterable[Any], *, sync: bool = False) -> None:
    """Append `records` as JSON lines with a single write; `sync` when a decision depends on them.

    A torn last line left by a crash is closed first, so that it spoils no line but itself.
    """
    lines = b"".join(msgspec.json.encode(record) + b"\n" for record in records)
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        size = os.fstat(descriptor).st_size
        if size and os.pread(descriptor, 1, size - 1) != b"\n":
            lines = b"\n" + lines
        if os.write(descriptor, lines) < len(lines):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        if sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_lines(path: Path, kind: type[T] | Any, offset: int = 0) -> tuple[list[T], int]:
    """The whole records of `kind` from byte `offset` on, and the offset behind the last of them.

    A torn last line is left for the next call; a line that is no record (of a newer version, or
    damaged) is passed over. A missing file is an empty one, and so is a directory in its place.
    """
    try:
        with open(path, "rb") as file:
            file.seek(offset)
            data = file.read()
    except (FileNotFoundError, IsADirectoryError):
        return [], offset
    end = data.rfind(b"\n") + 1
    decoder = msgspec.json.Decoder(kind)
    records: list[T] = []
    for line in data[:end].split(b"\n"):
        if line:
            with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError):
                records.append(decoder.decode(line))
    return records, offset + end


def trouble(error: OSError) -> str:
    """Which file an error is about and what is wrong with it; with a way out where there is one."""
    name = error.filename2 or error.filename
    if not isinstance(name, str):
        return error.strerror or str(error)
    if isinstance(error, IsADirectoryError):
        return f"{name} is a directory where a file belongs; move it away"
    if isinstance(error, NotADirectoryError):
        file = next((each for each in Path(name).parents if each.is_file()), Path(name))
        return f"{file} is a file where a directory belongs; move it away"
    return f"{name}: {error.strerror}"


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive flock on `path` (made if missing) for the length of the block."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def try_lock(path: Path) -> int | None:
    """A descriptor that holds an exclusive flock on `path`, or None when another process has it.

    The lock lasts until the descriptor is closed or its process ends.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        for wait in _WAITS:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return descriptor
            except BlockingIOError:
                time.sleep(wait)
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


_WAITS = (0.005, 0.01, 0.02, 0.04, 0.0)
"""Seconds between tries: whoever asks `is_locked` has the lock for an instant, and is no holder."""


def is_locked(path: Path) -> bool:
    """Whether some process holds the flock on `path`; a missing file is not locked."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
