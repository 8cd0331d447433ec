"""The story of one cell: its attempts and logs, and of one attempt samples, retries and output.

For the reading thread: it reads on from where it was, and tells it as one immutable value.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from evaltui.engine.feed import Feed
from evaltui.engine.retry import plain_error
from evaltui.engine.state import SetState
from evaltui.logs import attempt as ev
from evaltui.logs import journal as jn
from evaltui.logs.archive import LogError
from evaltui.logs.buffered import recoverable_summaries
from evaltui.logs.files import read_lines
from evaltui.logs.layout import Layout
from evaltui.logs.reading import read_log
from evaltui.logs.records import LogFile, SampleSummary
from evaltui.tui.attempt_words import ANOTHER_RUN, IN_TRASH, why_launched
from evaltui.tui.picture import AttemptLine, CellStory, ErrorGroup, SampleFate, SampleLine

if TYPE_CHECKING:
    from evaltui.plan import CellPlan

MOST_OUTPUT = 5_000
"""Lines of a worker's output that are kept."""

FIRST_OUTPUT = 256 * 1024
"""Bytes of it that are read at first, from the end."""

MOST_RETRIES = 1_000


class StoryReader:
    """Follows one cell."""

    def __init__(self, layout: Layout, cell: str) -> None:
        self._layout = layout
        self.cell = cell
        self._entries: list[jn.Entry] = []
        self._offset = 0
        self._chosen: str | None = None
        self._told: _Attempt | None = None
        self._story = CellStory(cell)

    def choose(self, attempt: str | None) -> None:
        """Tell this attempt (by `AttemptLine.key`); None: always the last one."""
        self._chosen = attempt

    def read(
        self, logs: Mapping[str, LogFile], state: SetState, plan: CellPlan | None = None
    ) -> CellStory:
        """The story now; the same object where nothing is new. plan: the cell's, for its logs."""
        new, self._offset = self._read_journal()
        self._entries += [entry for entry in new if getattr(entry, "cell", None) == self.cell]
        named = plan.logs if plan is not None else ()
        attempts = self._attempts(logs, state, named)
        wanted = self._chosen or (attempts[-1].key if attempts else None)
        line = next((each for each in attempts if each.key == wanted), None)
        if line is None:
            self._told = None
        elif self._told is None or self._told.key != line.key:
            self._told = _Attempt(self._layout, line)
        story = CellStory(self.cell, attempts, wanted)
        if self._told is not None:
            story = self._told.read(story)
        if story != self._story:
            self._story = story
        return self._story

    def _read_journal(self) -> tuple[list[jn.Entry], int]:
        try:
            if os.stat(self._layout.journal).st_size == self._offset:
                return [], self._offset
        except OSError:
            return [], self._offset
        return read_lines(self._layout.journal, jn.Entry, self._offset)

    def _attempts(
        self, logs: Mapping[str, LogFile], state: SetState, named: Sequence[str]
    ) -> tuple[AttemptLine, ...]:
        """The cell's attempts and, where they began, its logs that none of them wrote."""
        lines = self._journalled()
        cell = state.cells.get(self.cell)
        if cell is not None and cell.progress is not None and cell.progress.attempt in lines:
            running = lines[cell.progress.attempt]
            log = running.log or _name(cell.progress.log)
            lines[running.name] = replace(running, log=log)
        known = {line.log for line in lines.values()}
        best = _name(cell.planned.log if cell is not None and cell.planned else None)
        names = [name for name in (*named, best) if name is not None and name not in known]
        others = [logs[name] for name in names if name in logs]
        if not others:
            return tuple(lines.values())
        foreign = {each.name: _line_of_log(each) for each in others}
        together = (*foreign.values(), *lines.values())
        return tuple(sorted(together, key=lambda line: line.began or 0.0))

    def _journalled(self) -> dict[str, AttemptLine]:
        lines: dict[str, AttemptLine] = {}
        planned: jn.Planned | None = None
        last = ""
        for entry in self._entries:
            match entry:
                case jn.Planned():
                    planned = entry
                case jn.Launched():
                    why = why_launched(entry, planned, lines.get(last))
                    last = entry.attempt
                    lines[last] = AttemptLine(last, entry.number, why, "running", began=entry.t)
                case jn.AttemptEnded() if entry.attempt in lines:
                    lines[entry.attempt] = replace(
                        lines[entry.attempt],
                        status=entry.status,
                        ended=entry.t,
                        error=entry.error,
                        log=_name(entry.log),
                    )
                case jn.RerunScheduled() if last in lines:
                    lines[last] = replace(lines[last], then="runs again by itself")
                case jn.Failed() if last in lines:
                    lines[last] = replace(lines[last], then=entry.message)
                case jn.Dropped() | jn.Cancelled() if last in lines:
                    lines[last] = replace(lines[last], then=type(entry).__name__.lower())
                case jn.Trashed():
                    _in_trash(lines, entry)
                case _:
                    pass
        return lines


