"""The constant strip: what all rows share stands once above the list."""

from hypothesis import given
from hypothesis import strategies as st

from evaltui.tui.constant_strip import Constants, same, split

VALUES = st.sampled_from([None, 0, 1, True, False, 0.0, 1.0, "a", "b", ("a",)])


def test_what_all_rows_share_is_told_apart_from_what_varies():
    rows = [{"task": str(n), "solver": "react", "limit": 500, "none": None} for n in range(5)]
    assert split(["solver", "task", "limit", "none", "absent"], rows) == Constants(
        (("solver", "react"), ("limit", 500)), ("task",), ("none", "absent")
    )


def test_a_single_row_is_no_reason_to_hide_its_columns():
    assert split(["a", "b"], [{"a": 1}]) == Constants(varying=("a", "b"))
    assert split(["a"], []) == Constants(varying=("a",))


def test_filtering_moves_more_into_the_strip():
    rows = [{"model": "a", "task": "x"}, {"model": "a", "task": "y"}, {"model": "b", "task": "y"}]
    assert split(["model", "task"], rows).shared == ()
    assert split(["model", "task"], rows[:2]).shared == (("model", "a"),)


def test_a_row_that_lacks_what_the_others_share_makes_it_vary():
    assert split(["a"], [{"a": 1}, {}, {"a": 1}]).varying == ("a",)


@given(st.lists(st.fixed_dictionaries({"a": VALUES}), min_size=2, max_size=12))
def test_shared_means_equal_in_every_row(rows):
    found = split(["a"], rows)
    first = rows[0]["a"]
    equal = all(same(row["a"], first) for row in rows)
    assert (found.varying == ()) == equal
    assert bool(found.shared) == (equal and first is not None)
