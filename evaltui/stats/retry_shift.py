"""What the retries have done to a score: samples that had another try after an error, scored apart.

A sample that errors and is tried again until it ends is not the same draw as one that ended at
once. If errors come more often to samples that would have failed, retrying moves the mean.

Two levels: `retry` (Inspect's sample retry inside an attempt) and `rerun` (a later attempt of the
cell). Each is compared with the samples that ended at the first try; Holm over the two.

Sources: Fisher 1935; Newcombe 1998 for the interval of a difference of shares; Casagrande, Pike and
Smith 1978 for the power of Fisher's test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import ndtr, ndtri

from evaltui.stats.denominators import mean
from evaltui.stats.document import Flag, Interval, Level, Shift, Trait
from evaltui.stats.exact import fisher_exact, holm
from evaltui.stats.intervals import SEED, expanded_percentiles, interval_of, wilson
from evaltui.stats.reducers import score_groups
from evaltui.stats.scores import UNIT, Bounds, SampleScore, ScoreColumn, is_binary
from evaltui.stats.traits import shared_traits

ALPHA = 0.05
SHARE = 0.05
"""More re-rolled samples than this share of the scored ones raises `share`."""
POWER = 0.8
_DRAWS = 4_999
_FEWEST_DRAWS = 999


@dataclass(frozen=True, slots=True)
class RetryShift:
    """The finding for one column.

    scored, rerolled: counts of scored samples. value: the score as it stands; without: the score
    as if there had been no retries (re-rolled samples left out, as Inspect leaves out failed ones).
    levels: a Shift per level that occurs; overall: both together. None without a comparison.
    flags: `shift` when a level's adjusted p is at most 5 %, `share` when more than 5 % were
    re-rolled. traits: what the re-rolled samples have in common.
    """

    scored: int
    rerolled: int
    value: float | None
    without: float | None
    without_interval: Interval | None
    levels: tuple[Shift, ...]
    overall: Shift | None
    flags: tuple[Flag, ...]
    traits: tuple[Trait, ...]

    @property
    def share(self) -> float:
        return self.rerolled / self.scored if self.scored else 0.0


def retry_shift(column: ScoreColumn) -> RetryShift:
    """Score the re-rolled samples of a column apart from the rest."""
    scored = column.scored
    clean = [s for s in scored if not s.rerolled]
    levels = _levels(scored, clean, column.bounds)
    overall = _overall(levels, scored, clean, column.bounds)
    rerolled = len(scored) - len(clean)
    flags: list[Flag] = []
    if any(level.adjusted <= ALPHA for level in levels):
        flags.append("shift")
    if rerolled > SHARE * len(scored):
        flags.append("share")
    without = replace(column, samples=tuple(clean))
    return RetryShift(
        scored=len(scored),
        rerolled=rerolled,
        value=mean(column),
        without=mean(without),
        without_interval=interval_of(score_groups(without), bounds=column.bounds),
        levels=levels,
        overall=overall,
        flags=tuple(flags),
        traits=shared_traits(scored),
    )


def _overall(
    levels: Sequence[Shift],
    scored: Sequence[SampleScore],
    clean: Sequence[SampleScore],
    bounds: Bounds | None,
) -> Shift | None:
    if len(levels) == 1:
        return replace(levels[0], level="any")
    return _shift("any", [s for s in scored if s.rerolled], clean, bounds)


def _levels(
    scored: Sequence[SampleScore], clean: Sequence[SampleScore], bounds: Bounds | None
) -> tuple[Shift, ...]:
    reruns = [s for s in scored if s.rerun]
    retries = [s for s in scored if s.retries > 0 and not s.rerun]
    found = [_shift("retry", retries, clean, bounds), _shift("rerun", reruns, clean, bounds)]
    shifts = [shift for shift in found if shift is not None]
    adjusted = holm([shift.p for shift in shifts])
    return tuple(replace(s, adjusted=p) for s, p in zip(shifts, adjusted, strict=True))


def _shift(
    level: Level,
    rerolled: Sequence[SampleScore],
    clean: Sequence[SampleScore],
    bounds: Bounds | None,
) -> Shift | None:
    if not rerolled or not clean:
        return None
    first, second = _values(rerolled), _values(clean)
    once = len({str(s.id) for s in [*rerolled, *clean]}) == len(rerolled) + len(clean)
    exact = once and is_binary([*first, *second])
    means = float(first.mean()), float(second.mean())
    low, high = (
        newcombe(float(first.sum()), len(first), float(second.sum()), len(second))
        if exact
        else _bootstrap_difference(rerolled, clean, bounds)
    )
    p = _fisher(first, second) if exact else _permutation(rerolled, clean)
    return Shift(
        level=level,
        rerolled=len(first),
        clean=len(second),
        mean_rerolled=means[0],
        mean_clean=means[1],
        difference=means[0] - means[1],
        low=low,
        high=high,
        p=p,
        adjusted=p,
        test="fisher" if exact else "permutation",
        detectable=_detectable(first, second, exact),
    )


def _values(samples: Sequence[SampleScore]) -> np.ndarray:
    return np.array([s.value for s in samples if s.value is not None])


# --- 0/1 scores -----------------------------------------------------------------------------------


def _fisher(first: np.ndarray, second: np.ndarray) -> float:
    right, also_right = int(first.sum()), int(second.sum())
    return fisher_exact(right, len(first) - right, also_right, len(second) - also_right)


def newcombe(
    successes: float, n: int, other_successes: float, other_n: int, level: float = 0.95
) -> tuple[float, float]:
    """Newcombe's interval for the difference of two independent shares, from Wilson's limits."""
    p, q = successes / n, other_successes / other_n
    low, high = wilson(successes, n, level)
    other_low, other_high = wilson(other_successes, other_n, level)
    return (
        p - q - math.hypot(p - low, other_high - q),
        p - q + math.hypot(high - p, q - other_low),
    )


def fisher_power(base: float, shift: float, rerolled: int, clean: int) -> float:
    """Approximate power of Fisher's test at 5 % for shares base + shift and base."""
    moved = base + shift
    size = abs(shift)
    if size == 0.0 or not 0.0 <= moved <= 1.0:
        return 0.0
    ratio = clean / rerolled
    effective = rerolled - (ratio + 1) / (2 * ratio * size)
    if effective <= 0:
        return 0.0
    pooled = (moved + ratio * base) / (ratio + 1)
    null = float(ndtri(1 - ALPHA / 2)) * math.sqrt((ratio + 1) * pooled * (1 - pooled))
    spread = math.sqrt(ratio * moved * (1 - moved) + base * (1 - base))
    distance = size * math.sqrt(ratio * effective) - null
    if spread == 0.0:
        return 1.0 if distance > 0 else 0.0
    return float(ndtr(distance / spread))


