"""Pairs: exact tests as the reference libraries have them, what is left out, what could be seen."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from evaltui.stats.exact import fisher_exact, holm, mcnemar_exact, sign_flip
from evaltui.stats.pairs import (
    adjust,
    compare,
    detectable_mcnemar,
    mcnemar_power,
    paired_share_interval,
)
from evaltui.stats.scores import UNIT, SampleScore, ScoreColumn

EXACT = 1e-9


def column(values, *, first=1, bounds=UNIT, **more) -> ScoreColumn:
    samples = tuple(SampleScore(first + i, 1, v, **more) for i, v in enumerate(values))
    return ScoreColumn("s", samples, len(samples), bounds=bounds)


class TestReferences:
    @settings(deadline=None)
    @given(st.integers(0, 60), st.integers(0, 60))
    def test_mcnemar(self, b, c):
        expected = mcnemar([[3, b], [c, 3]], exact=True).pvalue if b + c else 1.0
        assert mcnemar_exact(b, c) == pytest.approx(expected, abs=EXACT)

    @settings(deadline=None)
    @given(st.lists(st.integers(0, 80), min_size=4, max_size=4))
    def test_fisher(self, cells):
        a, b, c, d = cells
        expected = stats.fisher_exact([[a, b], [c, d]])[1] if sum(cells) else 1.0
        assert fisher_exact(a, b, c, d) == pytest.approx(expected, abs=EXACT)

    @pytest.mark.parametrize("count", [1, 2, 7, 40])
    def test_holm(self, count):
        # few lists: statsmodels collects garbage at each call
        p_values = np.random.default_rng(count).random(count) ** 3
        p_values[-1] = p_values[0]
        expected = multipletests(p_values, method="holm")[1]
        assert holm(p_values.tolist()) == pytest.approx(list(expected), abs=EXACT)

    def test_sign_flips_are_the_permutation_test(self):
        differences = np.array([0.3, -0.1, 0.5, 0.2, 0.0, 0.4, -0.05])
        expected = stats.permutation_test(
            (differences,), np.mean, permutation_type="samples", n_resamples=np.inf
        )
        assert sign_flip(differences, 10_000, 1) == pytest.approx(expected.pvalue, abs=EXACT)

    def test_many_sign_flips_come_near_the_t_test(self):
        differences = np.random.default_rng(4).normal(0.2, 1.0, 80)
        expected = stats.ttest_1samp(differences, 0).pvalue
        assert sign_flip(differences, 10_000, 1) == pytest.approx(expected, abs=0.02)

    def test_holm_leaves_what_was_not_tested(self):
        adjusted = holm([0.04, float("nan"), 0.01])
        assert adjusted[0] == 0.04
        assert adjusted[2] == 0.02
        assert np.isnan(adjusted[1])


class TestComparison:
    def test_counts_who_was_right_alone(self):
        found = compare(column([1, 1, 1, 0, 0]), column([1, 0, 0, 1, 0]), "a", "b")
        assert (found.only_a, found.only_b, found.pairs) == (2, 1, 5)
        assert found.difference == pytest.approx(0.2)
        assert found.p == mcnemar_exact(2, 1)
        assert found.low < 0.2 < found.high

    def test_left_out_with_the_reason(self):
        a = ScoreColumn(
            "s",
            (
                SampleScore(1, 1, 1.0, content="x"),
                SampleScore(2, 1, 1.0, content="x"),
                SampleScore(3, 1, None, errored=True),
                SampleScore(4, 1, 1.0),
                SampleScore(6, 1, 1.0),
                SampleScore(7, 1, 1.0),
                SampleScore(7, 1, 0.0),
            ),
            7,
        )
        b = ScoreColumn(
            "s",
            (
                SampleScore("1", 1, 0.0, content="x"),
                SampleScore(2, 1, 1.0, content="y"),
                SampleScore(3, 1, 1.0),
                SampleScore(5, 1, 1.0),
                SampleScore(6, 1, None),
                SampleScore(7, 1, 1.0),
            ),
            6,
        )
        found = compare(a, b, "a", "b")
        assert found.pairs == 1
        assert found.difference == 1.0
        assert found.left_out == {
            "other content": ("2",),
            "errored": ("3",),
            "only in a": ("4",),
            "unscored": ("6",),
            "expanded": ("7",),
            "only in b": ("5",),
        }

    def test_nothing_in_common_is_said_so(self):
        found = compare(column([1, 0]), column([1, 0], first=10), "a", "b")
        assert found.pairs == 0
        assert found.difference is None
        assert found.p is None

    def test_epochs_are_averaged_before_pairing(self):
        a = tuple(SampleScore(i, e, float(i > e)) for i in range(6) for e in (1, 2, 3))
        b = tuple(SampleScore(i, 1, 0.0) for i in range(6))
        found = compare(ScoreColumn("s", a, 18, 3), ScoreColumn("s", b, 6), "a", "b")
        assert found.pairs == 6
        assert found.method == "paired bootstrap"
        assert found.mean_a == pytest.approx(sum(s.value for s in a) / 18)

    def test_a_difference_of_graded_scores_is_found(self):
        generator = np.random.default_rng(2)
        base = generator.random(60) * 0.5
        found = compare(column(base + 0.3), column(base + generator.random(60) * 0.1), "a", "b")
        assert found.method == "paired bootstrap"
        assert 0.2 < found.low < found.difference < found.high < 0.3
        assert found.p < 0.001

    def test_many_comparisons_are_paid_for(self):
        one = compare(column([1] * 8 + [0] * 8), column([0] * 8 + [0] * 8), "a", "b")
        none = compare(column([1, 0]), column([1, 0], first=10), "a", "b")
        first, second, third = adjust([one, one, none])
        assert first.adjusted == second.adjusted == min(1, 2 * one.p)
        assert third.adjusted is None

    @settings(deadline=None)
    @given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
    def test_the_interval_stays_within_one(self, only_a, only_b, same):
        n = only_a + only_b + same
        if n:
            low, high = paired_share_interval(only_a, only_b, n)
            assert -1 <= low <= (only_a - only_b) / n + 0.2
            assert low <= high <= 1

    def test_the_interval_holds_the_true_difference(self):
        generator = np.random.default_rng(5)
        drawn = generator.multinomial(30, [0.25, 0.1, 0.65], 4000)
        found = [paired_share_interval(int(a), int(b), 30) for a, b, _ in drawn]
        assert np.mean([low <= 0.15 <= high for low, high in found]) >= 0.93


class TestWhatCouldBeSeen:
    def test_power_is_that_of_simulations(self):
        generator = np.random.default_rng(6)
        drawn = generator.multinomial(80, [0.25, 0.1, 0.65], 4000)
        simulated = np.mean([mcnemar_exact(int(a), int(b)) <= 0.05 for a, b, _ in drawn])
        assert mcnemar_power(80, 0.35, 0.15) == pytest.approx(simulated, abs=0.025)

    @pytest.mark.parametrize("discordant", [0.0, 0.1, 0.4])
    @pytest.mark.parametrize("n", [10, 100, 3000])
    def test_the_smallest_difference_has_the_power(self, n, discordant):
        smallest = detectable_mcnemar(n, discordant)
        assert mcnemar_power(n, discordant, smallest) >= 0.8
        assert mcnemar_power(n, discordant, smallest - 0.01) < 0.8

    def test_five_pairs_can_show_nothing(self):
        # five of five in one direction are p = .0625
        assert detectable_mcnemar(5, 0.4) is None
