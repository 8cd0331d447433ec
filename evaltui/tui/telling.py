"""A cell's story as rows and lines: attempts, samples, errors by message, output. Pure."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from evaltui.engine.retry import plain_error
from evaltui.engine.rows import cell_row
from evaltui.engine.state import CellState
from evaltui.text import Glyphs, count, duration, error_sentence, score, short_count
from evaltui.tui.columns import Column
from evaltui.tui.picture import AttemptLine, CellStory, SampleLine
from evaltui.tui.query import Query, Value, select
from evaltui.tui.runs import Cell, cell
from evaltui.tui.sample_map import sign_of
from evaltui.tui.selectors import bar_cell, error_cell, sorted_rows

FATES = ("running", "done", "errored", "kept", "cancelled", "queued")

ATTEMPT_COLUMNS = (
    Column("mark", "", 1, 1),
    Column("number", "", 3, 3, align="right"),
    Column("when", "", 8, 8, 3),
    Column("status", "", 8, 10),
    Column("why", "", 12, 30, 1, grow=1),
    Column("log", "", 12, 30, 4),
)
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

_STATUS_TOKENS = {"running": "run", "success": "ok", "cancelled": "muted", "replan": "muted"}


def figures(
    state: CellState,
    settings: Mapping[str, Any],
    now: float,
    glyphs: Glyphs,
    *,
    minded: bool = True,
) -> tuple[Cell, Cell]:
    """The line under the header: how far the cell is, and what it scored."""
    row = cell_row(state, settings, now, minded=minded)
    left: Cell = (
        *bar_cell(row, glyphs, 18),
        (f"  {count(row.kept + row.done)}/{count(row.total)}", "text"),
        (f"  kept {count(row.kept)}", "kept") if row.kept else ("", "text"),
        ("  ", "text"),
        *error_cell(row, glyphs),
        (f"  {error_sentence(row.errors, row.fails_at, at_end=row.judged_at_end)}", "muted"),
    )
    scores = [
        f"{scorer} {metric} {score(value)}"
        for scorer, values in state.metrics.items()
        for metric, value in values.items()
    ]
    if scores:
        return left, cell("  ".join(scores[:3]), "strong")
    right = f"next {row.next}" if row.next not in ("", "-", row.status) else ""
    return left, cell(f"{row.status} {right}".strip(), "muted")


def attempt_rows(
    attempts: Sequence[AttemptLine], now: float, glyphs: Glyphs
) -> list[tuple[str, tuple[Cell, ...]]]:
    """A row for each attempt, oldest first."""
    return [(line.key, _attempt_cells(line, now, glyphs)) for line in attempts]


def _attempt_cells(line: AttemptLine, now: float, glyphs: Glyphs) -> tuple[Cell, ...]:
    token = _STATUS_TOKENS.get(line.status, "fail")
    mark = {"running": glyphs.running, "success": glyphs.complete,
            "cancelled": glyphs.cancelled, "replan": glyphs.rerun}  # fmt: skip
    lasted = ""
    if line.began is not None:
        lasted = f" {duration((line.ended or now) - line.began)}"
    why = line.error or line.reason
    if line.then:
        why = f"{why}; {line.then}" if why else line.then
    return (
        cell(mark.get(line.status, glyphs.failed), token),
        cell(f"{line.number}" if line.number else "", "strong"),
        cell(time.strftime("%H:%M:%S", time.localtime(line.began)) if line.began else "", "muted"),
        cell(line.status, token),
        ((_first_line(why), "text"), (lasted, "muted")),
        cell(line.log or "", "muted"),
    )


# --- samples --------------------------------------------------------------------------------------


class SampleTable(msgspec.Struct, frozen=True):
    """Samples as a list: those shown, in their order. attributes: of all, where a filter asked."""

    samples: Sequence[SampleLine]
    shown: Sequence[int]
    keys: tuple[str, ...]
    attributes: Sequence[Mapping[str, Value]] | None = None


def sample_table(
    samples: Sequence[SampleLine],
    query: Query,
    sort: tuple[str, bool] | None,
    before: SampleTable | None = None,
) -> SampleTable:
    """The samples that the filter lets through, sorted. before: the table before this one."""
    shown: Sequence[int] = range(len(samples))
    attributes = before.attributes if before and before.samples is samples else None
    if query:
        attributes = attributes or [sample_attributes(each) for each in samples]
        shown = select(query, attributes)
    if sort is not None:
        values = [_sort_value(sort[0], each) for each in samples]
        shown = sorted_rows(shown, sort, values.__getitem__)
    keys = tuple(samples[index].key for index in shown)
    return SampleTable(samples, shown, keys, attributes)


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
            return sample.id
        case "said":
            return sample.error or sample.limit or sample.reason
        case name:
            return sample_attributes(sample).get(name)


def sample_cells(table: SampleTable, glyphs: Glyphs) -> Callable[[int], tuple[Cell, ...]]:
    """What stands in the columns of a sample, by its place in the list."""

    def cells(place: int) -> tuple[Cell, ...]:
        sample = table.samples[table.shown[place]]
        sign, token = sign_of(sample.fate, sample.reason, glyphs)
        return (
            cell(sign, token),
            cell(str(sample.id)),
            cell(f"{sample.epoch}", "muted"),
            cell(score_text(sample.scores), "strong"),
            cell(duration(sample.seconds) if sample.seconds is not None else "", "muted"),
            cell(short_count(sample.tokens) if sample.tokens else "", "muted"),
            cell(f"{sample.retries}" if sample.retries else "", "wait"),
            _said(sample),
        )

    return cells


def _said(sample: SampleLine) -> Cell:
    if sample.error:
        return cell(_first_line(sample.error), "fail" if sample.fate == "errored" else "muted")
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
    return cell(f"{said}: {reason.replace('_', ' ')}" if reason else said, "muted")


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


def error_rows(samples: Sequence[SampleLine], glyphs: Glyphs) -> list[tuple[str, tuple[Cell, ...]]]:
    """Errors grouped by message, numbers and addresses aside; the most frequent first."""
    groups: dict[str, list[str]] = {}
    for sample in samples:
        if sample.error is not None and sample.fate != "cancelled":
            groups.setdefault(plain_error(sample.error), []).append(sample.error)
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    return [
        (key, (cell(f"{glyphs.times}{len(texts)}", "fail"), cell(_first_line(texts[0]))))
        for key, texts in ordered
    ]


def error_filter(group: str | None) -> str:
    """The filter that shows the samples of a group of errors."""
    if not group:
        return "is:errored"
    longest = max(_first_line(group).split("#"), key=len).strip()
    quoted = longest.replace("\\", "\\\\").replace('"', '\\"')
    return f'error:"{quoted}"' if longest else "is:errored"


def _first_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[0] if lines else ""


# --- output ---------------------------------------------------------------------------------------


def output_lines(story: CellStory, now: float, glyphs: Glyphs) -> list[Cell]:
    """What the worker wrote, and behind it the last model retries as they happen."""
    lines: list[Cell] = [cell(line, "text") for line in story.output]
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
    return lines or [cell("nothing was printed", "muted")]
