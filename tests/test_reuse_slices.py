"""A slice asks for the items that Inspect's own slicing would take."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai._eval.task.util import resolve_task_sample_ids, slice_dataset
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample

from evaltui.reuse import narrow_sample_ids, slice_items

IDS = [1, 2, "3", "a", "b1", "b2", "task:x", "07", "x[1]", "ünï", "A"]


def by_inspect(
    ids, limit=None, sample_id=None, shuffle=None, task="alpha", names=("alpha", "beta")
):
    """The ids that Inspect runs, in its order; none where it refuses the selection."""
    data = MemoryDataset([Sample(input="q", id=each) for each in ids])
    if shuffle:
        data.shuffle(shuffle)
    asked = None if sample_id is None else list(sample_id)
    try:
        taken = slice_dataset(data, limit, resolve_task_sample_ids(task, asked, names))
    except PrerequisiteError:
        return []
    return [sample.id for sample in taken]


def by_us(ids, limit=None, sample_id=None, shuffle=None, task="alpha", names=("alpha", "beta")):
    return [ids[place] for place in slice_items(ids, limit, sample_id, shuffle, task, names)]


@pytest.mark.parametrize("limit", [None, 1, 3, 50, (0, 2), (2, 5), (5, 50), (50, 60), (10, 11)])
def test_limits_are_inspects(limit):
    assert by_us(IDS, limit) == by_inspect(IDS, limit)


@pytest.mark.parametrize(
    "sample_id",
    [
        (), (1,), ("1",), ("01",), (3,), ("3", "a"), ("b*",), ("b?", 2), ("*",), ("*2",), ("1*",),
        ("x[1]",), ("x[[]1]",), ("[ab]*",), ("nothing",), ("7",), (7,), ("07",), ("A",), ("Ü*",),
        ("alpha:a",), ("beta:a",), ("ALPHA:b*", 1), ("beta:a", "a"), ("task:x",), ("gamma:x",),
        ("alpha:1",), ("alpha:task:x",), ("alpha:",), (":a",),
    ],
    ids=str,
)  # fmt: skip
def test_ids_globs_and_task_selectors_are_inspects(sample_id):
    assert by_us(IDS, sample_id=sample_id) == by_inspect(IDS, sample_id=sample_id)


@pytest.mark.parametrize("shuffle", [1, 42, -3, False, None, 0])
@pytest.mark.parametrize("limit", [None, 4, (2, 6)])
def test_a_seeded_shuffle_is_inspects(shuffle, limit):
    assert by_us(IDS, limit, shuffle=shuffle) == by_inspect(IDS, limit, shuffle=shuffle)


def test_a_shuffle_without_a_seed_takes_the_one_given():
    first = slice_items(range(50), 5, None, True, "t", seed=1)
    assert first == slice_items(range(50), 5, None, True, "t", seed=1)
    assert first != slice_items(range(50), 5, None, True, "t", seed=2)
    assert len(set(first)) == 5


def test_selectors_of_other_tasks_fall_away():
    names = ("alpha", "beta")
    assert narrow_sample_ids("beta", ("alpha:1", "beta:2", 3), names) == ("2", 3)
    assert narrow_sample_ids("beta", ("alpha:1",), names) == ()
    assert narrow_sample_ids("beta", None, names) is None
    assert narrow_sample_ids("beta", ("user:1",), names) == ("user:1",)


some_ids = st.lists(
    st.one_of(st.integers(0, 30), st.text("ab1:*?[]", min_size=1, max_size=3)),
    min_size=1, max_size=8, unique_by=str,
)  # fmt: skip
some_limit = st.one_of(
    st.none(), st.integers(1, 9), st.tuples(st.integers(0, 8), st.integers(1, 9))
)


@given(some_ids, some_limit, st.one_of(st.none(), st.integers(1, 5)))
def test_any_limit_and_shuffle_is_inspects(ids, limit, shuffle):
    assert by_us(ids, limit, shuffle=shuffle) == by_inspect(ids, limit, shuffle=shuffle)


@given(some_ids, some_ids)
def test_any_selection_is_inspects(ids, sample_id):
    assert by_us(ids, None, tuple(sample_id)) == by_inspect(ids, None, tuple(sample_id))
