"""Two cells on the samples both have: what differs, how surely, and what could have been seen.

The pair is the sample id; epochs are averaged first. What is left out is counted with the reason.

Sources: McNemar 1947 (exact form); Bonett and Price 2012 for the interval of a paired difference
of shares; Fisher 1935 for sign flips; Holm 1979.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.special import bdtrik, ndtri, xlog1py, xlogy

from evaltui.stats.exact import binomial_at_most, holm, log_choose, mcnemar_exact, sign_flip
from evaltui.stats.intervals import DRAWS, SEED, bootstrap_means, expanded_percentiles
from evaltui.stats.reducers import reduced
from evaltui.stats.scores import Bounds, SampleScore, ScoreColumn, is_binary

LeftOut = Literal["only in a", "only in b", "other content", "expanded", "errored", "unscored"]
"""expanded: a source has several rows for one sample in one epoch, none of which is its score."""

POWER = 0.8
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Comparison:
    """a - b over the pairs. Rates are means of the paired samples only.

    difference, low, high: a's mean minus b's, with its interval; None without pairs.
    only_a, only_b: pairs that only one of them got right (0/1 scores), else None.
    p: McNemar's exact p; beside the bootstrap, that of random sign flips.
    adjusted: p after Holm over all comparisons made.
    detectable: the smallest true difference that a test on this many pairs, with as many of them
    in disagreement, finds with 80 % power; None when none would be found.
    left_out: reason -> ids, for every sample that is no pair.
    """

    name_a: str
    name_b: str
    scorer: str
    method: Literal["mcnemar", "paired bootstrap"]
    pairs: int
    left_out: Mapping[LeftOut, tuple[str, ...]]
    mean_a: float | None = None
    mean_b: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    adjusted: float | None = None
    only_a: int | None = None
    only_b: int | None = None
    detectable: float | None = None


def compare(a: ScoreColumn, b: ScoreColumn, name_a: str, name_b: str) -> Comparison:
    """Compare two columns of one scorer, sample by sample."""
    left_out = _left_out(a.samples, b.samples)
    dropped = {id for ids in left_out.values() for id in ids}
    values_a, values_b = reduced(a), reduced(b)
    common = [id for id in values_a if id in values_b and id not in dropped]
    first = np.array([values_a[id] for id in common])
    second = np.array([values_b[id] for id in common])
    empty = Comparison(name_a, name_b, a.scorer, "mcnemar", len(common), left_out)
    if not common:
        return empty
    means = replace(
        empty,
        mean_a=float(first.mean()),
        mean_b=float(second.mean()),
        difference=float((first - second).mean()),
    )
    if is_binary([*first, *second]):
        return _binary(means, first, second)
    return _graded(means, first - second, _difference_bounds(a.bounds, b.bounds))


def adjust(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The same comparisons with p-values corrected for their number."""
    adjusted = holm([math.nan if c.p is None else c.p for c in comparisons])
    return [
        replace(c, adjusted=None if math.isnan(p) else p)
        for c, p in zip(comparisons, adjusted, strict=True)
    ]


def _left_out(a: Sequence[SampleScore], b: Sequence[SampleScore]) -> dict[LeftOut, tuple[str, ...]]:
    ids_a, ids_b = _by_id(a), _by_id(b)
    reasons: dict[LeftOut, list[str]] = {}
    for id in [*ids_a, *(id for id in ids_b if id not in ids_a)]:
        reason = _why_left_out(ids_a.get(id), ids_b.get(id))
        if reason:
            reasons.setdefault(reason, []).append(id)
    return {reason: tuple(ids) for reason, ids in reasons.items()}


def _why_left_out(
    a: Sequence[SampleScore] | None, b: Sequence[SampleScore] | None
) -> LeftOut | None:
    if not b:
        return "only in a"
    if not a:
        return "only in b"
    contents = [{s.content for s in side if s.content} for side in (a, b)]
    if contents[0] and contents[1] and not contents[0] & contents[1]:
        return "other content"
    if any(len({s.epoch for s in side}) < len(side) for side in (a, b)):
        return "expanded"
    for side in (a, b):
        if all(s.value is None for s in side):
            return "errored" if any(s.errored for s in side) else "unscored"
    return None


