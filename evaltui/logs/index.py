"""The logs that lie directly in a log directory, one row each, read again only when they change.

Headers of finished logs are remembered between processes in the user's cache folder, which is
never needed: whatever is wrong with it, the logs themselves are read.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import platformdirs

from evaltui.logs.archive import unreadable
from evaltui.logs.files import write_atomic
from evaltui.logs.reading import read_log
from evaltui.logs.records import LogFile, LogHeader

# Inspect takes any `.eval` for a log, but a `.json` only when its name begins with a time.
_JSON_LOG = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}[:-]\d{2}[:-]\d{2}.*\.json", re.DOTALL)

_CACHE_VERSION = 1
_SETTLED_NS = 2_000_000_000
"""A file changed less than this ago may change again without its time showing it."""


def list_logs(log_dir: Path) -> list[LogFile]:
    """All logs directly in `log_dir`, by name; see `LogIndex.refresh`."""
    return LogIndex(log_dir).refresh()


def is_log_name(name: str) -> bool:
    """Whether Inspect would take a file of this name for a log."""
    return name.endswith(".eval") or _JSON_LOG.fullmatch(name) is not None


def _is_utf8(name: str) -> bool:
    """Whether the journal and the manifests, which are UTF-8, can name the file."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


class LogIndex:
    """The rows of one log directory; keep it to refresh it cheaply. Not for several threads."""

    def __init__(self, log_dir: Path, now_ns: Callable[[], int] = time.time_ns) -> None:
        self.log_dir = log_dir
        self._now_ns = now_ns
        self._cache: _HeaderCache | None = None
        self._rows: dict[str, LogFile] = {}

    def refresh(self) -> list[LogFile]:
        """One row for each log, by name; an unchanged log's row is the same object as before.

        A log that can't be read is a row with its reason. No logs where the directory is missing;
        OSError where it can't be listed.
        """
        try:
            with os.scandir(self.log_dir) as entries:
                names = sorted(entry.name for entry in entries if is_log_name(entry.name))
        except FileNotFoundError:
            names = []
        if self._cache is None:
            self._cache = _HeaderCache(self.log_dir)
        rows = {name: row for name in names if (row := self._row(self._cache, name))}
        settled = [row for row in rows.values() if row.finished and self._is_settled(row)]
        self._cache.keep(settled)
        self._rows = rows
        return list(rows.values())

    def _row(self, cache: _HeaderCache, name: str) -> LogFile | None:
        path = self.log_dir / name
        if not _is_utf8(name):
            return LogFile(path, 0, 0, reason="Its name is not UTF-8; rename it.")
        try:
            status = path.stat()
        except FileNotFoundError:
            if not path.is_symlink():
                return None  # gone since the directory was listed
            return LogFile(path, 0, 0, reason=f"{name} is a link to a file that is not there.")
        except OSError as error:
            return LogFile(path, 0, 0, reason=str(unreadable(path, error)))
        if stat.S_ISDIR(status.st_mode):
            return None
        size, mtime_ns = status.st_size, status.st_mtime_ns
        known = self._rows.get(name)
        if known and (known.size, known.mtime_ns) == (size, mtime_ns) and self._is_settled(known):
            return known
        header = cache.find(name, size, mtime_ns)
        if header is not None:
            return LogFile(path, size, mtime_ns, header, finished=True)
        return read_log(path)

    def _is_settled(self, row: LogFile) -> bool:
        return self._now_ns() - row.mtime_ns > _SETTLED_NS


# --- the cache ----------------------------------------------------------------------------------


class _Entry(msgspec.Struct, array_like=True):
    size: int
    mtime_ns: int
    header: msgspec.Raw


class _Cached(msgspec.Struct):
    version: int
    entries: dict[str, _Entry]


class _HeaderCache:
    """Headers of finished logs of one directory, by name, size and time, in one file."""

    def __init__(self, log_dir: Path) -> None:
        name = os.fsencode(os.path.realpath(log_dir))
        digest = hashlib.blake2b(name, digest_size=16).hexdigest()
        self._path = Path(platformdirs.user_cache_dir("evaltui")) / "headers" / f"{digest}.msgpack"
        self._entries = self._read()
        self._decoder = msgspec.msgpack.Decoder(LogHeader)

    def find(self, name: str, size: int, mtime_ns: int) -> LogHeader | None:
        entry = self._entries.get(name)
        if entry is None or (entry.size, entry.mtime_ns) != (size, mtime_ns):
            return None
        try:
            return self._decoder.decode(entry.header)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return None

    def keep(self, rows: list[LogFile]) -> None:
        """Remember exactly these; what can't be written is not remembered."""
        entries: dict[str, _Entry] = {}
        for row in rows:
            entry = self._entries.get(row.name)
            if entry is None or (entry.size, entry.mtime_ns) != (row.size, row.mtime_ns):
                try:
                    packed = msgspec.msgpack.encode(row.header)
                except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError):
                    continue
                entry = _Entry(row.size, row.mtime_ns, msgspec.Raw(packed))
            entries[row.name] = entry
        if entries == self._entries:
            return
        self._entries = entries
        with contextlib.suppress(OSError, ValueError):
            write_atomic(self._path, msgspec.msgpack.encode(_Cached(_CACHE_VERSION, entries)))

    def _read(self) -> dict[str, _Entry]:
        try:
            content = msgspec.msgpack.decode(self._path.read_bytes(), type=_Cached)
        except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
            return {}
        return content.entries if content.version == _CACHE_VERSION else {}
