"""What one worker gets of a lane's connections and of the host's sandboxes and subprocesses. Pure.

Inspect's limits are per process, people mean them for the lane and the host. A worker gets its
share when it starts and keeps it; shares that run at the same time never add up to more than the
limit, save that each is at least one. For connections that exception never occurs, because a lane
runs no more cells than it has connections (`scheduler.lane_limit`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

ADAPTIVE_DEFAULT = (10, 20, 100)
"""Inspect's bounds where nothing is set: least, first and most connections."""


class Share(msgspec.Struct, frozen=True):
    """`eval()` arguments that bound one worker, and what they take from lane and host.

    connections: of the lane's `max_connections`, or of the most that its adaptive bounds allow;
    0 where the lane has no bound.
    """

    settings: Mapping[str, Any] = msgspec.field(default_factory=dict)
    connections: int = 0


def part(limit: int, taken: int, to_come: int) -> int:
    """A fair part of what is left of `limit` when `taken` is in use and `to_come` want some."""
    left = limit - taken
    return max(1, -(-left // max(1, to_come)))


def connections_share(
    settings: Mapping[str, Any], config: Mapping[str, Any], taken: int, to_come: int
) -> Share:
    """The connections of a worker that starts now.

    settings: the spec's; config: the model entry's generate config, which stands above them.
    taken: connections of the lane's running workers. to_come: cells of the lane that may run
    beside them, this one included.
    """
    limit = max_connections(settings, config)
    if limit is not None:
        share = part(limit, taken, to_come)
        return Share({"max_connections": share}, share)
    adaptive = config.get("adaptive_connections", settings.get("adaptive_connections"))
    if adaptive is False or config.get("batch") or settings.get("batch"):
        return Share()
    bounds = adaptive_bounds(adaptive)
    if bounds is None:
        return Share()
    least, first, most = bounds
    share = part(most, taken, to_come)
    scaled = (_scaled(least, share, most), _scaled(first, share, most), share)
    return Share({"adaptive_connections": "-".join(map(str, scaled))}, share)


def _scaled(value: int, share: int, most: int) -> int:
    return max(1, value * share // most)


def max_connections(settings: Mapping[str, Any], config: Mapping[str, Any]) -> int | None:
    """A lane's `max_connections`: the model entry's own, else the spec's."""
    limit = config.get("max_connections", settings.get("max_connections"))
    return int(limit) if limit is not None else None


def adaptive_bounds(value: Any) -> tuple[int, int, int] | None:
    """(least, first, most) of `adaptive_connections`; None for a form left to Inspect."""
    least, first, most = ADAPTIVE_DEFAULT
    if value is None or value is True:
        return least, first, most
    if isinstance(value, int):
        return min(least, value), min(first, value), value
    parts = [int(number) for number in str(value).split("-") if number.isdigit()]
    match parts:
        case [most]:
            return min(least, most), min(first, most), most
        case [least, most]:
            return least, min(max(first, least), most), most
        case [least, first, most]:
            return least, first, most
        case _:
            return None


def host_share(limit: int | None, cells_at_once: int) -> int | None:
    """One worker's part of a limit of the host's; None where there is none."""
    return None if limit is None else max(1, limit // max(1, cells_at_once))


def cells_beside(
    lane_cells: int, lane_limit: int | None, max_tasks: int, lanes: Iterable[str]
) -> int:
    """How many cells of a lane are likely to run at once.

    lane_cells: cells of the lane that are not finished. lanes: lanes with such cells; the slots
    are balanced over them, so each can count on its part.
    """
    slots = -(-max_tasks // max(1, len(set(lanes))))
    bounds = [lane_cells, slots] + ([lane_limit] if lane_limit is not None else [])
    return max(1, min(bounds))
