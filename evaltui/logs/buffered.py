"""What a killed writer left in Inspect's sample buffer and not in its log, read without Inspect.

A recovery writes it into the log; until then this says what that will bring back. Changes nothing.
"""

from __future__ import annotations

import contextlib
import glob
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from evaltui.logs import wire
from evaltui.logs.attachments import resolve_attachments
from evaltui.logs.reading import each_summary, is_json
from evaltui.logs.records import LogFile, SampleHead, SampleSummary
from evaltui.logs.writers import buffer_folders, is_live

if TYPE_CHECKING:
    from sqlite3 import Connection

T = TypeVar("T")

CANCELLED = "CancelledError()"
"""The error that a recovery gives a sample whose writer died before it was done."""

_FIRST_EVENTS = 20  # what the dataset gave comes with one of these


class _Given(msgspec.Struct):
    input: str | list[Any] = ""
    target: str | list[str] = ""
    choices: list[str] | None = None


class _Event(msgspec.Struct):
    sample: _Given | None = None


def abandoned_buffers(log: Path) -> list[Path]:
    """The buffers of a log whose writers are gone; by its name where the directory was moved.

    None for a `.json` log: Inspect can't recover one.
    """
    if is_json(log):
        return []
    name = f"{glob.escape(log.name)}.*.db"
    folders = buffer_folders(log.parent)
    found = [buffer for folder in folders for buffer in folder.glob(name)]
    found = found or list(folders[0].parent.glob(f"*/{name}"))
    return [] if any(map(is_live, found)) else found


def buffered_summaries(log: Path) -> list[SampleSummary]:
    """The samples that lie in the buffer, with those that were not done as cancelled.

    Empty while somebody writes the log. A buffer that is damaged is the recovery's to report.
    """

    def read(buffer: Connection) -> list[SampleSummary]:
        rows = [wire.summary(row, False, "") for row in _rows(buffer)]
        return [
            row if row.completed_at else msgspec.structs.replace(row, error=CANCELLED)
            for row in rows
        ]

    return _read_each(log, read)


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

    def read(buffer: Connection) -> list[SampleHead]:
        heads = (_head(buffer, row) for row in _rows(buffer))
        return [head for head in heads if head is not None]

    return _read_each(log, read)


def _read_each(log: Path, read: Callable[[Connection], list[T]]) -> list[T]:
    found: list[T] = []
    for path in abandoned_buffers(log):
        import sqlite3

        with (
            contextlib.suppress(sqlite3.Error, *wire.UNDECODABLE),
            contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as buffer,
        ):
            found += read(buffer)
    return found


def _rows(buffer: Connection) -> list[wire.WireSample]:
    rows = buffer.execute("SELECT data FROM samples").fetchall()
    return [wire.decode(data, wire.WireSample) for (data,) in rows]


def _head(buffer: Connection, row: wire.WireSample) -> SampleHead | None:
    key = (str(row.id), row.epoch)
    events = buffer.execute(
        "SELECT data FROM events WHERE sample_id = ? AND sample_epoch = ? ORDER BY id LIMIT ?",
        (*key, _FIRST_EVENTS),
    )
    given = next(
        (event.sample for (data,) in events if (event := wire.decode(data, _Event)).sample), None
    )
    if given is None:
        return None
    attachments = dict(
        buffer.execute(
            "SELECT hash, content FROM attachments WHERE sample_id = ? AND sample_epoch = ?", key
        ).fetchall()
    )
    content = resolve_attachments(given.input, attachments)
    return SampleHead(
        id=row.id, epoch=row.epoch, input=content, target=given.target, choices=given.choices
    )
