"""What stands beside a score: how many samples it is the mean of, and where it could have been.

Inspect leaves samples that failed out of a score and prints the mean of the rest; here the missing
ones are counted, and the score is bounded by what they could have been.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from evaltui.stats.document import Denominators
from evaltui.stats.reducers import score_values
from evaltui.stats.scores import SampleScore, ScoreColumn


def denominators(column: ScoreColumn) -> Denominators:
    """Count one column. A plan smaller than what was found is raised to it."""
    samples, scored = column.samples, column.scored
    finished = [s for s in samples if not s.cancelled]
    errored = [s for s in finished if s.errored]
    unscored = [s for s in finished if s.value is None and not s.errored]
    planned = max(column.planned, len(samples))
    errored_unscored = sum(s.value is None for s in errored)
    return Denominators(
        planned=planned,
        scored=len(scored),
        errored=len(errored),
        errored_scored=len(errored) - errored_unscored,
        limited=sum(s.limited for s in samples),
        unscored=len(unscored),
        not_run=planned - len(scored) - errored_unscored - len(unscored),
        reused=sum(s.reused for s in samples),
        rerolled=sum(s.rerolled for s in scored),
        unreadable=sum(not s.readable for s in samples),
        samples=len({str(s.id) for s in scored}),
        epochs=max((s.epoch for s in scored), default=0),
    )


def mean(column: ScoreColumn) -> float | None:
    """The score: the mean over samples of their epochs reduced; None when nothing is scored."""
    values = score_values(column)
    return sum(values) / len(values) if values else None


def score_bounds(column: ScoreColumn) -> tuple[float, float] | None:
    """The mean if every missing sample had got the lowest score, and if it had got the highest.

    None where the score's range is not known, or nothing was planned.
    """
    if column.bounds is None or max(column.planned, len(column.samples)) == 0:
        return None
    low, high = (mean(_filled(column, value)) for value in column.bounds)
    return (low, high) if low is not None and high is not None else None


def _filled(column: ScoreColumn, value: float) -> ScoreColumn:
    """The column with `value` for each planned sample that has none, known by id or not."""
    given = [
        s if s.value is not None else replace(s, value=value, raw=None) for s in column.samples
    ]
    found = Counter(str(s.id) for s in given)
    absent = [
        SampleScore(id, epoch, value)
        for id, count in found.items()
        for epoch in range(count, column.epochs)
    ]
    unknown = [
        SampleScore(f"\0{index}", epoch, value)
        for index in range(-(-column.planned // column.epochs) - len(found))
        for epoch in range(column.epochs)
    ]
    return replace(column, samples=(*given, *absent, *unknown))