def _in_trash(lines: dict[str, AttemptLine], entry: jn.Trashed) -> None:
    for name, line in lines.items():
        if line.log == entry.log:
            lines[name] = replace(line, then=IN_TRASH)


class _Attempt:
    """One attempt (or log) being told."""

    def __init__(self, layout: Layout, line: AttemptLine) -> None:
        self.key = line.key
        self._layout = layout
        self._paths = layout.attempt(line.name) if line.name else None
        self._feed = Feed(self._paths) if self._paths else None
        self._samples: dict[tuple[str, int], SampleLine] = {}
        self._verdicts: tuple[ev.Verdict, ...] = ()
        self._retries: list[ev.ModelRetry] = []
        self._output = _Output(self._paths.output) if self._paths else None
        self._trouble = ""
        self._told: tuple[SampleLine, ...] = ()
        self._keys: tuple[str, ...] = ()
        self._errors: tuple[ErrorGroup, ...] = ()
        self._alike: tuple[str, ...] = ()
        self._told_retries: tuple[ev.ModelRetry, ...] = ()
        if self._paths is not None:
            self._read_order(self._paths.order)
        elif line.log is not None:
            self._read_log(layout.log_dir / line.log)

    def read(self, story: CellStory) -> CellStory:
        events = self._feed.read() if self._feed is not None else []
        for event in events:
            self._take(event)
        if events or not self._told:
            self._told = tuple(self._samples.values())
            if len(self._keys) != len(self._told):
                self._keys = tuple(line.key for line in self._told)
            self._errors = error_groups(self._told)
            self._alike = alike(self._told)
            self._told_retries = tuple(self._retries)
        return replace(
            story,
            samples=self._told,
            keys=self._keys,
            errors=self._errors,
            alike=self._alike,
            verdicts=self._verdicts,
            retries=self._told_retries,
            output=self._output.read() if self._output is not None else (),
            trouble=self._trouble,
        )

    def _read_order(self, path: Path) -> None:
        try:
            order = msgspec.json.decode(path.read_bytes(), type=ev.Order)
        except (OSError, msgspec.MsgspecError):
            return
        self._verdicts = order.verdicts or ()
        for verdict in self._verdicts:
            fate: SampleFate = "queued" if verdict.verdict == "run" else "kept"
            self._samples[str(verdict.id), verdict.epoch] = SampleLine(
                verdict.id, verdict.epoch, fate, verdict.reason or verdict.verdict
            )

    def _read_log(self, path: Path) -> None:
        try:
            for row in recoverable_summaries(read_log(path)):
                self._samples[row.key] = _line_of_sample(row)
        except LogError as error:
            self._trouble = str(error)

    def _take(self, event: ev.Event) -> None:
        match event:
            case ev.SampleStart():
                before = self._samples.get((str(event.id), event.epoch))
                self._samples[str(event.id), event.epoch] = SampleLine(
                    event.id,
                    event.epoch,
                    "running",
                    before.reason if before else "",
                    at=event.t,
                )
            case ev.SampleEnd():
                before = self._samples.get((str(event.id), event.epoch))
                self._samples[str(event.id), event.epoch] = SampleLine(
                    event.id,
                    event.epoch,
                    _fate(event),
                    before.reason if before else "",
                    error=event.error if not event.cancelled else None,
                    limit=event.limit,
                    retries=event.retries,
                    seconds=event.seconds,
                    tokens=event.tokens,
                    scores=event.scores,
                    at=event.t,
                )
            case ev.ModelRetry():
                self._retries.append(event)
                del self._retries[:-MOST_RETRIES]
            case ev.Ended():
                for key, line in self._samples.items():
                    if line.fate == "running":
                        self._samples[key] = msgspec.structs.replace(line, fate="cancelled")
            case _:
                pass


