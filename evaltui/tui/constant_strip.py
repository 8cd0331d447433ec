"""Which attributes are equal in every visible row. Pure; fast enough to ask at every keystroke.

Such an attribute tells nothing as a column: it leaves the columns and stands once above the list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec


class Constants(msgspec.Struct, frozen=True):
    """shared: (attribute, its one value), in the order asked. varying: the others, in that order.

    absent: attributes that no row has; they are in neither.
    """

    shared: tuple[tuple[str, object], ...] = ()
    varying: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


def split(names: Sequence[str], rows: Sequence[Mapping[str, object]]) -> Constants:
    """Sort `names` by whether all `rows` agree on them. A row that lacks one has the value None.

    With fewer than two rows nothing can be told apart from anything, so all stay columns.
    Cost: one pass over the rows for each attribute that is shared, about none for the others.
    """
    if len(rows) < 2:
        return Constants(varying=tuple(names))
    shared: list[tuple[str, object]] = []
    varying: list[str] = []
    absent: list[str] = []
    probes = (rows[-1], rows[len(rows) // 2])
    for name in names:
        first = rows[0].get(name)
        if any(not same(probe.get(name), first) for probe in probes) or not _all(name, first, rows):
            varying.append(name)
        elif first is None:
            absent.append(name)
        else:
            shared.append((name, first))
    return Constants(tuple(shared), tuple(varying), tuple(absent))


def same(left: object, right: object) -> bool:
    """Equality as a reader sees it: 1 and 1.0 are the same, 1 and True are not."""
    return left == right and isinstance(left, bool) is isinstance(right, bool)


def _all(name: str, first: object, rows: Sequence[Mapping[str, object]]) -> bool:
    values = [row.get(name) for row in rows]
    # list.count compares in C, where 1 == True; a look at each type is paid only where it matters.
    if values.count(first) != len(rows):
        return False
    if first not in (0, 1):
        return True
    kinds = set(map(type, values))
    return kinds == {bool} if isinstance(first, bool) else bool not in kinds
