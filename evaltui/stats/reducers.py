"""How the epochs of one sample become one value: Inspect's reducers by their logged names.

Only those that Inspect ships; a name it does not ship gives None and the caller says so.
"""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Sequence

from evaltui.stats.scores import SampleScore, ScoreColumn, by_sample, read_value, value_groups

Reduce = Callable[[Sequence[SampleScore], int], float | None]
"""(the scored epochs of one id, how many of its epochs were given to the scorer) -> one value."""

_WITH_K = re.compile(r"(at_least|pass_at|pass_k)_(\d+)")


def reducer(name: str) -> Reduce | None:
    """The reducer that Inspect logs as `name`."""
    simple: dict[str, Reduce] = {
        "mean": lambda samples, _: _mean(_values(samples)),
        "median": lambda samples, _: statistics.median(_values(samples)),
        "max": lambda samples, _: max(_values(samples)),
        "mode": lambda samples, _: _most_common(samples, 0),
        "majority": _most_common,
    }
    if name in simple:
        return simple[name]
    match = _WITH_K.fullmatch(name)
    return _with_k(match[1], int(match[2])) if match else None


def reduced(column: ScoreColumn) -> dict[str, float]:
    """One value per scored id under the column's reducer: the mean for none or one not known."""
    samples = column.samples
    reduce = reducer(column.reducer or "mean") or reducer("mean")
    assert reduce is not None
    judged = Counter(str(s.id) for s in samples if s.value is not None or not s.errored)
    values = {key: reduce(group, judged[key]) for key, group in by_sample(samples).items()}
    return {key: value for key, value in values.items() if value is not None}


def score_values(column: ScoreColumn) -> list[float]:
    """The values that the column's score is the mean of."""
    if column.reducer is None:
        return _values(column.scored)
    return list(reduced(column).values())


def score_groups(column: ScoreColumn) -> list[list[float]]:
    """The same for an interval: the epochs of a sample in a group where the score is their mean."""
    if column.reducer in (None, "mean"):
        return value_groups(column.samples)
    return [[value] for value in reduced(column).values()]


def _values(samples: Sequence[SampleScore]) -> list[float]:
    return [s.value for s in samples if s.value is not None]


def _mean(values: Sequence[float]) -> float:
    """As exact as Inspect's, which is slow: most samples have one epoch."""
    return values[0] if len(values) == 1 else statistics.mean(values)


def _most_common(samples: Sequence[SampleScore], panel: int) -> float | None:
    """The most frequent value, when more than half of `panel` agree on it."""
    raw = [s.value if s.raw is None else s.raw for s in samples]
    value, count = Counter(raw).most_common(1)[0]
    return read_value(value)[0] if count * 2 > panel else None


def _with_k(kind: str, k: int) -> Reduce:
    def reduce(samples: Sequence[SampleScore], _: int) -> float | None:
        total = len(samples)
        correct = sum(value >= 1.0 for value in _values(samples))
        if kind == "at_least":
            return float(correct >= k)
        if total < k:
            return None
        if kind == "pass_k":
            return math.comb(correct, k) / math.comb(total, k)
        return 1.0 - math.comb(total - correct, k) / math.comb(total, k)

    return reduce