def alike(samples: Sequence[SampleLine]) -> tuple[str, ...]:
    """Of the lesser fields those in which all samples, if there are several, say the same."""
    if len(samples) < 2:
        return ()
    first = samples[0]
    return tuple(
        name
        for name in ("epoch", "retries", "tokens")
        if all(getattr(each, name) == getattr(first, name) for each in samples)
    )


def error_groups(samples: Sequence[SampleLine]) -> tuple[ErrorGroup, ...]:
    """Errors grouped by message, numbers and addresses aside; the most frequent first."""
    groups: dict[str, list[str]] = {}
    for sample in samples:
        if sample.error is not None:
            groups.setdefault(plain_error(sample.error), []).append(sample.error)
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    return tuple(ErrorGroup(key, texts[0], len(texts)) for key, texts in ordered)


class _Output:
    """The end of a file of text that grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset: int | None = None
        self._rest = b""
        self._lines: list[str] = []
        self._told: tuple[str, ...] = ()

    def read(self) -> tuple[str, ...]:
        try:
            size = os.stat(self._path).st_size
            if size == self._offset:
                return self._told
            with open(self._path, "rb") as file:
                if self._offset is None:
                    self._offset = max(0, size - FIRST_OUTPUT)
                file.seek(self._offset)
                new = file.read(max(0, size - self._offset))
        except OSError:
            return self._told
        self._offset += len(new)
        *lines, self._rest = (self._rest + new).split(b"\n")
        self._lines += [line.rstrip(b"\r").decode("utf-8", "replace") for line in lines]
        del self._lines[:-MOST_OUTPUT]
        rest = (self._rest.decode("utf-8", "replace"),) if self._rest else ()
        self._told = (*self._lines, *rest)
        return self._told


def _fate(event: ev.SampleEnd) -> SampleFate:
    if event.cancelled:
        return "cancelled"
    if event.error is not None:
        return "errored"
    return "kept" if event.reused else "done"


def _line_of_sample(row: SampleSummary) -> SampleLine:
    fate: SampleFate = "done"
    if row.error is not None:
        fate = "cancelled" if row.cancelled else "errored"
    return SampleLine(
        row.id,
        row.epoch,
        fate,
        error=row.error if not row.cancelled else None,
        limit=row.limit,
        retries=row.retries,
        seconds=row.total_time,
        tokens=row.tokens,
        scores=row.scores,
    )


def _line_of_log(log: LogFile) -> AttemptLine:
    header = log.header
    if header is None:
        return AttemptLine("", 0, ANOTHER_RUN, "broken", error=log.reason, log=log.name)
    return AttemptLine(
        "",
        0,
        ANOTHER_RUN,
        header.status,
        began=_seconds(header.stats.started_at or header.created),
        ended=_seconds(header.stats.completed_at),
        error=header.error,
        log=log.name,
    )


def _seconds(time: str) -> float | None:
    try:
        return datetime.fromisoformat(time).timestamp()
    except ValueError:
        return None


def _name(path: str | None) -> str | None:
    return path.rsplit("/", 1)[-1] if path else None