def _by_id(samples: Sequence[SampleScore]) -> dict[str, list[SampleScore]]:
    groups: dict[str, list[SampleScore]] = {}
    for sample in samples:
        groups.setdefault(str(sample.id), []).append(sample)
    return groups


# --- 0/1 ------------------------------------------------------------------------------------------


def _binary(base: Comparison, first: np.ndarray, second: np.ndarray) -> Comparison:
    only_a = int(((first == 1) & (second == 0)).sum())
    only_b = int(((first == 0) & (second == 1)).sum())
    low, high = paired_share_interval(only_a, only_b, base.pairs)
    return replace(
        base,
        low=low,
        high=high,
        p=mcnemar_exact(only_a, only_b),
        only_a=only_a,
        only_b=only_b,
        detectable=detectable_mcnemar(base.pairs, (only_a + only_b) / base.pairs),
    )


def paired_share_interval(
    only_a: int, only_b: int, n: int, level: float = LEVEL
) -> tuple[float, float]:
    """Bonett and Price's interval for the difference of two paired shares, within [-1, 1]."""
    a, b = (only_a + 1) / (n + 2), (only_b + 1) / (n + 2)
    half = float(ndtri((1 + level) / 2)) * math.sqrt((a + b - (a - b) ** 2) / (n + 2))
    return max(-1.0, a - b - half), min(1.0, a - b + half)


def detectable_mcnemar(n: int, discordant: float, power: float = POWER) -> float | None:
    """The smallest difference that exact McNemar at 5 % finds with `power`; None when none is.

    n: pairs; discordant: the share of pairs in disagreement (taken as at least the difference).
    """
    if mcnemar_power(n, discordant, 1.0) < power:
        return None
    low, high = 0.0, 1.0
    while high - low > 1e-5:
        middle = (low + high) / 2
        if mcnemar_power(n, discordant, middle) < power:
            low = middle
        else:
            high = middle
    return high


def mcnemar_power(n: int, discordant: float, difference: float) -> float:
    """Power of the exact McNemar test at 5 %, summed over all numbers of discordant pairs."""
    share = min(1.0, max(discordant, difference))
    if share == 0.0:
        return 0.0
    spread = 9 * math.sqrt(n * share * (1 - share)) + 9
    found = np.arange(max(1, int(n * share - spread)), min(n, int(n * share + spread)) + 1)
    weight = np.exp(
        log_choose(float(n), found.astype(float)) + xlogy(found, share) + xlog1py(n - found, -share)
    )
    critical = _critical(found)
    lean = min(1.0, (share + difference) / (2 * share))
    rejected = binomial_at_most(critical, found, lean) + binomial_at_most(critical, found, 1 - lean)
    return float((weight * rejected).sum())


def _critical(n: np.ndarray) -> np.ndarray:
    """The largest count of the rarer kind that is significant at 5 % among n; -1 for none."""
    tail = (1 - LEVEL) / 2
    guess: np.ndarray = np.ceil(bdtrik(tail, n, 0.5)) + 1
    for _ in range(3):
        guess = np.where(binomial_at_most(guess, n, 0.5) > tail, guess - 1, guess)
    return guess


# --- graded ---------------------------------------------------------------------------------------


def _graded(base: Comparison, differences: np.ndarray, bounds: Bounds | None) -> Comparison:
    base = replace(base, method="paired bootstrap")
    if base.pairs < 2:
        return base
    means = bootstrap_means([[d] for d in differences.tolist()], DRAWS, SEED)
    low, high = expanded_percentiles(means, base.pairs, LEVEL)
    if bounds is not None:
        low, high = max(low, bounds[0]), min(high, bounds[1])
    return replace(
        base,
        low=low,
        high=high,
        p=sign_flip(differences, DRAWS, SEED),
        detectable=detectable_mean(differences),
    )


def detectable_mean(differences: np.ndarray, power: float = POWER) -> float | None:
    """The smallest mean difference a test at 5 % finds with `power`, by the normal approximation.

    None when all differences are equal, which says nothing of their spread.
    """
    error = float(differences.std(ddof=1)) / math.sqrt(len(differences))
    if error == 0.0:
        return None
    return error * float(ndtri((1 + LEVEL) / 2) + ndtri(power))


def _difference_bounds(a: Bounds | None, b: Bounds | None) -> Bounds | None:
    return None if a is None or b is None else (a[0] - b[1], a[1] - b[0])
