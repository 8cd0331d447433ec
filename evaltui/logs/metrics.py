"""The metrics of a log's results, as events, journal and screens have them. Pure.

Takes Inspect's own results as well as those read without it: both have the names of the JSON.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol


class _Metric(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int | float: ...


class _Score(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def reducer(self) -> str | None: ...
    @property
    def metrics(self) -> Mapping[str, _Metric]: ...


class _Results(Protocol):
    @property
    def scores(self) -> Sequence[_Score]: ...


def metrics_of(results: _Results | None) -> dict[str, dict[str, float]]:
    """Scorer -> metric -> value; a scorer reduced in several ways is named with each reducer."""
    scores = results.scores if results is not None else ()
    times = Counter(score.name for score in scores)
    found: dict[str, dict[str, float]] = {}
    for score in scores:
        many = times[score.name] > 1 and score.reducer
        name = f"{score.name}/{score.reducer}" if many else score.name
        values = {
            metric.name: float(metric.value)
            for metric in score.metrics.values()
            if math.isfinite(metric.value)
        }
        found.setdefault(name, {}).update(values)
    return found
