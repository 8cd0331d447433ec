"""The inspector of the main screen: one cell in a few lines. Pure.

What is kept and what would run, each sample as one sign, and what went wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from evaltui.engine.rows import cell_threshold
from evaltui.engine.state import CellState, Progress
from evaltui.text import Glyphs, count, duration, error_sentence, short_count
from evaltui.tui.attempt_words import one_sentence
from evaltui.tui.picture import Picture
from evaltui.tui.runs import Cell, cut
from evaltui.tui.sample_map import SampleMap
from evaltui.tui.selectors import dot
from evaltui.tui.verdict_words import KINDS
from evaltui.tui.wrapping import wrapped

if TYPE_CHECKING:
    from evaltui.plan import CellPlan


class Inspected(msgspec.Struct, frozen=True):
    """What the panel says: title and right of its frame, and its lines, the most telling first."""

    title: Cell = ()
    right: Cell = ()
    lines: tuple[Cell, ...] = ()


def inspected(
    picture: Picture, key: str | None, glyphs: Glyphs, width: int, samples: SampleMap
) -> Inspected:
    """The cell `key` in lines of at most `width` cells. samples: draws the map of its samples."""
    state = picture.state.cells.get(key) if key is not None else None
    if state is None:
        return Inspected((("3 ", "muted"), ("Inspector", "title")), (), _no_cell(picture))
    lines = [_verdict_line(picture, state, glyphs), samples.line(picture, state, glyphs, width)]
    for line in _troubles(picture, state, glyphs):
        lines += wrapped(line, width, 2, ascii_only=glyphs.ascii_only)
    title = _title(state, glyphs)
    room = width - sum(len(text) for text, _ in title) - 6
    return Inspected(title, _log(state, room, glyphs), tuple(line for line in lines if line))


def _title(state: CellState, glyphs: Glyphs) -> Cell:
    between = dot(glyphs)
    attempt = f"{between}attempt {state.progress.number}" if state.progress else ""
    return (
        ("3 ", "muted"),
        ("Inspector", "title"),
        (f"{between}{state.cell.task} {glyphs.times} {state.cell.model}{attempt}", "muted"),
    )


def _log(state: CellState, room: int, glyphs: Glyphs) -> Cell:
    """The log's name, as far as the title leaves room for it."""
    log = state.progress.log if state.progress and state.progress.log else state.log
    if not log or room < 16:
        return ()
    name = cut(log.rsplit("/", 1)[-1], room, ascii_only=glyphs.ascii_only)
    return ((name, "muted"),)


def _no_cell(picture: Picture) -> tuple[Cell, ...]:
    strays = picture.plan.strays if picture.plan else ()
    said = [((f"{stray.name}: {stray.reason}", "muted"),) for stray in strays]
    where = "no cell here"
    if strays and not picture.state.cells:
        where = f"logs of no cell; their scores: evaltui results {picture.log_dir}"
    return (((where, "muted"),), *said)


def _verdict_line(picture: Picture, state: CellState, glyphs: Glyphs) -> Cell:
    """`keep = 61   run ↻ 26 errored  + 412 new   saves 1.2M tokens, ~38m`."""
    plan, planned = picture.plan_of(state.cell.key), state.planned
    counts: Mapping[str, int]
    if plan is not None and (picture.engine == "none" or _counts_the_attempt(plan, state)):
        reuse, tolerated, counts, remapped = plan.reuse, plan.tolerated, plan.reasons, plan.remapped
        run, total = plan.run, plan.total
    elif planned is not None:
        reuse, tolerated, counts, remapped = planned.reuse, planned.tolerated, planned.reasons, 0
        run, total = planned.run, planned.total
    else:
        return (("not planned yet", "muted"),)
    if state.status == "running" and state.progress is not None and not reuse:
        return _running_line(state.progress, glyphs)
    if not total:
        return _unsized(state, glyphs, minded=picture.engine != "none")
    runs: list[tuple[str, str]] = [("keep ", "muted"), (f"{glyphs.kept} {count(reuse)}", "kept")]
    if remapped:
        runs.append((f" ({count(remapped)} ids matched by content)", "muted"))
    if tolerated:
        runs.append((f"  {glyphs.failed} {count(tolerated)} tolerated", "fail"))
    if run:
        runs.append(("   run ", "muted"))
        shown = counts or {"new": run}
        for reason, number in shown.items():
            glyph, token, word = KINDS.get(reason, KINDS["new"])
            runs.append((f" {getattr(glyphs, glyph)} {count(number)} {word} ", token))
    runs += _savings(picture, state)
    return tuple(runs)


