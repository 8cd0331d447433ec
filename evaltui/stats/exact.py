"""Exact tests, on counts and on signs, and the correction for having made several of them.

The hypergeometric and binomial sums are taken from `scipy.special`, since importing `scipy.stats`
takes longer than everything else here together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import betainc, gammaln

_TIE = 1e-7
"""Tables whose probability differs by less than this share are equally likely (as in R)."""


def mcnemar_exact(only_a: int, only_b: int) -> float:
    """Two-sided exact p that the two discordant counts come from a fair coin."""
    n = only_a + only_b
    if n == 0:
        return 1.0
    return min(1.0, 2.0 * float(binomial_at_most(np.array(min(only_a, only_b)), np.array(n), 0.5)))


def binomial_at_most(k: np.ndarray, n: np.ndarray, p: float) -> np.ndarray:
    """P(X <= k) of a binomial, elementwise; 0 below k = 0."""
    inside = np.clip(k, 0, np.maximum(n - 1, 0))
    below: np.ndarray = betainc(n - inside, inside + 1.0, 1.0 - p)
    return np.where(k < 0, 0.0, np.where(k >= n, 1.0, below))


def fisher_exact(a: int, b: int, c: int, d: int) -> float:
    """Two-sided exact p of the table ((a, b), (c, d)): all tables at most as likely as it."""
    row, column, total = a + b, a + c, a + b + c + d
    counts = np.arange(max(0, row + column - total), min(row, column) + 1, dtype=float)
    log = log_choose(column, counts) + log_choose(total - column, row - counts)
    likely = np.exp(log - log_choose(total, row))
    own = likely[int(a - counts[0])]
    return min(1.0, float(likely[likely <= own * (1 + _TIE)].sum()))


def log_choose(n: float | np.ndarray, k: float | np.ndarray) -> np.ndarray:
    """log of the binomial coefficient, elementwise."""
    result: np.ndarray = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return result


def sign_flip(differences: np.ndarray, draws: int, seed: int) -> float:
    """Two-sided p that paired differences lie around 0: how often random signs get as far off.

    All sign patterns where there are no more of them than `draws`, else that many random ones.
    """
    moved = differences[differences != 0]
    if len(moved) == 0:
        return 1.0
    limit = abs(float(moved.sum())) * (1 - _TIE)
    if 2 ** min(len(moved), 60) <= draws:
        patterns = (np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved))) & 1
        return float((np.abs((1 - 2 * patterns) @ moved) >= limit).mean())
    generator = np.random.default_rng(seed)
    beyond = 0
    for _ in range(draws // 1000):
        signs = generator.integers(0, 2, (1000, len(moved)), dtype=np.int8) * 2 - 1
        beyond += int((np.abs(signs @ moved) >= limit).sum())
    return (beyond + 1) / (draws // 1000 * 1000 + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down p-values, in the order given; NaN stays NaN and is not counted."""
    order = sorted(
        (i for i, p in enumerate(p_values) if not math.isnan(p)), key=lambda i: p_values[i]
    )
    adjusted = list(p_values)
    running = 0.0
    for rank, index in enumerate(order):
        running = max(running, p_values[index] * (len(order) - rank))
        adjusted[index] = min(1.0, running)
    return adjusted
