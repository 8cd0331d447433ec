"""Ids for the items of a dataset: its own where it gives them, else by what was asked before.

Pure. An item that asks what a logged sample asked takes that sample's id, so that a dataset in any
order keeps its samples; the others take numbers that are free. Equal items are paired in order.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from evaltui.logs.attempt import Item, SampleId
from evaltui.logs.content import same_content, text_of
from evaltui.logs.draws import Drawn
from evaltui.logs.logged import LoggedLog

NOWHERE = -1


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
    items: Sequence[Item],
    places: Sequence[int],
    logs: Sequence[LoggedLog],
    drawn: Sequence[Drawn] = (),
) -> tuple[SampleId, ...]:
    """An id for each item, in the dataset's order. places: the order it counts by.

    logs: best first, whose pairing comes first. drawn: what earlier slices drew.
    """
    ids: list[SampleId | None] = [item.id for item in items]
    taken = {str(each) for each in ids if each is not None}
    if len(taken) < len(items):
        _as_drawn(items, places, drawn, ids, taken)
        _pair_equal(items, places, logs, ids, taken)
        _pair_alike(items, places, logs, ids, taken)
        _number_rest(items, places, logs, ids, taken)
    return tuple(each for each in ids if each is not None)


def _as_drawn(
    items: Sequence[Item],
    places: Sequence[int],
    drawn: Sequence[Drawn],
    ids: list[SampleId | None],
    taken: set[str],
) -> None:
    """The numbers under which a slice drew items before; they may not have been logged yet."""
    for each in drawn:
        place = places[each.position] if each.position < len(places) else NOWHERE
        free = each.number is not None and str(each.number) not in taken
        here = place != NOWHERE and items[place].content == each.content
        if free and here and ids[place] is None:
            ids[place] = each.number
            taken.add(str(each.number))


def _pair_equal(
    items: Sequence[Item],
    places: Sequence[int],
    logs: Sequence[LoggedLog],
    ids: list[SampleId | None],
    taken: set[str],
) -> None:
    """Of several equal items the one at the number's own place is first, then in order."""
    first: dict[str, int] = {}
    more: dict[str, list[int]] = {}
    for place in reversed(places):
        content = items[place].content
        if ids[place] is not None:
            continue
        if content in first:
            more.setdefault(content, []).append(first[content])
        first[content] = place
    for number, content in _numbered(logs):
        place = first.get(content, NOWHERE)
        if place == NOWHERE or str(number) in taken:
            continue
        if content in more:
            equal = [*more.pop(content), place]
            own = places[number - 1] if number <= len(places) else NOWHERE
            place = own if own in equal else place
            equal.remove(place)
            first[content] = equal.pop()
            if equal:
                more[content] = equal
        else:
            del first[content]
        ids[place] = number
        taken.add(str(number))


def _pair_alike(
    items: Sequence[Item],
    places: Sequence[int],
    logs: Sequence[LoggedLog],
    ids: list[SampleId | None],
    taken: set[str],
) -> None:
    """The same for media that could not be compared byte by byte."""
    unpaired: dict[str, list[int]] = {}
    for place in places:
        if items[place].media and ids[place] is None:
            unpaired.setdefault(text_of(items[place].content), []).append(place)
    if not unpaired:
        return
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
    items: Sequence[Item],
    places: Sequence[int],
    logs: Sequence[LoggedLog],
    ids: list[SampleId | None],
    taken: set[str],
) -> None:
    """Numbers of places that are free, first those under which nothing was logged.

    Which numbers are given away, and to whom where it matters, does not depend on the order of the
    load: else the plan could say one thing and the run, in another order, do another.
    """
    logged = {str(sample.id) for log in logs for sample in log.samples}
    texts = {text_of(sample.content or "") for log in logs for sample in log.samples}
    waiting = {place: rank + 1 for rank, place in enumerate(places) if ids[place] is None}
    spare = itertools.count(len(places) + 1)
    pool = [rank + 1 for rank, place in enumerate(places) if items[place].id is None]
    free = [number for number in pool if str(number) not in taken]
    free += [n for n in itertools.islice(spare, len(waiting)) if str(n) not in taken]
    free.sort(key=lambda number: (number > len(places), str(number) in logged, number))
    numbers = sorted(free[: len(waiting)])
    known = (place for place in waiting if text_of(items[place].content) in texts)
    for place in sorted(known, key=lambda place: items[place].content):
        ids[place] = numbers.pop(0)
        del waiting[place]
    left = dict.fromkeys(numbers)
    for place, own in waiting.items():
        if own in left:
            ids[place] = own
            del left[own]
    others = [place for place in waiting if ids[place] is None]
    for place, number in zip(others, left, strict=True):
        ids[place] = number
