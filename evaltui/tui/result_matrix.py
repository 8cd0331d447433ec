"""The results as tasks × models: one score for each cell, with what it stands on. Pure.

Scores are those of the report, none is made up here: there are no means over tasks or models, since
tasks differ in what a point of score is worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from evaltui.text import Glyphs, count, score, width_of
from evaltui.tui.columns import GAP, Column
from evaltui.tui.query import Value
from evaltui.tui.result_document import ScoreRow, scorer_name
from evaltui.tui.result_facts import CellFacts
from evaltui.tui.result_words import Remark, dash, remarks, signs
from evaltui.tui.runs import Cell, Run, cell

LEAST_TASK, MOST_TASK = 10, 28
MOST_SCORER = 12
LEAST_SPOT = 8
ENOUGH = 3
"""So many models in sight leave room for their intervals; fewer do not."""

ROOM_FOR_SCORER = 100
"""Narrower lists name the scorer below, for the row under the cursor alone."""


class Spot(msgspec.Struct, frozen=True):
    """Where a task and a model meet: a cell of the set, its score if there is one, and remarks."""

    facts: CellFacts
    score: ScoreRow | None = None
    remarks: tuple[Remark, ...] = ()

    @property
    def value(self) -> float | None:
        return self.score.value if self.score is not None else None


class Line(msgspec.Struct, frozen=True):
    """A task. scorer: whose score all its spots show; scorers: how many it has; spots: by model."""

    key: str
    task: str
    scorer: str
    scorers: int
    spots: Mapping[str, Spot]


class Matrix(msgspec.Struct, frozen=True):
    """lines: tasks in the order of the set. models: key -> name, in that order."""

    lines: tuple[Line, ...]
    models: Mapping[str, str]

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of all remarks in it."""
        return frozenset(
            remark.kind
            for line in self.lines
            for spot in line.spots.values()
            for remark in spot.remarks
        )


def matrix(rows: Sequence[ScoreRow], facts: Sequence[CellFacts], *, bare: bool = True) -> Matrix:
    """The matrix of these scores. bare: cells that have none of them are in it too."""
    by_log: dict[str, list[ScoreRow]] = {}
    for row in rows:
        by_log.setdefault(row.log, []).append(row)
    wanted = [each for each in facts if bare or each.log in by_log]
    tasks: dict[str, list[CellFacts]] = {}
    for each in wanted:
        tasks.setdefault(each.row, []).append(each)
    lines = tuple(_line(key, group, by_log) for key, group in tasks.items())
    return Matrix(lines, {each.column: each.model for each in wanted})


def _line(key: str, cells: Sequence[CellFacts], by_log: Mapping[str, list[ScoreRow]]) -> Line:
    names: dict[tuple[str | None, str | None], int] = {}
    for each in cells:
        for row in by_log.get(each.log or "", ()):
            if row.scorer is not None:
                name = (row.scorer, row.reducer)
                names[name] = names.get(name, 0) + 1
    headline = max(names, key=lambda name: names[name], default=None)
    spots = {each.column: _spot(each, by_log.get(each.log or "", ()), headline) for each in cells}
    shown = next((s.score for s in spots.values() if s.score and s.score.scorer), None)
    return Line(key, cells[0].task, scorer_name(shown) if shown else "", len(names), spots)


def _spot(
    facts: CellFacts,
    rows: Sequence[ScoreRow],
    headline: tuple[str | None, str | None] | None,
) -> Spot:
    same = [row for row in rows if (row.scorer, row.reducer) == headline]
    found = same[0] if same else next((row for row in rows if row.scorer is None), None)
    return Spot(facts, found, remarks(found, facts))


# --- as a list ------------------------------------------------------------------------------------


class Layout(msgspec.Struct, frozen=True):
    """How the matrix stands in a width.

    columns: of the list: the task, its scorer where there is room, then the models in sight, whose
    keys are `models`. interval: whether there is room for it; value, bounds, counted, signs: widths
    of the parts of a spot.
    """

    columns: tuple[Column, ...]
    models: tuple[str, ...]
    scorer: bool
    interval: bool
    value: int
    bounds: int
    counted: int
    signs: int


