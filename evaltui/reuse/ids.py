"""Ids for the items of a dataset: its own where it gives them, else by what was asked before.

Pure. An item that asks what a logged sample asked takes that sample's id, so that a dataset in any
order keeps its samples; the others take numbers that are free. Equal items are paired in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from evaltui.logs.attempt import Item, SampleId
from evaltui.logs.content import same_content, text_of
from evaltui.logs.logged import LoggedLog


def duplicate_id(items: Iterable[Item]) -> SampleId | None:
    """An id that two items of a dataset share as a string, which Inspect refuses; None if none."""
    seen: set[str] = set()
    for item in items:
        if item.id is not None:
            if str(item.id) in seen:
                return item.id
            seen.add(str(item.id))
    return None


def given_ids(items: Sequence[Item], places: Sequence[int]) -> tuple[SampleId, ...]:
    """Inspect's rule: the dataset's own, else the number of the place in the order."""
    ids: list[SampleId] = [0] * len(items)
    for rank, place in enumerate(places):
        own = items[place].id
        ids[place] = own if own is not None else rank + 1
    return tuple(ids)


def ids_by_content(
    items: Sequence[Item], places: Sequence[int], logs: Sequence[LoggedLog]
) -> tuple[SampleId, ...]:
    """An id for each item, in the dataset's order. places: the order it counts by.

    logs: best first, whose pairing comes first.
    """
    ids: list[SampleId | None] = [item.id for item in items]
    waiting = [place for place in places if ids[place] is None]
    if not waiting:
        return tuple(item.id for item in items if item.id is not None)
    taken = {str(each) for each in ids if each is not None}
    _pair_equal(items, waiting, logs, ids, taken)
    if any(items[place].media for place in waiting if ids[place] is None):
        _pair_alike(items, [place for place in waiting if ids[place] is None], logs, ids, taken)
    _number_rest(places, logs, ids, taken)
    return tuple(each for each in ids if each is not None)


def _pair_equal(
    items: Sequence[Item],
    waiting: Sequence[int],
    logs: Sequence[LoggedLog],
    ids: list[SampleId | None],
    taken: set[str],
) -> None:
    first: dict[str, int] = {}
    more: dict[str, list[int]] = {}
    for place in reversed(waiting):
        content = items[place].content
        if content in first:
            more.setdefault(content, []).append(first[content])
        first[content] = place
    for number, content in _numbered(logs):
        if content in first and str(number) not in taken:
            ids[first.pop(content)] = number
            taken.add(str(number))
            if content in more:
                first[content] = more[content].pop()
                if not more[content]:
                    del more[content]


def _pair_alike(
    items: Sequence[Item],
    waiting: Sequence[int],
    logs: Sequence[LoggedLog],
    ids: list[SampleId | None],
    taken: set[str],
) -> None:
    """The same for media that could not be compared byte by byte."""
    unpaired: dict[str, list[int]] = {}
    for place in waiting:
        unpaired.setdefault(text_of(items[place].content), []).append(place)
    for number, content in _numbered(logs):
        if str(number) in taken:
            continue
        alike = unpaired.get(text_of(content), [])
        place = next((p for p in alike if same_content(items[p].content, content).same), -1)
        if place >= 0:
            alike.remove(place)
            ids[place] = number
            taken.add(str(number))


def _numbered(logs: Iterable[LoggedLog]) -> Iterator[tuple[int, str]]:
    """What each number that is an id stands for, by number; log by log."""
    for log in logs:
        first: dict[int, str] = {}
        for sample in log.samples:
            number = as_number(sample.id)
            if number is not None and sample.content is not None and number not in first:
                first[number] = sample.content
        yield from sorted(first.items())


def as_number(sample_id: SampleId) -> int | None:
    """The number of an id that Inspect could have given by position, whatever its type."""
    if isinstance(sample_id, int):
        return sample_id if sample_id > 0 else None
    plain = sample_id.isascii() and sample_id.isdecimal() and sample_id[0] != "0"
    return int(sample_id) if plain else None


def _number_rest(
    places: Sequence[int],
    logs: Sequence[LoggedLog],
    ids: list[SampleId | None],
    taken: set[str],
) -> None:
    """Free numbers, at best the item's own place, at best one under which nothing was logged."""
    logged = {str(sample.id) for log in logs for sample in log.samples}
    waiting = {place: rank + 1 for rank, place in enumerate(places) if ids[place] is None}
    for avoided, most in ((logged, len(places)), (set[str](), None)):
        for place, number in waiting.items():
            if ids[place] is None and str(number) not in taken and str(number) not in avoided:
                ids[place] = number
                taken.add(str(number))
        free = _free_numbers(most, taken, avoided)
        for place in waiting:
            number = next(free, 0) if ids[place] is None else 0
            if number:
                ids[place] = number
                taken.add(str(number))


def _free_numbers(most: int | None, taken: set[str], avoided: set[str]) -> Iterator[int]:
    number = 1
    while most is None or number <= most:
        if str(number) not in taken and str(number) not in avoided:
            yield number
        number += 1
