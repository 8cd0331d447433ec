"""What a slice draws, for the next one to draw the same. Pure; see `order.py` for why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from evaltui.logs.attempt import Item, Rules, SampleId
from evaltui.logs.content import text_of
from evaltui.logs.draws import VERSION, Draw, Drawn
from evaltui.reuse.order import (
    Order,
    counts_by_places,
    drawn_key,
    item_key,
    same_shuffle,
    witnesses,
)


def drawn_before(items: Sequence[Item], rules: Rules, draw: Draw | None) -> Sequence[Drawn]:
    """What earlier slices drew, where it still holds and this slice counts by places too."""
    holds = (
        draw is not None and same_shuffle(draw.shuffle, rules) and counts_by_places(items, rules)
    )
    return draw.items if draw is not None and holds else ()


def draw_to_record(
    items: Sequence[Item],
    ids: Sequence[SampleId],
    rules: Rules,
    order: Order,
    wanted: Iterable[int],
    before: Draw | None,
) -> Draw | None:
    """What is to be stored before an attempt draws `wanted` (places in the dataset).

    None where the slice does not count by places, or where what is stored says the same already.
    """
    if not counts_by_places(items, rules):
        return _renumbered(before, items, ids) if before else None
    rank_of = {place: rank for rank, place in enumerate(order.places)}
    ranks = _where_they_stand(drawn_before(items, rules, before), items, order)
    drawn: dict[int, Drawn] = {}
    for rank in {*ranks, *(rank_of[place] for place in wanted)}:
        place = order.places[rank]
        item = items[place]
        number = ids[place] if item.id is None else None
        drawn[rank] = Drawn(rank, item.id, item.content, number)
    draw = Draw(
        version=VERSION,
        items=tuple(drawn[rank] for rank in sorted(drawn)),
        shuffle=rules.sample_shuffle or None,
        size=len(items),
        order=witnesses([item_key(items[place]) for place in order.base]),
        unstable=order.unstable,
    )
    return None if before and _says_the_same(before, draw) else draw


def _where_they_stand(drawn: Sequence[Drawn], items: Sequence[Item], order: Order) -> set[int]:
    """Today's ranks of earlier draws: what was put in front moves them, what is gone is gone."""
    ranks: dict[str, list[int]] = {}
    for rank, place in enumerate(order.places):
        ranks.setdefault(item_key(items[place]), []).append(rank)
    found: set[int] = set()
    for each in drawn:
        here = ranks.get(drawn_key(each), [])
        if here:
            rank = each.position if each.position in here else here[0]
            here.remove(rank)
            found.add(rank)
    return found


def _says_the_same(one: Draw, other: Draw) -> bool:
    return (one.items, one.unstable, one.size) == (other.items, other.unstable, other.size)


def _renumbered(draw: Draw, items: Sequence[Item], ids: Sequence[SampleId]) -> Draw | None:
    """The draw with the numbers that its items have now, should a slice come back to them."""
    numbers: dict[str, list[SampleId]] = {}
    for item, name in zip(items, ids, strict=True):
        if item.id is None:
            numbers.setdefault(text_of(item.content), []).append(name)
    drawn: list[Drawn] = []
    for each in draw.items:
        free = numbers.get(text_of(each.content)) if each.id is None else None
        if free:
            number = each.number if each.number in free else free[0]
            free.remove(number)
            each = replace(each, number=number)
        drawn.append(each)
    new = replace(draw, items=tuple(drawn))
    return None if _says_the_same(draw, new) else new