# --- graded scores, and epochs --------------------------------------------------------------------


def _by_epoch(
    rerolled: Sequence[SampleScore], clean: Sequence[SampleScore]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(values, label: re-rolled, present), each of shape (ids, most epochs of an id).

    Epochs keep their order: were the re-rolled put first, swapping them would move little.
    """
    rows: dict[str, list[tuple[float, bool]]] = {}
    marked = [*((s, True) for s in rerolled), *((s, False) for s in clean)]
    for sample, label in sorted(marked, key=lambda pair: pair[0].epoch):
        if sample.value is not None:
            rows.setdefault(str(sample.id), []).append((sample.value, label))
    width = max(len(row) for row in rows.values())
    values = np.zeros((len(rows), width))
    labels = np.zeros((len(rows), width), dtype=bool)
    present = np.zeros((len(rows), width), dtype=bool)
    for index, row in enumerate(rows.values()):
        values[index, : len(row)] = [value for value, _ in row]
        labels[index, : len(row)] = [label for _, label in row]
        present[index, : len(row)] = True
    return values, labels, present


def _permutation(rerolled: Sequence[SampleScore], clean: Sequence[SampleScore]) -> float:
    """Two-sided p: how often the difference gets as large when ids swap their re-rolled epochs."""
    values, labels, present = _by_epoch(rerolled, clean)
    observed = abs(float(_differences(values[None], labels[None], present[None])[0]))
    generator = np.random.default_rng(SEED)
    beyond = draws = 0
    for chunk in _chunks(values.size):
        rows = np.tile(np.arange(len(labels)), (chunk, 1))
        swapped = labels[generator.permuted(rows, axis=1)]
        found = _differences(values[None], swapped, present[None])
        beyond += int((np.abs(found) >= observed * (1 - 1e-9)).sum())
        draws += chunk
    return (beyond + 1) / (draws + 1)


def _chunks(size: int) -> list[int]:
    """How many draws to make at once, at `size` numbers each, so that they fit in the memory."""
    draws = min(_DRAWS, max(_FEWEST_DRAWS, 20_000_000 // size))
    chunk = max(1, 4_000_000 // size)
    return [min(chunk, draws - start) for start in range(0, draws, chunk)]


def _differences(values: np.ndarray, labels: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Mean of the labelled minus mean of the others, per draw; NaN where one of them is empty.

    Shapes (draws, ids, epochs), or 1 for draws that is the same in all.
    """
    first, second = labels & present, ~labels & present
    counts = first.sum(axis=(1, 2)), second.sum(axis=(1, 2))
    sums = (values * first).sum(axis=(1, 2)), (values * second).sum(axis=(1, 2))
    with np.errstate(invalid="ignore"):
        result: np.ndarray = sums[0] / counts[0] - sums[1] / counts[1]
    return result


def _bootstrap_difference(
    rerolled: Sequence[SampleScore], clean: Sequence[SampleScore], bounds: Bounds | None
) -> tuple[float | None, float | None]:
    """Interval of the difference from drawing whole ids; the whole range where ids are too few."""
    values, labels, present = _by_epoch(rerolled, clean)
    reach = bounds[1] - bounds[0] if bounds else None
    few = min(int((labels & present).any(axis=1).sum()), int((~labels & present).any(axis=1).sum()))
    if few < 2:
        return (None, None) if reach is None else (-reach, reach)
    generator = np.random.default_rng(SEED)
    found = []
    for chunk in _chunks(values.size):
        picks = generator.integers(0, len(values), (chunk, len(values)))
        found.append(_differences(values[picks], labels[picks], present[picks]))
    means = np.concatenate(found)
    low, high = expanded_percentiles(means[~np.isnan(means)], few, 0.95)
    return (low, high) if reach is None else (max(low, -reach), min(high, reach))


# --- what could have been seen --------------------------------------------------------------------


def _detectable(first: np.ndarray, second: np.ndarray, exact: bool) -> float | None:
    if exact:
        base = float(second.mean())
        return detectable_share_shift(base, len(first), len(second))
    if len(first) < 2 or len(second) < 2:
        return None
    error = math.sqrt(first.var(ddof=1) / len(first) + second.var(ddof=1) / len(second))
    return error * float(ndtri(1 - ALPHA / 2) + ndtri(POWER)) if error else None


def detectable_share_shift(base: float, rerolled: int, clean: int) -> float | None:
    """The smallest shift that Fisher's test finds with 80 % power: upwards, else downwards."""
    for sign, room in ((1, UNIT[1] - base), (-1, base - UNIT[0])):
        if fisher_power(base, sign * room, rerolled, clean) < POWER:
            continue
        low, high = 0.0, room
        while high - low > 1e-4:
            middle = (low + high) / 2
            if fisher_power(base, sign * middle, rerolled, clean) < POWER:
                low = middle
            else:
                high = middle
        return high
    return None
