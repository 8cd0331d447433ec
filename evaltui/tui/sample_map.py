"""The samples of a cell as one line of signs, in the order of the dataset. Pure but for a memory.

At rest a sign says what a resume would do with the sample, else what has become of it. Samples are
taken in stretches of one kind, which stay remembered: of 100,000 none changes in most seconds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, groupby
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

from evaltui.engine.state import CellState
from evaltui.logs.journal import Planned
from evaltui.plan_words import kind_of
from evaltui.text import Glyphs
from evaltui.tui.picture import Picture, SampleFate
from evaltui.tui.runs import Cell, Run
from evaltui.tui.verdict_words import glyph_of

if TYPE_CHECKING:
    from evaltui.plan import CellPlan

Sample = TypeVar("Sample")
Kind = TypeVar("Kind")

Stretch = tuple[Run, int]
"""A sign with its token, and how many samples in a row it stands for."""


class SampleMap:
    """Remembers the stretches of each cell's samples as long as the samples are the same."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[object, Glyphs, list[Stretch]]] = {}

    def line(self, picture: Picture, state: CellState, glyphs: Glyphs, width: int) -> Cell:
        """The map of one cell, at most `width` cells wide."""
        return _drawn(squeezed(self._stretches(picture, state, glyphs), width))

    def _stretches(self, picture: Picture, state: CellState, glyphs: Glyphs) -> Sequence[Stretch]:
        story, key = picture.story, state.cell.key
        if picture.engine != "none":
            if story is not None and story.cell == key and story.samples:
                known = self._remembered(key, story.samples, glyphs, _fate_of, _sign_of_fate)
                return [*known, *_to_come(state, len(story.samples), glyphs)]
            return _counted(state.planned, glyphs)
        plan = picture.plan_of(key)
        if plan is not None and plan.verdicts:
            return self._remembered(key, plan.verdicts, glyphs, kind_of, glyph_of)
        return _counted(plan or state.planned, glyphs)

    def _remembered(
        self,
        key: str,
        samples: Sequence[Sample],
        glyphs: Glyphs,
        kind: Callable[[Sample], Kind],
        sign: Callable[[Kind, Glyphs], Run],
    ) -> list[Stretch]:
        known = self._known.get(key)
        if known is None or known[0] is not samples or known[1] is not glyphs:
            found = [
                (sign(what, glyphs), sum(1 for _ in same)) for what, same in groupby(samples, kind)
            ]
            known = self._known[key] = (samples, glyphs, found)
        return known[2]


def sign_of(fate: SampleFate, reason: str, glyphs: Glyphs) -> Run:
    """The sign of one sample of an attempt and its token."""
    match fate:
        case "kept":
            return glyphs.kept, "kept"
        case "done":
            return glyphs.complete, "ok"
        case "errored":
            return glyphs.failed, "fail"
        case "running":
            return glyphs.running, "run"
        case "cancelled":
            return glyphs.cancelled, "muted"
        case _:
            return glyph_of(reason, glyphs)


def squeezed(stretches: Sequence[Stretch], width: int) -> list[Stretch]:
    """At most `width` signs; where one stands for several, the rarest of them, so none is lost."""
    total = sum(length for _, length in stretches)
    if width <= 0:
        return []
    if total <= width:
        return list(stretches)
    often: Counter[Run] = Counter()
    for sign, length in stretches:
        often[sign] += length
    ends = list(accumulate(length for _, length in stretches))
    shown: list[Stretch] = []
    for place in range(width):
        start, end = place * total // width, (place + 1) * total // width
        stood_for = stretches[bisect_right(ends, start) : bisect_left(ends, end) + 1]
        shown.append((min((sign for sign, _ in stood_for), key=often.__getitem__), 1))
    return shown


_fate_of = attrgetter("fate", "reason")


def _sign_of_fate(what: tuple[SampleFate, str], glyphs: Glyphs) -> Run:
    return sign_of(*what, glyphs)


def _to_come(state: CellState, told: int, glyphs: Glyphs) -> list[Stretch]:
    """Samples that a running attempt has not spoken of yet."""
    total = state.progress.total if state.progress and state.status == "running" else 0
    return [((glyphs.bar_rest, "muted"), total - told)] if total > told else []


def _counted(source: CellPlan | Planned | None, glyphs: Glyphs) -> list[Stretch]:
    """Where no sample is known by itself: by kind, from the counts of a plan."""
    if source is None:
        return []
    counts = [("reuse", source.reuse), ("tolerated", source.tolerated)]
    counts += (dict(source.reasons) or {"new": source.run}).items()
    return [(glyph_of(kind, glyphs), number) for kind, number in counts if number]


def _drawn(stretches: Iterable[Stretch]) -> Cell:
    runs: list[Run] = []
    for (sign, token), length in stretches:
        if runs and runs[-1][1] == token:
            runs[-1] = (runs[-1][0] + sign * length, token)
        else:
            runs.append((sign * length, token))
    return tuple(runs)