def _counts_the_attempt(plan: CellPlan, state: CellState) -> bool:
    """Whether it was made after the last attempt ended: what a launch planned is the past then."""
    progress = state.progress
    if progress is None or not progress.reused or state.status == "running":
        return False
    return plan.reuse == progress.reused + progress.clean


def _unsized(state: CellState, glyphs: Glyphs, *, minded: bool) -> Cell:
    """Of a cell that was planned before its size was known; nothing where its message says why."""
    if state.progress is not None and state.progress.total:
        return _running_line(state.progress, glyphs)
    if state.status == "running" or (minded and state.status in ("idle", "queued")):
        return (("its worker sees how many samples there are", "muted"),)
    if state.status in ("idle", "queued"):
        return (("its size is not known until the task is loaded", "muted"),)
    if state.message:
        return ()
    return ((f"{glyphs.cancelled} {state.status} before its samples were known", "muted"),)


def _running_line(progress: Progress, glyphs: Glyphs) -> Cell:
    """How far an attempt is that keeps nothing."""
    if not progress.total:
        return (("its worker loads the task", "muted"),)
    left = progress.total - progress.reused - progress.done
    runs = [
        ("done ", "muted"),
        (f"{glyphs.complete} {count(progress.clean)}", "ok"),
    ]
    for word, sign, number, token in (
        ("errored", glyphs.failed, progress.errored, "fail"),
        ("running", glyphs.running, progress.busy, "run"),
        ("left", glyphs.new, left, "new"),
    ):
        if number:
            runs += [(f"   {word} ", "muted"), (f"{sign} {count(number)}", token)]
    if progress.tokens:
        runs.append((f"   {short_count(progress.tokens)} tokens", "muted"))
    return tuple(runs)


def _savings(picture: Picture, state: CellState) -> list[tuple[str, str]]:
    plan = picture.plan_of(state.cell.key)
    if plan is None:
        return []
    said = []
    if plan.reuse and plan.saves_tokens:
        time = f", {duration(plan.saves_seconds)} of work" if plan.saves_seconds else ""
        said.append((f"   saves {short_count(plan.saves_tokens)} tokens{time}", "muted"))
    if not plan.checked and plan.logs and picture.engine == "none":
        said.append(("   unchecked (p checks)", "wait"))
    return said


# --- what went wrong ------------------------------------------------------------------------------


def _troubles(picture: Picture, state: CellState, glyphs: Glyphs) -> list[Cell]:
    lines: list[Cell] = []
    if state.message:
        token = "error" if state.status in ("failed", "stuck", "blocked") else "warn"
        lines.append(((f"{glyphs.failed} {one_sentence(state.message)}", token),))
    progress = state.progress
    if progress is None:
        return lines
    if progress.errors:
        limit = cell_threshold(state, picture.settings, progress.total)
        said = error_sentence(progress.errored, limit.fails_at, at_end=limit.at_end)
        told = one_sentence(state.message)
        untold = [each for each in progress.errors.items() if not _told_in(told, each[0])]
        for place, (text, times) in enumerate(untold):
            line: Cell = (
                (f"{glyphs.failed} ", "fail"),
                (f"{text.splitlines()[0] if text else 'an error without a message'}", "text"),
                (f"  {glyphs.times}{times}", "muted"),
            )
            lines.append((*line, (f"   {said}", "muted")) if place == 0 else line)
    if progress.retry_status or progress.retry_error:
        what = progress.retry_status or progress.retry_error
        lines.append(
            (
                (f"{glyphs.rerun} ", "wait"),
                (f"{progress.retries} model retries, the last for {what}", "muted"),
            )
        )
    return lines


def _told_in(message: str, error: str) -> bool:
    """Whether a message has the error in it already, which may be cut there."""
    return bool(error) and one_sentence(error)[:60] in message
