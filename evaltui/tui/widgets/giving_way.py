"""One widget below the other, and where there is no room for all, some give way to the rest.

Knows no widget but by its id, and nothing of what stands in one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.geometry import Size
from textual.layout import ArrangeResult, WidgetPlacement
from textual.layouts.vertical import VerticalLayout
from textual.widget import Widget

Giving = Sequence[tuple[str, int]]
"""(id of a widget, lines it keeps), in the order in which they give way."""


class GivingWay(VerticalLayout):
    """Textual's vertical layout would leave out what stands last, be it the one thing needed."""

    def __init__(self, giving: Giving) -> None:
        super().__init__()
        self._giving = tuple(giving)

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        placed = list(super().arrange(parent, children, size, greedy))
        end = max((each.region.bottom + each.margin.bottom for each in placed), default=0)
        if not size.height or end <= size.height:  # a height of 0: it is only being measured
            return placed
        heights = {each.widget.id: each.region.height for each in placed if each.widget.id}
        return _lowered(placed, _taken(self._giving, heights, end - size.height))


def _taken(giving: Giving, heights: Mapping[str, int], wanted: int) -> dict[str, int]:
    """How many lines are taken from each, `wanted` in all if they have that many to give."""
    taken: dict[str, int] = {}
    for name, least in giving:
        taken[name] = max(0, min(wanted, heights.get(name, 0) - least))
        wanted -= taken[name]
    return taken


def _lowered(placed: Sequence[WidgetPlacement], taken: Mapping[str, int]) -> list[WidgetPlacement]:
    """The placements less those lines, what stands below them moved up."""
    moved, up = [], 0
    for each in placed:
        less = taken.get(each.widget.id or "", 0)
        region = each.region.translate((0, -up))
        moved.append(each._replace(region=region._replace(height=region.height - less)))
        up += less
    return moved