def laid_out(
    found: Matrix, glyphs: Glyphs, width: int, first: int = 0, sort: tuple[str, bool] | None = None
) -> Layout:
    """The columns for a list of `width` cells, models from the one numbered `first` on.

    All models are in sight where they can be: their intervals go before a model does, unless both
    would have to and enough are in sight. sort: its column's title has a mark beside it.
    """
    parts = _parts(found, glyphs)
    task = min(MOST_TASK, max([LEAST_TASK, *(width_of(line.task) for line in found.lines)]))
    if width < ROOM_FOR_SCORER:
        task = min(task, max(LEAST_TASK, width // 4))
    scorers = [width_of(_scorer_said(line)) for line in found.lines]
    scorer = min(MOST_SCORER, max(scorers, default=0)) if width >= ROOM_FOR_SCORER else 0
    room = width - 1 - task - (scorer + GAP if scorer else 0)
    value, bounds, counted, marks = parts
    short = max(LEAST_SPOT, value + 1 + counted + (1 + marks if marks else 0))
    whole = short + 1 + bounds if bounds else short
    models = tuple(found.models)
    all_whole = len(models) * (whole + GAP) <= room
    all_short = len(models) * (short + GAP) <= room
    interval = all_whole or (not all_short and room // (whole + GAP) >= ENOUGH)
    size = whole if interval else short
    fits = max(1, room // (size + GAP))
    shown = models[first : first + fits]
    spare = room // max(1, len(shown)) - GAP - size
    size += max(0, min(spare, 6)) if len(shown) == len(models) else 0
    columns = [Column("task", "TASK", task, task)]
    if scorer:
        columns.append(Column("scorer", "SCORE", scorer, scorer))
    names = short_names(found.models, size - (2 if sort is not None else 0), glyphs)
    columns += [Column(key, names[key], size, size) for key in shown]
    return Layout(
        tuple(columns),
        shown,
        bool(scorer),
        interval and bool(bounds),
        value,
        bounds,
        counted,
        marks,
    )


def first_in_sight(layout_of: Layout, found: Matrix, first: int, model: str | None) -> int:
    """From which model on the list must stand, so that `model` is in sight."""
    models, fits = list(found.models), max(1, len(layout_of.models))
    last_first = max(0, len(models) - fits)
    if model is None or model not in found.models:
        return min(first, last_first)
    place = models.index(model)
    return max(0, min(max(first, place - fits + 1), place, last_first))


def _parts(found: Matrix, glyphs: Glyphs) -> tuple[int, int, int, int]:
    """Widest value, interval, count and signs of all spots."""
    widest = [0, 0, 0, 0]
    for line in found.lines:
        for spot in line.spots.values():
            for place, text in enumerate(_texts(spot, glyphs)):
                widest[place] = max(widest[place], width_of(text))
    return widest[0], widest[1], widest[2], widest[3]


def _texts(spot: Spot, glyphs: Glyphs) -> tuple[str, str, str, str]:
    marks = "".join(text for text, _ in signs(spot.remarks, glyphs))
    row = spot.score
    if row is None or (row.value is None and not row.scored):
        return "-", "", _progress(spot), marks
    low_high = interval_said(row, glyphs) if row.interval else ""
    return score(row.value), low_high, counted_said(row), marks


def interval_said(row: ScoreRow, glyphs: Glyphs) -> str:
    """The ends of an interval in two digits, as far as a column needs them: `.55–.95`."""
    assert row.interval is not None
    return f"{_two(row.interval.low)}{dash(glyphs)}{_two(row.interval.high)}"


def _two(value: float) -> str:
    text = f"{abs(value):.2f}" if abs(value) < 99.5 else f"{abs(value):,.0f}"
    text = text[1:] if text.startswith("0.") else text
    return f"-{text}" if value < 0 and text.strip(".0") else text


def counted_said(row: ScoreRow) -> str:
    """Of how many samples it is the mean: `14`, or `12/14` where not all that are planned."""
    if row.scored >= row.planned:
        return f"{count(row.scored)}"
    return f"{count(row.scored)}/{count(row.planned)}"


def _progress(spot: Spot) -> str:
    facts, row = spot.facts, spot.score
    if facts.status == "running" and facts.asked:
        return f"{count(facts.done)}/{count(facts.asked)}"
    if row is not None and row.planned:
        return f"{count(row.scored)}/{count(row.planned)}"
    return f"0/{count(facts.asked)}" if facts.asked else ""


def line_cells(line: Line, of: Layout, glyphs: Glyphs) -> tuple[Cell, ...]:
    """The cells of a row, as the layout's columns have them."""
    first = [cell(line.task)]
    if of.scorer:
        first.append(cell(_scorer_said(line), "muted"))
    return (*first, *(_spot_cell(line.spots.get(model), of, glyphs) for model in of.models))


def _scorer_said(line: Line) -> str:
    return f"{line.scorer} +{line.scorers - 1}" if line.scorers > 1 else line.scorer


def _spot_cell(spot: Spot | None, of: Layout, glyphs: Glyphs) -> Cell:
    if spot is None:
        return ()
    value, bounds, counted, _ = _texts(spot, glyphs)
    quoted = spot.value is not None
    runs: list[Run] = [(f"{value:>{of.value}}", _value_token(spot) if quoted else "muted")]
    if of.interval:
        runs.append((f" {bounds:>{of.bounds}}", "muted"))
    whole = quoted and spot.score is not None and spot.score.scored >= spot.score.planned
    runs.append((f" {counted:>{of.counted}}", "muted" if whole or not quoted else "warn"))
    found = signs(spot.remarks, glyphs)
    return (*runs, *(((" ", "text"), *found) if found else ()))


def _value_token(spot: Spot) -> str:
    """A number that may change is not set in bold."""
    changing = {"running", "partial", "waiting", "queued", "mixed", "cancelled", "held"}
    return "text" if any(remark.kind in changing for remark in spot.remarks) else "strong"


def short_names(models: Mapping[str, str], width: int, glyphs: Glyphs) -> dict[str, str]:
    """Names of the models in `width` cells: without the provider where that leaves them apart."""
    bare = {key: name.partition("/")[2] or name for key, name in models.items()}
    fits = all(width_of(name) <= width for name in models.values())
    names = dict(models) if fits or len(set(bare.values())) < len(bare) else bare
    return {key: _middle_cut(name, width, glyphs) for key, name in names.items()}


def _middle_cut(name: str, width: int, glyphs: Glyphs) -> str:
    """A name that is too long, its end kept: names of one family differ there."""
    if width_of(name) <= width or width < 6:
        return name
    tail = (width - 1) // 2
    return f"{name[: width - 1 - tail]}{glyphs.ellipsis}{name[-tail:]}"


def sort_value(line: Line, column: str) -> Value:
    """What a line is sorted by."""
    if column == "task":
        return line.task
    if column == "scorer":
        return line.scorer
    spot = line.spots.get(column)
    return spot.value if spot is not None else None
