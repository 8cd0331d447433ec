"""A cell's story as rows and lines: samples, errors by message, output. Pure."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from evaltui.engine.rows import CellRow, cell_row
from evaltui.engine.state import CellState
from evaltui.plan_words import word_of
from evaltui.text import Glyphs, count, duration, error_sentence, score, short_count
from evaltui.tui.attempt_words import first_line, one_sentence
from evaltui.tui.columns import Column, Sort
from evaltui.tui.picture import AttemptLine, CellStory, ErrorGroup, SampleLine
from evaltui.tui.query import Query, Value, select
from evaltui.tui.runs import Cell, cell
from evaltui.tui.sample_map import sign_of
from evaltui.tui.sample_rows import natural
from evaltui.tui.selectors import bar_cell, error_token, sorted_rows

FATES = ("running", "done", "errored", "kept", "cancelled", "queued")

ERROR_COLUMNS = (
    Column("times", "", 5, 5, align="right"),
    Column("message", "", 10, 30, 1, grow=1),
)
SAMPLE_COLUMNS = (
    Column("fate", "", 1, 1),
    Column("id", "ID", 6, 22, 0, grow=1),
    Column("epoch", "EP", 2, 3, 2, align="right"),
    Column("score", "SCORE", 6, 14, 1),
    Column("seconds", "TIME", 5, 5, 3, align="right"),
    Column("tokens", "TOKENS", 6, 6, 4, align="right"),
    Column("retries", "TRIES", 5, 5, 5, align="right"),
    Column("said", "WHAT CAME OF IT", 12, 30, 1, grow=2),
)
SAMPLE_ATTRIBUTES = (
    "id", "epoch", "score", "seconds", "tokens", "retries", "error", "reason", "limit",
)  # fmt: skip


def figures(
    state: CellState,
    settings: Mapping[str, Any],
    now: float,
    glyphs: Glyphs,
    *,
    minded: bool = True,
    most: int = 3,
) -> tuple[Cell, Cell]:
    """The line under the header: how far the cell is, and what it scored, `most` of that."""
    row = cell_row(state, settings, now, minded=minded)
    left: Cell = (
        *bar_cell(row, glyphs, 18),
        (f"  {count(row.kept + row.done)}/{count(row.total)}", "text"),
        *bar_legend(row, glyphs),
        (
            f"  {error_sentence(row.errors, row.fails_at, at_end=row.judged_at_end)}",
            error_token(row),
        ),
    )
    scores = [
        f"{scorer} {metric} {score(value)}"
        for scorer, values in state.metrics.items()
        for metric, value in values.items()
    ]
    if scores:
        return left, cell("  ".join(scores[:most]), "strong")
    right = f"next {row.next}" if row.next not in ("", "-", row.status) else ""
    return left, cell(f"{row.status} {right}".strip(), "muted")


def bar_legend(row: CellRow, glyphs: Glyphs) -> Cell:
    """What the parts of the bar stand for, in words and numbers."""
    runs: list[tuple[str, str]] = []
    if row.kept:
        runs.append((f"  {glyphs.bar_kept} {count(row.kept)} kept", "kept"))
    if row.done:
        runs.append((f"  {glyphs.bar_done} {count(row.done)} done now", "done"))
    return tuple(runs)


# --- samples --------------------------------------------------------------------------------------


class SampleTable(msgspec.Struct, frozen=True):
    """Samples as a list: those shown, in their order."""

    samples: Sequence[SampleLine]
    shown: Sequence[int]
    keys: Sequence[str]


def sample_table(story: CellStory, query: Query, sort: Sort | None) -> SampleTable:
    """The samples that the filter lets through, sorted. With either, a second for 100,000."""
    samples = story.samples
    if not query and sort is None:
        return SampleTable(samples, range(len(samples)), story.keys)
    shown: Sequence[int] = range(len(samples))
    if query:
        shown = select(query, [sample_attributes(each) for each in samples])
    if sort is not None:
        column = sort[0]
        shown = sorted_rows(shown, sort, lambda row: _sort_value(column, samples[row]))
    return SampleTable(samples, shown, tuple(story.keys[row] for row in shown))


def sample_columns(story: CellStory, *, wide: bool) -> tuple[Column, ...]:
    """The columns of the samples; without `wide` none in which all say the same."""
    left_out = () if wide else story.alike
    return tuple(column for column in SAMPLE_COLUMNS if column.id not in left_out)


def sample_attributes(sample: SampleLine) -> dict[str, Value]:
    """What a filter may ask of a sample."""
    return {
        "id": str(sample.id),
        "epoch": sample.epoch,
        "score": score_text(sample.scores),
        "seconds": sample.seconds,
        "tokens": sample.tokens,
        "retries": sample.retries,
        "error": sample.error,
        "reason": sample.reason or None,
        "limit": sample.limit,
        "is": sample.fate,
    }


def _sort_value(column: str, sample: SampleLine) -> Value:
    match column:
        case "fate":
            return FATES.index(sample.fate)
        case "id":
            return natural(str(sample.id))
        case "said":
            return sample.error or sample.limit or sample.reason
        case name:
            return sample_attributes(sample).get(name)


def sample_cells(
    table: SampleTable, columns: Sequence[Column], glyphs: Glyphs
) -> Callable[[int], tuple[Cell, ...]]:
    """What stands in the columns of a sample, by its place in the list."""
    places = [SAMPLE_COLUMNS.index(column) for column in columns]

    def cells(place: int) -> tuple[Cell, ...]:
        sample = table.samples[table.shown[place]]
        sign, token = sign_of(sample.fate, sample.reason, glyphs)
        whole = (
            cell(sign, token),
            cell(str(sample.id)),
            cell(f"{sample.epoch}", "muted"),
            cell(score_text(sample.scores), "strong"),
            cell(duration(sample.seconds) if sample.seconds is not None else "", "muted"),
            cell(short_count(sample.tokens) if sample.tokens else "", "muted"),
            cell(f"{sample.retries}" if sample.retries else "", "wait"),
            _said(sample),
        )
        return tuple(whole[each] for each in places)

    return cells


def _said(sample: SampleLine) -> Cell:
    if sample.error:
        return cell(first_line(sample.error), "fail" if sample.fate == "errored" else "muted")
    if sample.limit:
        return cell(f"stopped by its {sample.limit} limit", "changed")
    words = {
        "running": "running",
        "kept": "kept from an earlier log",
        "queued": "to be run",
        "cancelled": "cancelled",
    }
    said = words.get(sample.fate, "")
    reason = sample.reason if sample.fate in ("queued", "running") else ""
    return cell(f"{said}: {word_of(reason)}" if reason else said, "muted")


def score_text(scores: Mapping[str, Any]) -> str:
    """The scores of a sample in a few letters: the value of each scorer."""
    return "  ".join(_score_value(value) for value in scores.values())


def _score_value(value: Any) -> str:
    if isinstance(value, Mapping):
        value = value.get("value", value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return score(float(value))
    if isinstance(value, Mapping):
        return " ".join(f"{name} {_score_value(part)}" for name, part in value.items())
    return str(value)


# --- errors ---------------------------------------------------------------------------------------


def error_rows(
    groups: Sequence[ErrorGroup], query: Query, glyphs: Glyphs
) -> list[tuple[str, tuple[Cell, ...]]]:
    """Errors by message, the most frequent first, as the filter lets them through."""
    shown = select(query, [{"message": each.text, "times": each.times} for each in groups])
    return [
        (
            groups[row].key,
            (
                cell(f"{glyphs.times}{count(groups[row].times)}", "fail"),
                cell(first_line(groups[row].text)),
            ),
        )
        for row in shown
    ]


def error_filter(group: str | None) -> str:
    """The filter that shows the samples of a group of errors."""
    if not group:
        return "is:errored"
    longest = max(first_line(group).split("#"), key=len).strip()
    quoted = longest.replace("\\", "\\\\").replace('"', '\\"')
    return f'error:"{quoted}"' if longest else "is:errored"


# --- output ---------------------------------------------------------------------------------------


def output_lines(story: CellStory, query: Query, now: float, glyphs: Glyphs) -> list[Cell]:
    """How the attempt ended, what its worker wrote, then the last model retries as they happen.

    query: of the lines that the worker wrote.
    """
    attempt = next((each for each in story.attempts if each.key == story.attempt), None)
    lines: list[Cell] = []
    if attempt is not None and attempt.error:
        lines.append(cell(f"{glyphs.failed} {one_sentence(attempt.error)}", "fail"))
    written = story.output
    if query:
        written = tuple(written[row] for row in select(query, [{"line": w} for w in written]))
    if lines and written:
        lines.append(cell("what the worker wrote:", "muted"))
    lines += [cell(line, "text") for line in written]
    for retry in story.retries[-20:]:
        left = retry.t + retry.wait - now
        until = f"in {duration(left)}" if left > 0 else "made"
        what = retry.status or retry.error or "an error"
        at = time.strftime("%H:%M:%S", time.localtime(retry.t))
        lines.append(
            (
                (f"{glyphs.rerun} {at} ", "wait"),
                (f"{retry.model}: {what}, try {retry.attempt + 1} {until}", "muted"),
            )
        )
    return lines or [cell(_nothing_written(story, query, attempt), "muted")]


def _nothing_written(story: CellStory, query: Query, attempt: AttemptLine | None) -> str:
    if query and story.output:
        return "no line matches the filter; Esc clears it"
    if attempt is not None and not attempt.name:
        return "a log of another run has no output here"
    return "nothing was printed"
