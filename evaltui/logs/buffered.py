"""What a killed writer left in Inspect's sample buffer and not in its log, read without Inspect.

A recovery writes it into the log; until then this says what that will bring back. Changes nothing.
"""

from __future__ import annotations

import contextlib
import glob
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from evaltui.logs import wire
from evaltui.logs.archive import LogError
from evaltui.logs.given import BufferedEvent, given_head
from evaltui.logs.reading import each_summary, is_json
from evaltui.logs.records import LogFile, SampleHead, SampleSummary
from evaltui.logs.shared import shared_heads, shared_rows
from evaltui.logs.writers import buffer_folders, is_live

if TYPE_CHECKING:
    from sqlite3 import Connection

T = TypeVar("T")

CANCELLED = "CancelledError()"
"""The error that a recovery gives a sample whose writer died before it was done."""

_FIRST_EVENTS = 20  # what the dataset gave comes with one of these


def abandoned_buffers(log: Path) -> list[Path]:
    """The buffers of a log whose writers are gone; by its name where the directory was moved.

    None for a `.json` log: Inspect can't recover one.
    """
    if is_json(log):
        return []
    found = _buffers(log)
    return [] if any(map(is_live, found)) else found


def _buffers(log: Path) -> list[Path]:
    name = f"{glob.escape(log.name)}.*.db"
    folders = buffer_folders(log.parent)
    found = [buffer for folder in folders for buffer in folder.glob(name)]
    return found or list(folders[0].parent.glob(f"*/{name}"))


def damage(log: Path) -> str | None:
    """Why a recovery of the log will fail; None where the buffer can be read, or there is none."""
    import sqlite3

    if is_json(log):
        return None
    try:
        if not _buffers(log):
            shared_rows(log)
        for path in abandoned_buffers(log):
            with _opened(path) as buffer:
                _rows(buffer)
    except sqlite3.Error as error:
        return f"Inspect's buffer of its samples can't be read: {error}"
    except (OSError, *wire.UNDECODABLE):
        return "Inspect's buffer of its samples is damaged"
    return None


def buffered_summaries(log: Path) -> list[SampleSummary]:
    """The samples that lie in the buffer, with those that were not done as cancelled.

    Empty while somebody writes the log. A buffer that is damaged is the recovery's to report.
    """
    summaries = [wire.summary(row, False, "") for row in _read(log, _rows, shared_rows)]
    return [
        row if row.completed_at else msgspec.structs.replace(row, error=CANCELLED)
        for row in summaries
    ]


def recoverable_summaries(file: LogFile) -> Iterable[SampleSummary]:
    """The samples of a log as they will stand in it when it is recovered, if it has to be.

    Of a sample that is in the buffer too the log's record counts, unless the other began after
    that: a rerun's log starts with the records of what failed before. Raises LogError.
    """
    logged = each_summary(file.path)
    buffered = [] if file.finished else buffered_summaries(file.path)
    if not buffered:
        return logged
    found = {row.key: row for row in logged}
    for row in buffered:
        before = found.get(row.key)
        if before is None or _began_after(row, before):
            found[row.key] = row
    return found.values()


def _began_after(row: SampleSummary, before: SampleSummary) -> bool:
    ended = before.completed_at or before.started_at
    return bool(ended and row.started_at and row.started_at > ended)


def buffered_heads(log: Path) -> list[SampleHead]:
    """What the dataset gave for the samples in the buffer."""

    def heads(buffer: Connection) -> list[SampleHead]:
        found = (_head(buffer, row) for row in _rows(buffer))
        return [head for head in found if head is not None]

    return _read(log, heads, shared_heads)


def _read(
    log: Path, buffered: Callable[[Connection], list[T]], shared: Callable[[Path], Iterable[T]]
) -> list[T]:
    """From the buffers of the log; where there is none, from what its writer shared."""
    found: list[T] = []
    if not is_json(log) and not _buffers(log):
        with contextlib.suppress(OSError, LogError, *wire.UNDECODABLE):
            found += shared(log)
    for path in abandoned_buffers(log):
        import sqlite3

        with (
            contextlib.suppress(sqlite3.Error, *wire.UNDECODABLE),
            _opened(path) as buffer,
        ):
            found += buffered(buffer)
    return found


def _opened(buffer: Path) -> contextlib.closing[Connection]:
    import sqlite3

    return contextlib.closing(sqlite3.connect(f"{buffer.as_uri()}?mode=ro", uri=True))


def _rows(buffer: Connection) -> list[wire.WireSample]:
    tables = buffer.execute("SELECT name FROM sqlite_master").fetchall()
    if ("samples",) not in tables:  # its writer was killed as it made it
        return []
    rows = buffer.execute("SELECT data FROM samples").fetchall()
    return [wire.decode(data, wire.WireSample) for (data,) in rows]


def _head(buffer: Connection, row: wire.WireSample) -> SampleHead | None:
    key = (str(row.id), row.epoch)
    events = buffer.execute(
        "SELECT data FROM events WHERE sample_id = ? AND sample_epoch = ? ORDER BY id LIMIT ?",
        (*key, _FIRST_EVENTS),
    )
    first = [wire.decode(data, BufferedEvent) for (data,) in events.fetchall()]
    attachments = buffer.execute(
        "SELECT hash, content FROM attachments WHERE sample_id = ? AND sample_epoch = ?", key
    )
    return given_head(row, first, dict(attachments.fetchall()))
