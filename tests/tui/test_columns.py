"""Which columns fit, and where they stand."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaltui.tui.columns import GAP, Column, place

CELLS = (
    Column("glyph", "", 1),
    Column("task", "TASK", 8, 24),
    Column("model", "MODEL", 10, 18, priority=1),
    Column("bar", "SAMPLES", 9, 9, priority=3),
    Column("done", "DONE/ALL", 9, 9, priority=2, align="right"),
    Column("err", "ERR", 5, 5, priority=1, align="right"),
    Column("next", "NEXT", 6, 6, align="right"),
)


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (120, "glyph task model bar done err next"),
        (60, "glyph task model bar done err next"),
        (50, "glyph task model done err next"),
        (38, "glyph task model err next"),
        (30, "glyph task model next"),
        (25, "glyph task next"),
        (10, "glyph task"),
        (5, "glyph"),
        (1, "glyph"),
        (0, ""),
    ],
)
def test_columns_go_by_priority(width, shown):
    assert " ".join(placed.column.id for placed in place(CELLS, width)) == shown


def test_what_is_left_goes_to_the_ideal_width_in_order_of_priority():
    widths = {placed.column.id: placed.width for placed in place(CELLS, 60)}
    assert widths["task"] == 14
    assert widths["model"] == 10
    widths = {placed.column.id: placed.width for placed in place(CELLS, 120)}
    assert (widths["task"], widths["model"]) == (24, 18)


def test_a_growing_column_takes_the_rest():
    columns = (Column("a", "A", 5, grow=1), Column("b", "B", 5), Column("c", "C", 5, grow=2))
    placed = place(columns, 50)
    assert [each.width for each in placed] == [16, 5, 27]
    assert placed[-1].start + placed[-1].width == 50


COLUMNS = st.lists(
    st.builds(
        Column,
        id=st.just("x"),
        title=st.just("X"),
        least=st.integers(1, 20),
        ideal=st.integers(0, 40),
        priority=st.integers(0, 4),
        grow=st.integers(0, 2),
    ),
    max_size=8,
)


@given(COLUMNS, st.integers(0, 200))
def test_columns_never_overlap_nor_reach_beyond_the_width(columns, width):
    placed = place(columns, width)
    assert bool(placed) == (bool(columns) and width > 0)
    for left, right in itertools.pairwise(placed):
        assert left.start + left.width + GAP == right.start
        assert left.index < right.index
    if placed:
        assert placed[0].start == 0
        assert placed[-1].start + placed[-1].width <= width
    if len(placed) > 1:
        assert all(each.width >= each.column.least for each in placed)


@given(COLUMNS, st.integers(1, 200))
def test_a_column_that_is_hidden_is_never_more_important_than_one_that_is_shown(columns, width):
    placed = place(columns, width)
    shown = {each.index for each in placed}
    hidden = [column.priority for index, column in enumerate(columns) if index not in shown]
    if hidden:
        assert min(hidden) >= max(each.column.priority for each in placed)
