"""Intervals for a mean score, and Inspect's own standard error reproduced.

Everything takes *groups*: the values of one sample's epochs form one group, since they are not
independent of each other. The mean is that of the groups' means, as Inspect's is. No interval
leaves the score's range where that is known.

Sources: Wilson 1927; Korn and Graubard 1998 for the effective sample size, as in Franco et al.
2019; Liang and Zeger 1986 for clustered errors with the C/(C-1) correction that Inspect uses;
Hesterberg 2015 for the bootstrap's expanded percentiles.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from evaltui.stats.document import Interval
from evaltui.stats.scores import UNIT, Bounds, is_binary

Groups = Sequence[Sequence[float]]
Method = Literal["wilson", "t", "bootstrap"]

DRAWS = 10_000
SEED = 20_240_531


def interval_of(
    groups: Groups,
    *,
    level: float = 0.95,
    bounds: Bounds | None = None,
    method: Method | None = None,
) -> Interval | None:
    """The interval for the mean of all values; None when nothing can be said (no or one value).

    Without `method`: Wilson for 0/1 scores, else Student's t. Wilson too for other scores within
    [0, 1] where half as much again of t's width would leave that range, or where t would claim
    certainty because all values are equal: near an edge scores are skewed and t holds the true
    mean too seldom (in 85 to 92 % of simulations at n = 10), while Wilson is wide enough, since
    such a score varies at most as much as a 0/1 score of the same mean.
    """
    groups = [group for group in groups if group]
    if not groups:
        return None
    if method == "bootstrap":
        return bootstrap(groups, level=level, bounds=bounds)
    if method == "t":
        return t_interval(groups, level=level, bounds=bounds)
    if method == "wilson" or (bounds == UNIT and _wilson_fits(groups, level)):
        return clustered_wilson(groups, level)
    return t_interval(groups, level=level, bounds=bounds)


def _wilson_fits(groups: Groups, level: float) -> bool:
    values = [value for group in groups for value in group]
    if is_binary(values) or min(values) == max(values):
        return True
    free = t_interval(groups, level=level)
    if free is None:
        return True
    spare = (free.high - free.low) / 4
    return free.low - spare < UNIT[0] or free.high + spare > UNIT[1]


# --- Wilson ---------------------------------------------------------------------------------------


def wilson(successes: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a share; n and successes may be fractions (effective sizes)."""
    return _wilson(successes / n, n, float(ndtri((1 + level) / 2)))


def _wilson(p: float, n: float, critical: float) -> tuple[float, float]:
    square = critical * critical
    centre = (p + square / (2 * n)) / (1 + square / n)
    half = critical * math.sqrt(p * (1 - p) / n + square / (4 * n * n)) / (1 + square / n)
    low = 0.0 if p == 0.0 else max(0.0, centre - half)
    high = 1.0 if p == 1.0 else min(1.0, centre + half)
    return low, high


def clustered_wilson(groups: Groups, level: float = 0.95) -> Interval:
    """Wilson at the effective sample size, with a t quantile where that was estimated.

    Without epochs this is plain Wilson.
    """
    n, count = sum(len(group) for group in groups), len(groups)
    p = sum(_means(groups)) / count
    if n == count:
        low, high = wilson(p * n, n, level)
        return Interval(low, high, level, "wilson", n, count, float(n))
    effective, estimated = _effective_n(groups, p)
    tail = (1 + level) / 2
    critical = float(stdtrit(max(count - 1, 1), tail) if estimated else ndtri(tail))
    low, high = _wilson(p, effective, critical)
    return Interval(low, high, level, "clustered wilson", n, count, effective)


