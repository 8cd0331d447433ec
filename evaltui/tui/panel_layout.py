"""Which panels of the main screen a terminal of some size shows, and how large. Pure."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

PANELS = ("tasks", "cells", "lanes", "inspector")
"""In the order that Tab goes through."""

LEAST_WIDTH, LEAST_HEIGHT = 60, 16
"""Below this there is one sentence."""

WIDE = 100
"""From this width on panels stand side by side in frames."""

CELLS_WIDTH = 80
"""Beside fewer columns than these for the cells, lanes have less: names of models would be cut."""

BROWSER_STAYS = 150
"""From this width on the task browser has a place of its own; else it is a drawer."""

Size = str | int
"""Cells, or a share such as `1fr`."""


class PanelLayout(msgspec.Struct, frozen=True):
    """shown: names of panels. sizes: by name (width, height). browser: the tasks are to be seen."""

    small: bool = False
    narrow: bool = False
    browser: bool = False
    shown: frozenset[str] = frozenset()
    sizes: Mapping[str, tuple[Size, Size]] | None = None

    def size(self, name: str) -> tuple[Size, Size]:
        return (self.sizes or {}).get(name, ("1fr", "1fr"))


def panel_layout(
    width: int, height: int, *, drawer: bool, zoomed: str | None, lanes: int
) -> PanelLayout:
    """The layout of a terminal. drawer: the task browser was opened. lanes: how many there are."""
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        return PanelLayout(small=True)
    narrow = width < WIDE
    browser = drawer or width >= BROWSER_STAYS
    if zoomed is not None:
        return PanelLayout(False, narrow, zoomed == "tasks", frozenset({zoomed}))
    return PanelLayout(False, narrow, browser, _shown(width, browser), _sizes(width, height, lanes))


def _shown(width: int, browser: bool) -> frozenset[str]:
    if not browser:
        return frozenset(PANELS) - {"tasks"}
    if width < WIDE:
        return frozenset({"tasks"})
    crowded = width < BROWSER_STAYS
    return frozenset(PANELS) - ({"lanes"} if crowded else set())


def _sizes(width: int, height: int, lanes: int) -> dict[str, tuple[Size, Size]]:
    if width < WIDE:
        return {"lanes": ("1fr", min(max(lanes, 1) + 1, 5)), "inspector": ("1fr", 3)}
    return {
        "tasks": (max(38, width // 3), "1fr"),
        "lanes": (max(34, min(40, width - CELLS_WIDTH), width * 3 // 10), "1fr"),
        "inspector": ("1fr", 6 if height < 45 else 8),
    }
