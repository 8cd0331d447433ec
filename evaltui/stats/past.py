"""What became of a cell's samples before its present log: from older logs, superseded logs in the
trash, and the orders of its attempts, which say what they ran again even when the logs are gone.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from evaltui.logs.archive import LogError
from evaltui.logs.attempt import Order
from evaltui.logs.layout import AttemptPaths, Layout
from evaltui.logs.reading import read_log
from evaltui.logs.records import LogFile, LogHeader, SampleSummary
from evaltui.stats.cell_logs import CellLogs
from evaltui.stats.scores import Key

_LOG_EVENT = re.compile(rb'"event":\s*"log"')


@dataclass(frozen=True, slots=True)
class Past:
    """errors: samples that ended in an error before, cancellations excepted -> the last message.

    uuids: of samples that older logs of the cell hold: what the present log has of them is reused.
    """

    errors: dict[Key, str]
    uuids: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Older:
    name: str
    created: str
    task_id: str
    rows: list[SampleSummary]


def superseded(layout: Layout) -> list[LogFile]:
    """The logs in the trash, without samples."""
    return [read_log(path) for path in sorted(layout.trash.glob("*.trash"))]


def past_of(
    layout: Layout,
    cell: CellLogs,
    trash: Sequence[LogFile],
    summaries: Callable[[LogFile], list[SampleSummary]],
) -> Past:
    """The past of the cell's best log. Nothing that can't be read stops it."""
    header = cell.header
    present = {row.uuid for row in summaries(cell.best) if row.uuid}
    others = [_older(f.name, f.header, summaries(f)) for f in cell.logs[1:] if f.header]
    others += _trashed(trash, header, summaries)
    older = [o for o in others if o.created < header.created and _continued(o, header, present)]
    errors: dict[Key, str] = {}
    uuids: set[str] = set()
    for log in sorted(older, key=lambda log: log.created):
        for row in log.rows:
            if row.error is None and row.uuid:
                uuids.add(row.uuid)
            elif row.error is not None and not row.cancelled:
                errors[row.key] = row.error
    for key in _ordered_again(layout, {cell.best.name, *(log.name for log in older)}):
        errors.setdefault(key, "")
    return Past(errors, frozenset(uuids))


def _older(name: str, header: LogHeader, rows: list[SampleSummary]) -> _Older:
    return _Older(name, header.created, header.task_id, rows)


def _continued(log: _Older, header: LogHeader, present: set[str]) -> bool:
    """Whether the present log went on from this one, rather than being a run of its own."""
    if log.task_id and log.task_id == header.task_id:
        return True
    return any(row.uuid in present for row in log.rows if row.error is None)


def _trashed(
    trash: Sequence[LogFile],
    header: LogHeader,
    summaries: Callable[[LogFile], list[SampleSummary]],
) -> list[_Older]:
    """The superseded logs of the same task and model."""
    found = []
    for file in trash:
        if file.header and (file.header.task, file.header.model) == (header.task, header.model):
            with contextlib.suppress(LogError):
                name = file.name.removesuffix(".trash")
                found.append(_older(name, file.header, summaries(file)))
    return found


def _ordered_again(layout: Layout, names: set[str]) -> set[Key]:
    """Samples that attempts behind these logs, or behind the logs those drew on, ran once more."""
    waiting = [
        (order, log)
        for folder in (sorted(layout.attempts.iterdir()) if layout.attempts.is_dir() else ())
        if (order := _order(paths := AttemptPaths(folder))) is not None
        and (log := _log_name(paths)) is not None
    ]
    known, again = set(names), set[Key]()
    while hit := [pair for pair in waiting if pair[1] in known]:
        waiting = [pair for pair in waiting if pair not in hit]
        for order, _ in hit:
            known.update(order.logs)
            again |= {
                (str(v.id), v.epoch)
                for v in order.verdicts or ()
                if v.verdict == "run" and v.reason == "errored"
            }
    return again


def _order(paths: AttemptPaths) -> Order | None:
    try:
        return msgspec.json.decode(paths.order.read_bytes(), type=Order)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None


def _log_name(paths: AttemptPaths) -> str | None:
    """The name of the log that an attempt wrote, from its events."""
    try:
        with open(paths.events, "rb") as file:
            for line in file:
                if _LOG_EVENT.search(line):
                    with contextlib.suppress(msgspec.MsgspecError):
                        return Path(str(msgspec.json.decode(line).get("path", ""))).name or None
    except OSError:
        pass
    return None
