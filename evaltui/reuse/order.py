"""The order a slice counts by: today's, or the one of an earlier draw where today's is not stable.

Pure. An order is unstable where items that are in both loads stand otherwise than they stood: a
`random.shuffle` in the task, a shuffle without a seed, rows from a set. There a slice would ask for
other items at every load; what it asked for before stays in its place.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from evaltui.logs.attempt import Item, Rules, SampleId
from evaltui.logs.content import text_of
from evaltui.logs.draws import Draw, Drawn
from evaltui.logs.logged import LoggedLog
from evaltui.reuse.slices import shuffled_places

WITNESSES = 512
"""So many items of a dataset are kept with a draw to tell whether its order changed."""


class Order(msgspec.Struct, frozen=True):
    """places: for each rank in the order that slices count by, the item's place in the dataset.

    base: the same before an earlier draw was taken into account. unstable: see above.
    """

    places: tuple[int, ...]
    base: tuple[int, ...]
    unstable: bool


class _Evidence(msgspec.Struct, frozen=True):
    """Where items stood before: rank -> key; and keys in the order they stood in.

    whole: a key in `order` stands there as often as it stood in the dataset of `size` items.
    """

    ranks: Mapping[int, str] = msgspec.field(default_factory=dict)
    order: Sequence[str] = ()
    size: int | None = None
    whole: bool = False


def item_key(item: Item) -> str:
    """What tells an item apart: its id where the dataset gives one, else its question."""
    return str(item.id) if item.id is not None else text_of(item.content)


def drawn_key(drawn: Drawn) -> str:
    return str(drawn.id) if drawn.id is not None else text_of(drawn.content)


def counts_by_places(items: Sequence[Item], rules: Rules) -> bool:
    """Whether the slice counts by places: with a limit, or by ids that are numbers of places."""
    if rules.limit is not None:
        return True
    return rules.sample_id is not None and any(item.id is None for item in items)


def order_of(
    items: Sequence[Item], rules: Rules, draw: Draw | None, logs: Sequence[LoggedLog], seed: int
) -> Order:
    """The order for one cell. logs: best first. seed: for a shuffle without a seed of its own."""
    keys = [item_key(item) for item in items]
    base = _base_order(keys, rules, seed)
    if not counts_by_places(items, rules):
        return Order(tuple(base), tuple(base), False)
    evidence = [*_drawn(draw, rules), *(_logged(log, items, rules) for log in logs)]
    today = [keys[place] for place in base]
    unstable = bool(draw and draw.unstable and same_shuffle(draw.shuffle, rules)) or any(
        _moved(each, today) for each in evidence
    )
    places = _rearranged(keys, base, evidence) if unstable else base
    return Order(tuple(places), tuple(base), unstable)


def _base_order(keys: Sequence[str], rules: Rules, seed: int) -> list[int]:
    """Today's order after the set's own shuffle; one without a seed depends on the items alone."""
    if rules.sample_shuffle is not True:
        return shuffled_places(len(keys), rules.sample_shuffle, seed)
    by_key = sorted(range(len(keys)), key=lambda place: (keys[place], place))
    return [by_key[place] for place in shuffled_places(len(keys), True, seed)]


def same_shuffle(shuffle: bool | int | None, rules: Rules) -> bool:
    now = rules.sample_shuffle
    return (shuffle or None) == (now or None) and (shuffle is True) == (now is True)


def _drawn(draw: Draw | None, rules: Rules) -> list[_Evidence]:
    if draw is None or not same_shuffle(draw.shuffle, rules):
        return []
    ranks = {each.position: drawn_key(each) for each in draw.items}
    return [_Evidence(ranks, draw.order, draw.size, whole=True)]


def _logged(log: LoggedLog, items: Sequence[Item], rules: Rules) -> _Evidence:
    """Where a log's header and samples say that its items stood."""
    if not same_shuffle(log.shuffle, rules) or not log.sample_ids:
        return _Evidence()
    given = any(item.id is not None for item in items)
    asked = {} if given else _questions(log)
    start = log.limit[0] if isinstance(log.limit, tuple) else 0
    ranks: dict[int, str] = {}
    for number, sample_id in enumerate(log.sample_ids):
        key = str(sample_id) if given else asked.get(str(sample_id))
        rank = _number(sample_id) - 1 if log.picked and not given else start + number
        if key is not None and rank >= 0 and not (log.picked and given):
            ranks[rank] = key
    whole = log.limit is None and not log.picked
    return _Evidence(ranks, [ranks[rank] for rank in sorted(ranks)], log.size, whole)


def _questions(log: LoggedLog) -> dict[str, str]:
    """Id -> question, of the ids that ask the same in every epoch."""
    asked: dict[str, str] = {}
    mixed: set[str] = set()
    for sample in log.samples:
        if sample.content is None:
            continue
        text = text_of(sample.content)
        if asked.setdefault(str(sample.id), text) != text:
            mixed.add(str(sample.id))
    return {name: text for name, text in asked.items() if name not in mixed}


def _number(sample_id: SampleId) -> int:
    return int(sample_id) if isinstance(sample_id, int) or sample_id.isdecimal() else 0


def _moved(evidence: _Evidence, today: Sequence[str]) -> bool:
    """Whether items that are still there stand otherwise now.

    Where the dataset has its old size, any that left its place did; else those that changed their
    order among themselves, as an item put in front moves all the others without reordering them.
    """
    same_size = evidence.size == len(today)
    tell_apart = _each_time if same_size and evidence.whole else _only_once
    ranks = {key: rank for rank, key in tell_apart(today)}
    stood = [ranks[key] for _, key in tell_apart(evidence.order) if key in ranks]
    if any(later < earlier for earlier, later in itertools.pairwise(stood)):
        return True
    if not same_size:
        return False
    places = list(evidence.ranks)
    single = {key: rank for rank, key in _only_once(today)}
    once = _only_once([evidence.ranks[place] for place in places])
    return any(single.get(key, places[nth]) != places[nth] for nth, key in once)


_Told = list[tuple[int, tuple[str, int]]]


def _only_once(keys: Sequence[str]) -> _Told:
    """Ranks of the keys that stand there once, with the key."""
    counted = Counter(keys)
    return [(rank, (key, 0)) for rank, key in enumerate(keys) if counted[key] == 1]


def _each_time(keys: Sequence[str]) -> _Told:
    """All ranks, with the key and how often it stood before."""
    seen: Counter[str] = Counter()
    told: _Told = []
    for rank, key in enumerate(keys):
        told.append((rank, (key, seen[key])))
        seen[key] += 1
    return told


def _rearranged(
    keys: Sequence[str], base: Sequence[int], evidence: Sequence[_Evidence]
) -> list[int]:
    """Items where they stood, the earliest word first; the rest in today's order in the gaps."""
    waiting: dict[str, list[int]] = {}
    for place in reversed(base):
        waiting.setdefault(keys[place], []).append(place)
    placed: dict[int, int] = {}
    for each in evidence:
        for rank, key in each.ranks.items():
            if rank < len(base) and rank not in placed and waiting.get(key):
                placed[rank] = waiting[key].pop()
    used = set(placed.values())
    rest = (place for place in base if place not in used)
    return [placed[rank] if rank in placed else next(rest) for rank in range(len(base))]


def witnesses(keys: Sequence[str]) -> tuple[str, ...]:
    """The same few items at every load, whatever their order: those with the least keys."""
    if len(keys) <= WITNESSES:
        return tuple(keys)
    least = frozenset(sorted(set(keys))[:WITNESSES])
    return tuple(key for key in keys if key in least)
