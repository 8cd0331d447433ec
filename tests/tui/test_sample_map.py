"""The line of signs that stands for the samples of a cell."""

from collections import Counter
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from evaltui.tui.sample_map import squeezed

SIGNS = [(sign, "text") for sign in "=✗+▸"]
stretches = st.lists(st.tuples(st.sampled_from(SIGNS), st.integers(1, 60)), max_size=12)


@settings(deadline=None)
@given(stretches, st.integers(1, 120))
def test_each_place_shows_the_rarest_of_the_samples_it_stands_for(made, width):
    samples = [sign for sign, length in made for _ in range(length)]
    shown = squeezed(made, width)
    if len(samples) <= width:
        assert shown == made
        return
    bounds = [place * len(samples) // width for place in range(width + 1)]
    often = Counter(samples)
    rarest = [min(often[sign] for sign in samples[start:end]) for start, end in pairwise(bounds)]
    assert [often[sign] for sign, _ in shown] == rarest
    assert all(
        sign in samples[start:end]
        for (sign, _), (start, end) in zip(shown, pairwise(bounds), strict=True)
    )


def test_no_width_shows_nothing():
    assert squeezed([(SIGNS[0], 3)], 0) == []
