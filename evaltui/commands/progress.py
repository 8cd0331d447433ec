"""What `evaltui run` shows while the set runs: a live table, plain lines, or JSON lines.

It looks on through the tail like everybody else and never touches the engine.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from typing import IO, TYPE_CHECKING, Any, Protocol

import msgspec

from evaltui.commands.lines import set_lines, telling_args, totals
from evaltui.engine.rows import cell_rows, lane_rows
from evaltui.engine.state import SetState
from evaltui.engine.tail import Tail
from evaltui.logs import journal as jn
from evaltui.logs.files import read_lines
from evaltui.logs.layout import Layout
from evaltui.text import Glyphs, clip, countdown, errors_said, visible

if TYPE_CHECKING:
    from rich.live import Live

BETWEEN_LOOKS = 0.2

WIDEST_ERROR = 160
"""So much of an error is shown, in cells of the screen; `status` and the log have it whole."""


class Progress(Protocol):
    """Something that shows a set while it runs."""

    def look(self) -> None: ...
    def close(self) -> None: ...


def follow(progress: Progress, ended: Callable[[], bool]) -> None:
    """Show the set until `ended`; the last look is after the end."""
    try:
        while not ended():
            progress.look()
            time.sleep(BETWEEN_LOOKS)
        progress.look()
    finally:
        progress.close()


class _Entries:
    """Journal entries from now on."""

    def __init__(self, layout: Layout) -> None:
        self._journal = layout.journal
        _, self._offset = read_lines(self._journal, jn.Entry)

    def new(self) -> list[jn.Entry]:
        entries: list[jn.Entry]
        entries, self._offset = read_lines(self._journal, jn.Entry, self._offset)
        return entries


class JsonLines:
    """Every decision as the journal has it, one JSON object a line."""

    def __init__(self, layout: Layout) -> None:
        self._entries = _Entries(layout)

    def look(self) -> None:
        for entry in self._entries.new():
            print(msgspec.json.encode(entry).decode(), flush=True)

    def close(self) -> None:
        pass


class PlainLines:
    """A line for each thing that happened, for files and pipes."""

    def __init__(self, layout: Layout, tail: Tail, glyphs: Glyphs, out: IO[str]) -> None:
        self._entries = _Entries(layout)
        self._tail = tail
        self._glyphs = glyphs
        self._out = out
        self._last = ""

    def look(self) -> None:
        state = self._tail.poll()
        for entry in self._entries.new():
            said = sentence(entry, state, self._glyphs)
            if said and said != self._last:
                print(said, file=self._out, flush=True)
                self._last = said

    def close(self) -> None:
        pass


class LiveTable:
    """All cells and lanes, redrawn in place, with what happened above them."""

    def __init__(self, layout: Layout, tail: Tail, glyphs: Glyphs) -> None:
        from rich.console import Console
        from rich.live import Live

        self._entries = _Entries(layout)
        self._tail = tail
        self._glyphs = glyphs
        self._console = Console(highlight=False, markup=False, emoji=False)
        self._live: Live = Live(console=self._console, auto_refresh=False, screen=False)
        self._live.start()
        self._shown: list[str] = []

    def look(self) -> None:
        from rich.text import Text

        state = self._tail.poll()
        for entry in self._entries.new():
            said = sentence(entry, state, self._glyphs)
            if said:
                self._console.print(Text(said))
        lines = self._lines(state)
        if lines != self._shown:
            self._live.update(Text("\n".join(lines), no_wrap=True), refresh=True)
            self._shown = lines

    def _lines(self, state: SetState) -> list[str]:
        settings: Mapping[str, Any] = self._tail.spec.settings if self._tail.spec else {}
        now = time.time()
        cells = [cell.cell for cell in state.cells.values()]
        lines = set_lines(
            cell_rows(state, settings, now),
            lane_rows(state, now),
            telling_args(cells),
            self._glyphs,
            self._console.width - 1,
        )
        room = max(self._console.height - 2, 3)
        if len(lines) <= room:
            return lines
        return [*lines[: room - 2], f"… {len(lines) - room + 1} more lines", lines[-1]]

    def close(self) -> None:
        self._live.stop()


def sentence(entry: jn.Entry, state: SetState, glyphs: Glyphs) -> str:
    """What an entry means to a person, in a line; empty where it is only the engine's business."""
    match entry:
        case jn.Launched():
            verb = "runs" if entry.number == 1 else f"runs again, attempt {entry.number}"
            said = f"{glyphs.running} {_cell(state, entry.cell)} {verb}"
            return f"{said}: {entry.reason}" if entry.number > 1 and entry.reason else said
        case jn.AttemptEnded() if entry.status not in ("success", "replan", "cancelled"):
            return f"{glyphs.failed} {_cell(state, entry.cell)}: {_why(entry, glyphs)}"
        case jn.RerunScheduled():
            wait = countdown(max(0.0, entry.due - entry.t))
            return f"{glyphs.rerun} {_cell(state, entry.cell)} runs again in {wait}"
        case jn.Completed():
            errors = f", {errors_said(entry.errored)} tolerated" if entry.errored else ""
            score = _scores(entry.metrics)
            return f"{glyphs.complete} {_cell(state, entry.cell)} complete{errors}{score}"
        case jn.Failed():
            return f"{glyphs.failed} {_cell(state, entry.cell)} gives up: {visible(entry.message)}"
        case jn.Blocked():
            return f"{glyphs.failed} {_cell(state, entry.cell)} is blocked: {visible(entry.reason)}"
        case jn.Cancelled():
            return f"{glyphs.cancelled} {_cell(state, entry.cell)} cancelled"
        case jn.Held():
            target = _cell(state, entry.target) if entry.scope == "cell" else entry.target
            reason = f": {visible(entry.reason)}" if entry.reason else ""
            return f"{glyphs.held} {visible(target)} held{reason}"
        case jn.Trashed():
            return (
                f"{visible(entry.log)} moved to the trash: all its samples are in {entry.kept_in}"
            )
        case jn.Recovered():
            return f"{entry.samples} samples of a crashed attempt came back in {visible(entry.log)}"
        case jn.SpecBroken():
            place = f", line {entry.line}, column {entry.column}" if entry.line else ""
            return (
                f"evalset.toml{place}: {visible(entry.message)}; the spec before it stays in force"
            )
        case jn.LaneWaits() if entry.waits:
            return f"{glyphs.rerun} {visible(entry.lane)} waits: {visible(entry.message)}"
        case jn.Message():
            return visible(entry.text)
        case jn.CommandTaken():
            return visible(entry.outcome)
        case _:
            return ""


