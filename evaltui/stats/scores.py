"""The plain data every statistic works on: one scorer's score of one sample, and a column of them.

Reading a score's value follows Inspect's `value_to_float`, so that a mean here is Inspect's mean.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

SampleId = int | str
Key = tuple[str, int]
"""Names a sample: (id as a string, epoch). Ids compare as strings."""
Scalar = str | int | float | bool
Bounds = tuple[float, float]
"""The least and the greatest value a score can take."""

UNIT: Bounds = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class SampleScore:
    """One scorer's score of one sample.

    value: as a float; None when there is none (not run, errored, or the scorer gave none).
    raw: the scalar the scorer gave, where it is not a number (`mode` counts these).
    readable: False when the scorer gave a text that stands for no number; Inspect counts it as 0.
    errored: ended in an error, cancellation excepted; it may be scored all the same.
    limited: stopped by a sample limit.
    retries: sample retries inside the attempt that made the result.
    rerun: an earlier attempt of the cell ended this sample in an error, a later one made this.
    error: the message of the error that stands, or else of the last one that was retried.
    input_length: characters of the input.
    content: a digest of the input; two samples with one id and different digests are not a pair.
    """

    id: SampleId
    epoch: int
    value: float | None
    raw: Scalar | None = None
    readable: bool = True
    errored: bool = False
    cancelled: bool = False
    limited: bool = False
    retries: int = 0
    reused: bool = False
    rerun: bool = False
    error: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    input_length: int | None = None
    content: str | None = None

    @property
    def key(self) -> Key:
        return (str(self.id), self.epoch)

    @property
    def rerolled(self) -> bool:
        """Whether an error gave this sample another try, in this attempt or in a later one."""
        return self.rerun or self.retries > 0


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """What one scorer said of one cell.

    scorer: its name; one key of a score that is a mapping or list is named `scorer.key`.
    planned: samples x epochs asked for, whether they ran or not; epochs: how many of an id.
    reducer: how the epochs of a sample become one value, by Inspect's name; None: they don't, the
    score is the mean of them all.
    bounds: the score's range, None when it is not known.
    """

    scorer: str
    samples: tuple[SampleScore, ...]
    planned: int
    epochs: int = 1
    reducer: str | None = "mean"
    bounds: Bounds | None = None

    @property
    def scored(self) -> tuple[SampleScore, ...]:
        return tuple(s for s in self.samples if s.value is not None)


def by_sample(samples: Sequence[SampleScore]) -> dict[str, list[SampleScore]]:
    """The scored samples by id, in order of appearance, epochs ascending."""
    groups: dict[str, list[SampleScore]] = {}
    for sample in samples:
        if sample.value is not None:
            groups.setdefault(str(sample.id), []).append(sample)
    for group in groups.values():
        group.sort(key=lambda s: s.epoch)
    return groups


def value_groups(samples: Sequence[SampleScore]) -> list[list[float]]:
    """The values of the scored samples, one inner list per id."""
    return [
        [s.value for s in group if s.value is not None] for group in by_sample(samples).values()
    ]


def is_binary(values: Sequence[float]) -> bool:
    """Whether every value is 0 or 1."""
    return all(v in (0.0, 1.0) for v in values)


def known_bounds(values: Sequence[float]) -> Bounds | None:
    """(0, 1) when all values lie there, as nearly all scores do; else None: not known."""
    return UNIT if all(0.0 <= v <= 1.0 for v in values) else None


def read_value(value: Scalar | None) -> tuple[float | None, bool]:
    """A scalar score as (float, readable), by the rules of Inspect's `value_to_float()`.

    None and NaN are "not scored": (None, True). A text that stands for no number is (0.0, False),
    as Inspect counts it. Infinite numbers give no mean, they are not scored: (None, False).
    """
    if value is None:
        return None, True
    if isinstance(value, bool | int | float):
        number = float(value)
        if math.isnan(number):
            return None, True
        return (number, True) if math.isfinite(number) else (None, False)
    return _read_text(value)


def _read_text(text: str) -> tuple[float, bool]:
    named = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}.get(text)
    if named is None:
        named = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}.get(text.lower())
    if named is not None:
        return named, True
    try:
        number = float(text.lower())
    except ValueError:
        return 0.0, False
    return (number, True) if math.isfinite(number) else (0.0, False)


def flat_values(scorer: str, value: Any) -> Iterator[tuple[str, Scalar | None]]:
    """A score's value as named scalars: itself, or one per key or index (`scorer.key`)."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield f"{scorer}.{key}", _scalar(inner)
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield f"{scorer}.{index}", _scalar(inner)
    else:
        yield scorer, _scalar(value)


def _scalar(value: Any) -> Scalar | None:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)
