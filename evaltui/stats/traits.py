"""Whether the samples that errored share a trait: an error class, an attribute, a length.

A trait of the sample is named when it is more frequent among the re-rolled than among the rest by
more than chance; many are looked at, so Holm corrects for that.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np

from evaltui.stats.document import Trait
from evaltui.stats.exact import fisher_exact, holm
from evaltui.stats.scores import SampleScore

_ALPHA = 0.05
_MOST_VALUES = 50
"""An attribute with more values than this tells samples apart, it groups nothing."""


def shared_traits(scored: Sequence[SampleScore]) -> tuple[Trait, ...]:
    """Traits of the re-rolled samples, the error class first, then the surest first."""
    rerolled = [s for s in scored if s.rerolled]
    rest = [s for s in scored if not s.rerolled]
    if len(rerolled) < 2:
        return ()
    found = [*_attributes(rerolled, rest), *_lengths(rerolled, rest)]
    adjusted = holm([trait.p if trait.p is not None else 1.0 for trait in found])
    sure = [replace(trait, p=p) for trait, p in zip(found, adjusted, strict=True) if p <= _ALPHA]
    sure.sort(key=lambda trait: (trait.p, trait.name, trait.value))
    return (*_error_class(rerolled), *sure)


def error_class(message: str) -> str:
    """The class an error message begins with, else its first words: 'TimeoutError(..)' -> it."""
    match = re.match(r"\s*([A-Za-z_][\w.]*)\s*(?=[(:]|$)", message)
    if match:
        return match[1].rsplit(".", 1)[-1]
    return " ".join(message.split()[:6])


def _error_class(rerolled: Sequence[SampleScore]) -> list[Trait]:
    classes = Counter(error_class(s.error) for s in rerolled if s.error)
    if not classes:
        return []
    name, count = classes.most_common(1)[0]
    if count * 2 <= len(rerolled):
        return []
    return [Trait("error", "error", name, count, len(rerolled), 0, 0)]


def _attributes(rerolled: Sequence[SampleScore], rest: Sequence[SampleScore]) -> list[Trait]:
    names = sorted({name for s in rerolled for name in s.metadata})
    traits = []
    for name in names:
        values = {_grouping(s, name) for s in [*rerolled, *rest]} - {None}
        if 2 <= len(values) <= _MOST_VALUES:
            group = partial(_grouping, name=name)
            traits += _contrasts("metadata", name, rerolled, rest, group)
    return traits


def _grouping(sample: SampleScore, name: str) -> str | None:
    value = sample.metadata.get(name)
    return str(value) if isinstance(value, str | int | float | bool) else None


def _lengths(rerolled: Sequence[SampleScore], rest: Sequence[SampleScore]) -> list[Trait]:
    lengths = [s.input_length for s in [*rerolled, *rest] if s.input_length is not None]
    if len(set(lengths)) < 4:
        return []
    limits = np.quantile(lengths, [0.25, 0.5, 0.75])

    def quartile(sample: SampleScore) -> str | None:
        if sample.input_length is None:
            return None
        return ("1st", "2nd", "3rd", "4th")[int((sample.input_length > limits).sum())]

    return _contrasts("input length", "input length", rerolled, rest, quartile)


def _contrasts(
    kind: Literal["metadata", "input length"],
    name: str,
    rerolled: Sequence[SampleScore],
    rest: Sequence[SampleScore],
    group: Callable[[SampleScore], str | None],
) -> list[Trait]:
    """A Trait per value that two re-rolled samples have and that is more frequent among them."""
    inside = Counter(group(s) for s in rerolled)
    outside = Counter(group(s) for s in rest)
    n, m = len(rerolled), len(rest)
    traits = []
    for value, count in inside.items():
        other = outside[value]
        if value is not None and count >= 2 and count * m > other * n:
            p = fisher_exact(count, n - count, other, m - other)
            traits.append(Trait(kind, name, value, count, n, other, m, p))
    return traits
