"""Which panels a terminal shows."""

import pytest

from evaltui.tui.panel_layout import PANELS, panel_layout


def shown(width: int, height: int, *, drawer: bool = False, zoomed: str | None = None) -> set[str]:
    return set(panel_layout(width, height, drawer=drawer, zoomed=zoomed, lanes=3).shown)


@pytest.mark.parametrize(
    ("size", "drawer", "panels"),
    [
        ((120, 35), False, {"cells", "lanes", "inspector"}),
        ((120, 35), True, {"tasks", "cells", "inspector"}),
        ((150, 40), False, set(PANELS)),
        ((80, 24), False, {"cells", "lanes", "inspector"}),
        ((80, 24), True, {"tasks"}),
        ((60, 16), False, {"cells", "lanes", "inspector"}),
        ((59, 16), False, set()),
        ((60, 15), False, set()),
    ],
)
def test_the_task_browser_is_a_drawer_until_there_is_room_for_it(size, drawer, panels):
    assert shown(*size, drawer=drawer) == panels


@pytest.mark.parametrize("panel", PANELS)
def test_a_zoomed_panel_is_alone(panel):
    assert shown(120, 35, zoomed=panel) == {panel}
    assert panel_layout(80, 24, drawer=True, zoomed=panel, lanes=3).size(panel) == ("1fr", "1fr")


def test_narrow_lanes_take_a_line_each_up_to_four():
    def height(lanes: int) -> object:
        return panel_layout(80, 24, drawer=False, zoomed=None, lanes=lanes).size("lanes")[1]

    assert [height(lanes) for lanes in (0, 1, 4, 40)] == [2, 2, 5, 5]


def test_where_it_is_just_wide_enough_the_lanes_leave_room_for_the_cells() -> None:
    def lanes(width: int) -> object:
        return panel_layout(width, 30, drawer=False, zoomed=None, lanes=3).size("lanes")[0]

    assert [lanes(width) for width in (100, 114, 117, 120, 133, 160)] == [34, 34, 37, 40, 40, 48]