def _why(entry: jn.AttemptEnded, glyphs: Glyphs) -> str:
    if entry.errors:
        message, times = max(entry.errors.items(), key=lambda pair: pair[1])
        said = errors_said(sum(entry.errors.values()))
        return f"{said}, {clip(message, WIDEST_ERROR, glyphs)} ×{times}"
    return clip(entry.error or entry.status, WIDEST_ERROR, glyphs)


def _scores(metrics: Mapping[str, Mapping[str, float]]) -> str:
    said = [
        f"{visible(scorer)} {visible(metric)} {value:.3g}"
        for scorer, values in metrics.items()
        for metric, value in list(values.items())[:1]
    ]
    return f", {', '.join(said)}" if said else ""


def _cell(state: SetState, key: str) -> str:
    cell = state.cells.get(key)
    return f"{visible(cell.cell.task)} × {visible(cell.cell.model)}" if cell else key


def progress_for(
    layout: Layout, tail: Tail, glyphs: Glyphs, *, json_lines: bool, live: bool
) -> Progress:
    """The way of showing that fits where the output goes."""
    if json_lines:
        return JsonLines(layout)
    if live:
        return LiveTable(layout, tail, glyphs)
    return PlainLines(layout, tail, glyphs, sys.stdout)


def last_word(tail: Tail) -> str:
    """The set in a line, as it stands at the end."""
    settings: Mapping[str, Any] = tail.spec.settings if tail.spec else {}
    return totals(cell_rows(tail.poll(), settings, time.time()))