def _effective_n(groups: Groups, p: float) -> tuple[float, bool]:
    """p(1-p) / v, with the correlation within samples drawn towards 1 by one more sample's word.

    Taken as it is, the estimate rests on the few samples that differ from the rest when p is near
    0 or 1 and the interval comes out too short: 100 samples x 5 epochs at p = 0.02 and correlation
    0.5 were covered in 92 % of simulations, with this in 97 %. At 0 or 1 there is no estimate
    (False): each sample counts once.
    """
    sizes = [len(group) for group in groups]
    n = sum(sizes)
    size = sum(size * size for size in sizes) / n
    above = sum(max(group) > 0.0 for group in groups)
    below = sum(min(group) < 1.0 for group in groups)
    telling = min(above, below)
    if not telling or p * (1 - p) <= 0.0:
        return n / size, False
    design = inspect_stderr(_means(groups)) ** 2 * n / (p * (1 - p))
    found = min(1.0, max(0.0, (design - 1) / (size - 1)))
    correlation = (found * telling + 1.0) / (telling + 1)
    return n / (1 + (size - 1) * correlation), True


# --- Student's t ----------------------------------------------------------------------------------


def t_interval(
    groups: Groups, *, level: float = 0.95, bounds: Bounds | None = None
) -> Interval | None:
    """mean +- t x standard error of the samples' means; None under 2 samples. Cut to `bounds`.

    With as many epochs for each sample that is the error clustered by sample. Degrees of freedom:
    samples - 1.
    """
    count = len(groups)
    n = sum(len(group) for group in groups)
    if count < 2:
        return None
    means = _means(groups)
    half = float(stdtrit(count - 1, (1 + level) / 2)) * inspect_stderr(means)
    mean = float(np.mean(means))
    low, high = _within(mean - half, mean + half, bounds)
    method = "t" if n == count else "clustered t"
    return Interval(low, high, level, method, n, count, float(n) if n == count else None)


def _within(low: float, high: float, bounds: Bounds | None) -> tuple[float, float]:
    if bounds is None:
        return low, high
    return max(bounds[0], low), min(bounds[1], high)


# --- bootstrap ------------------------------------------------------------------------------------


def bootstrap(
    groups: Groups,
    *,
    level: float = 0.95,
    bounds: Bounds | None = None,
    draws: int = DRAWS,
    seed: int = SEED,
) -> Interval | None:
    """Bootstrap of the mean that draws whole samples; None under 2 samples."""
    count = len(groups)
    n = sum(len(group) for group in groups)
    if count < 2:
        return None
    means = bootstrap_means(groups, draws, seed)
    low, high = _within(*expanded_percentiles(means, count, level), bounds)
    method = "bootstrap" if n == count else "clustered bootstrap"
    return Interval(low, high, level, method, n, count, float(n) if n == count else None)


def bootstrap_means(groups: Groups, draws: int, seed: int) -> np.ndarray:
    """`draws` means of as many groups as there are, drawn with replacement; shape (draws,)."""
    values = np.array(_means(groups))
    generator = np.random.default_rng(seed)
    chunk = max(1, 4_000_000 // len(groups))
    means = []
    for start in range(0, draws, chunk):
        picks = generator.integers(0, len(groups), (min(chunk, draws - start), len(groups)))
        means.append(values[picks].mean(axis=1))
    return np.concatenate(means)


def expanded_percentiles(means: np.ndarray, count: int, level: float) -> tuple[float, float]:
    """The interval of `level` from bootstrap means of `count` samples.

    Plain percentiles are too narrow for few samples, by the n-1 and by Student's t; the expanded
    ones are not.
    """
    critical = math.sqrt(count / (count - 1)) * float(stdtrit(count - 1, (1 - level) / 2))
    tail = float(ndtr(critical))
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def _means(groups: Groups) -> list[float]:
    return [sum(group) / len(group) for group in groups]


# --- standard errors ------------------------------------------------------------------------------


def inspect_stderr(values: Sequence[float]) -> float:
    """Inspect's `stderr()`: standard deviation with n-1, over the square root of n; 0 for one."""
    if len(values) < 2:
        return 0.0
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


def clustered_stderr(groups: Groups) -> float:
    """Inspect's `stderr(cluster=...)`: of the mean of all values; 0 for one cluster."""
    count = len(groups)
    if count < 2:
        return 0.0
    sizes = np.array([len(group) for group in groups], dtype=float)
    mean = sum(sum(group) for group in groups) / sizes.sum()
    deviations = np.array([sum(group) for group in groups]) - sizes * mean
    total = float((deviations**2).sum())
    return math.sqrt(total * count / (count - 1)) / float(sizes.sum())
