"""Where the cursor is in a list that changes under it."""

from hypothesis import given
from hypothesis import strategies as st

from evaltui.tui.list_cursor import ListCursor

KEYS = st.lists(st.sampled_from("abcdefghij"), unique=True).map(tuple)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("keys"), KEYS),
        st.tuples(st.just("go"), st.integers(-3, 12)),
        st.tuples(st.just("scroll"), st.integers(-5, 5)),
        st.tuples(st.sampled_from(["mark", "range", "clear"]), st.none()),
    ),
    max_size=20,
)


def walked(steps: list, height: int) -> ListCursor:
    at = ListCursor()
    for step, value in steps:
        match step:
            case "keys":
                before = at.key
                at.set_keys(value, height)
                if before in value:
                    assert at.key == before
            case "go":
                at.go(value, height)
            case "scroll":
                at.scroll(value, height)
            case "mark":
                at.toggle_mark()
            case "range":
                at.toggle_range()
            case "clear":
                at.clear()
    return at


@given(STEPS, st.integers(1, 6))
def test_wherever_one_has_been_the_cursor_and_the_view_are_within_the_list(steps, height):
    at = walked(steps, height)
    assert 0 <= at.row <= max(0, len(at.keys) - 1)
    assert 0 <= at.top <= max(0, len(at.keys) - height)
    assert (at.key is None) == (not at.keys)


@given(STEPS, st.integers(1, 6))
def test_targets_are_shown_rows_in_their_order(steps, height):
    at = walked(steps, height)
    places = [at.keys.index(key) for key in at.targets]
    assert places == sorted(places)
    assert bool(places) == bool(at.keys)
    assert set(at.targets) <= at.marks or at.targets == (at.key,)


@given(STEPS, KEYS, st.integers(-3, 12), st.integers(1, 6))
def test_a_step_of_the_cursor_brings_it_into_view(steps, keys, row, height):
    at = walked([*steps, ("keys", keys), ("go", row)], height)
    if keys:
        assert at.top <= at.row < at.top + height


def test_a_row_that_moves_takes_the_view_with_it():
    at = ListCursor()
    at.set_keys(tuple("abcdefgh"), 3)
    at.go(5, 3)
    assert (at.row, at.top) == (5, 3)
    at.set_keys(tuple("xyabcdefgh"), 3)
    assert (at.key, at.row, at.top) == ("f", 7, 5)


def test_clear_says_whether_anything_was_marked():
    at = ListCursor()
    at.set_keys(("a", "b"), 3)
    assert at.clear() is False
    at.toggle_range()
    assert at.clear() is True
    assert at.marks == frozenset()
