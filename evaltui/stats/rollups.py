"""From the scores of several scorers to one number, by a rule that is part of the number's name.

"Accuracy 0.7" of an agent with two scorers says nothing until it is known which of these it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

Verdicts = Mapping[str, float]
"""The scores of one sample by scorer."""
K = TypeVar("K")


class Rule(Protocol):
    """How the scores of one sample become one number; None where one that counts is missing."""

    @property
    def name(self) -> str: ...

    def apply(self, verdicts: Verdicts) -> float | None: ...


@dataclass(frozen=True, slots=True)
class Single:
    """The score of one scorer."""

    scorer: str

    @property
    def name(self) -> str:
        return self.scorer

    def apply(self, verdicts: Verdicts) -> float | None:
        return verdicts.get(self.scorer)


@dataclass(frozen=True, slots=True)
class AllPassed:
    """1 when every scorer gave at least `at`, else 0."""

    scorers: tuple[str, ...]
    at: float = 1.0

    @property
    def name(self) -> str:
        limit = "" if self.at == 1.0 else f" at {self.at:g}"
        return f"all passed{limit} ({', '.join(self.scorers)})"

    def apply(self, verdicts: Verdicts) -> float | None:
        values = _values(self.scorers, verdicts)
        return None if values is None else float(all(value >= self.at for value in values))


@dataclass(frozen=True, slots=True)
class WeightedMean:
    """The weighted mean of the scores; with a threshold, 1 when it is reached, else 0."""

    weights: tuple[tuple[str, float], ...]
    threshold: float | None = None

    @property
    def name(self) -> str:
        parts = (f"{scorer} x {weight:g}" for scorer, weight in self.weights)
        reached = "" if self.threshold is None else f" ≥ {self.threshold:g}"
        return f"weighted mean ({', '.join(parts)}){reached}"

    def apply(self, verdicts: Verdicts) -> float | None:
        values = _values([scorer for scorer, _ in self.weights], verdicts)
        total = sum(weight for _, weight in self.weights)
        if values is None or total == 0:
            return None
        products = zip(values, self.weights, strict=True)
        mean = sum(value * weight for value, (_, weight) in products) / total
        return mean if self.threshold is None else float(mean >= self.threshold)


@dataclass(frozen=True, slots=True)
class RollUp:
    """A number with the rule it was made by. samples: those it is the mean of.

    missing: samples left out, since a score that counts is missing; with `missing_fail` they are
    counted as 0 instead, and the name says so.
    """

    name: str
    value: float | None
    samples: int
    missing: int


def roll_up(verdicts: Mapping[K, Verdicts], rule: Rule, *, missing_fail: bool = False) -> RollUp:
    """The mean of `rule` over the samples."""
    results = [rule.apply(each) for each in verdicts.values()]
    known = [value for value in results if value is not None]
    missing = len(results) - len(known)
    counted = [*known, *([0.0] * missing)] if missing_fail else known
    value = sum(counted) / len(counted) if counted else None
    suffix = ", missing as failed" if missing_fail else ""
    return RollUp(f"{rule.name}{suffix}", value, len(counted), missing)


def usual_rules(scorers: Sequence[str], thresholds: Iterable[float] = ()) -> list[Rule]:
    """The rules a published number is usually made by: each scorer, all passed, weighted means."""
    names = tuple(scorers)
    rules: list[Rule] = [Single(name) for name in names]
    if len(names) < 2:
        return rules
    weights = tuple((name, 1.0) for name in names)
    rules += [AllPassed(names), WeightedMean(weights)]
    rules += [WeightedMean(weights, threshold) for threshold in sorted(set(thresholds))]
    return rules


def _values(scorers: Sequence[str], verdicts: Verdicts) -> list[float] | None:
    if any(scorer not in verdicts for scorer in scorers):
        return None
    return [verdicts[scorer] for scorer in scorers]
