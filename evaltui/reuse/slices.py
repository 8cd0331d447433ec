"""Which items a slice asks for, with the meanings Inspect gives to `limit`, `sample_id`, shuffle.

Pure. A contract test compares it with Inspect's own slicing.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase

from evaltui.logs.attempt import SampleId

Limit = int | tuple[int, int] | None
Shuffle = bool | int | None

_GLOB = frozenset("*?[")


def slice_items(
    ids: Sequence[SampleId],
    limit: Limit,
    sample_id: Sequence[SampleId] | None,
    sample_shuffle: Shuffle,
    task_name: str,
    task_names: Iterable[str] = (),
    seed: int = 0,
) -> tuple[int, ...]:
    """Places in `ids` of the wanted items, in the order they are to run.

    limit: a count, or first place and the place behind the last, from 0. sample_id: ids and globs,
    compared as strings, `task:id` for one task. task_names: all of the set. seed: for a shuffle
    without a seed of its own. No match gives no places.
    """
    order = shuffled_places(len(ids), sample_shuffle, seed)
    narrowed = narrow_sample_ids(task_name, sample_id, task_names)
    return tuple(picked(order, ids, limit, narrowed))


def picked(
    order: Sequence[int],
    ids: Sequence[SampleId],
    limit: Limit,
    sample_id: Sequence[SampleId] | None,
) -> list[int]:
    """Those places of `order` that a slice asks for; `sample_id` is narrowed to the task."""
    if sample_id is None:
        start, stop = limit if isinstance(limit, tuple) else (0, limit)
        return list(order[start:stop])
    matches = _matcher(sample_id)
    return [place for place in order if matches(ids[place])]


def shuffled_places(count: int, sample_shuffle: Shuffle, seed: int) -> list[int]:
    """The order of `count` items after a shuffle; 0 and false are none, as Inspect has it."""
    order = list(range(count))
    if sample_shuffle:
        random.Random(seed if sample_shuffle is True else sample_shuffle).shuffle(order)
    return order


def narrow_sample_ids(
    task_name: str, sample_id: Sequence[SampleId] | None, task_names: Iterable[str] = ()
) -> tuple[SampleId, ...] | None:
    """The selectors that concern one task: `task:id` loses its prefix, other tasks' fall away.

    A prefix counts only where it names a task of the set; else the colon is part of the id.
    """
    if sample_id is None:
        return None
    own = task_name.lower()
    names = {name.lower() for name in task_names} | {own}
    kept: list[SampleId] = []
    for each in sample_id:
        scope, colon, rest = each.partition(":") if isinstance(each, str) else ("", "", "")
        if not colon or scope.lower() not in names:
            kept.append(each)
        elif scope.lower() == own:
            kept.append(rest)
    return tuple(kept)


def _matcher(patterns: Sequence[SampleId]) -> Callable[[SampleId], bool]:
    normal = [_normal(each) for each in patterns]
    globs = [each for each in normal if not _GLOB.isdisjoint(each)]
    exact = frozenset(normal).difference(globs)
    if not globs:
        return lambda sample_id: _normal(sample_id) in exact

    def matches(sample_id: SampleId) -> bool:
        text = _normal(sample_id)
        return text in exact or any(fnmatchcase(text, each) for each in globs)

    return matches


def _normal(sample_id: SampleId) -> str:
    """The form in which Inspect compares ids: digits as a number, filled up with zeros."""
    if isinstance(sample_id, str) and not (sample_id.isdigit() and sample_id.isdecimal()):
        return sample_id
    return str(int(sample_id)).zfill(20)
