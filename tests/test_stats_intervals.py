"""Intervals: equal to the reference libraries, inside the range, and as sure as they claim."""

import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.scorer import SampleScore, Score, stderr
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from evaltui.stats.intervals import (
    bootstrap,
    clustered_stderr,
    clustered_wilson,
    inspect_stderr,
    interval_of,
    t_interval,
    wilson,
)
from evaltui.stats.scores import UNIT

EXACT = 1e-9


def single(values) -> list[list[float]]:
    return [[float(value)] for value in values]


class TestReferences:
    @pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
    @pytest.mark.parametrize("n", [1, 2, 7, 10, 100, 5000])
    def test_wilson(self, n, level):
        for successes in {0, 1, n // 3, n // 2, n - 1, n}:
            expected = proportion_confint(successes, n, alpha=1 - level, method="wilson")
            assert wilson(successes, n, level) == pytest.approx(expected, abs=EXACT)

    def test_t_is_students(self):
        values = [0.1, 0.5, 0.55, 0.9, 0.3]
        found = t_interval(single(values), level=0.9)
        expected = stats.t.interval(0.9, 4, np.mean(values), stats.sem(values))
        assert (found.low, found.high) == pytest.approx(expected, abs=EXACT)

    def test_clustered_error_is_statsmodels(self):
        generator = np.random.default_rng(1)
        groups = [generator.random(generator.integers(1, 6)).tolist() for _ in range(23)]
        values = [value for group in groups for value in group]
        labels = [index for index, group in enumerate(groups) for _ in group]
        fit = sm.OLS(values, np.ones(len(values))).fit(
            cov_type="cluster", cov_kwds={"groups": np.array(labels)}
        )
        assert clustered_stderr(groups) == pytest.approx(fit.bse[0], abs=EXACT)

    @settings(deadline=None)
    @given(st.lists(st.sampled_from(["C", "I", "P", 0.25, 3]), min_size=1, max_size=40))
    def test_inspects_stderr_to_the_last_bit(self, scores):
        values = [{"C": 1.0, "I": 0.0, "P": 0.5}.get(score, score) for score in scores]
        logged = [SampleScore(score=Score(value=score)) for score in scores]
        assert inspect_stderr([float(v) for v in values]) == stderr()(logged)

    @settings(deadline=None)
    @given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=4), min_size=1, max_size=12))
    def test_inspects_clustered_stderr(self, groups):
        logged = [
            SampleScore(score=Score(value=value), sample_metadata={"sample": str(index)})
            for index, group in enumerate(groups)
            for value in group
        ]
        expected = float(stderr(cluster="sample")(logged))
        assert clustered_stderr(groups) == pytest.approx(expected, abs=EXACT)

    def test_clustered_t_is_inspects_error_of_the_sample_means(self):
        groups = [[0.2, 0.4], [0.9, 0.7], [0.1, 0.2], [0.5, 0.9]]
        found = t_interval(groups)
        means = [sum(group) / 2 for group in groups]
        assert clustered_stderr(groups) == pytest.approx(inspect_stderr(means), abs=EXACT)
        half = stats.t.ppf(0.975, 3) * inspect_stderr(means)
        assert found.high - found.low == pytest.approx(2 * half, abs=EXACT)
        assert found.method == "clustered t"


class TestRange:
    def test_ten_samples_at_nine_tenths(self):
        values = [1.0] * 9 + [0.0]
        error = inspect_stderr(values)
        assert f"{error:.4f}" == "0.1000"
        assert 0.9 + 1.96 * error > 1
        found = interval_of(single(values), bounds=UNIT)
        assert found.method == "wilson"
        assert 0 < found.low < 0.9 < found.high < 1

    @settings(deadline=None)
    @given(
        st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=4), min_size=1, max_size=15),
        st.sampled_from([None, "wilson", "t", "bootstrap"]),
    )
    def test_no_interval_leaves_the_range_or_misses_the_mean(self, groups, method):
        found = interval_of(groups, bounds=UNIT, method=method)
        if found is None:
            assert len(groups) == 1
            assert method in ("t", "bootstrap")
            return
        mean = sum(sum(group) / len(group) for group in groups) / len(groups)
        assert 0 <= found.low <= mean + EXACT
        assert mean - EXACT <= found.high <= 1

    def test_a_stated_range_bounds_t(self):
        free = interval_of(single([9, 10, 10, 4]))
        bound = interval_of(single([9, 10, 10, 4]), bounds=(1.0, 10.0))
        assert free.high > 10
        assert (bound.low, bound.high) == (free.low, 10.0)

    def test_equal_scores_are_not_certain(self):
        for values in ([1.0] * 8, [0.5] * 8):
            found = interval_of(single(values), bounds=UNIT)
            assert found.low < values[0] - 0.05

    def test_wilson_stands_in_where_t_would_leave_the_range(self):
        values = [0.0] * 9 + [0.6]
        assert t_interval(single(values)).low < 0
        assert interval_of(single(values), bounds=UNIT).method == "wilson"

    def test_nothing_is_said_of_nothing(self):
        assert interval_of([]) is None
        assert interval_of([[3.0]]) is None


class TestEpochs:
    def test_without_epochs_it_is_plain_wilson(self):
        found = clustered_wilson(single([1, 0, 1, 1]))
        assert (found.low, found.high) == wilson(3, 4)
        assert found.effective_n == 4

    def test_epochs_that_always_agree_count_as_one(self):
        groups = [[1.0] * 5] * 8 + [[0.0] * 5] * 2
        assert clustered_wilson(groups).effective_n == pytest.approx(10)

    def test_epochs_of_nothing_but_passes_count_as_one(self):
        found = clustered_wilson([[1.0] * 5] * 10)
        assert (found.low, found.high) == wilson(10, 10)

    def test_independent_epochs_count_nearly_in_full(self):
        generator = np.random.default_rng(3)
        groups = (generator.random((200, 5)) < 0.5).astype(float).tolist()
        assert clustered_wilson(groups).effective_n > 800

    def test_bootstrap_draws_whole_samples(self):
        alike = [[1.0] * 10] * 5 + [[0.0] * 10] * 5
        found = bootstrap(alike)
        assert found.method == "clustered bootstrap"
        assert (found.low, found.high) == pytest.approx(
            (lambda one: (one.low, one.high))(bootstrap(single([1] * 5 + [0] * 5)))
        )


def exact_coverage(n: int, p: float) -> float:
    counts = np.arange(n + 1)
    covered = [low <= p <= high for low, high in (wilson(k, n) for k in counts)]
    return float(stats.binom.pmf(counts, n, p)[covered].sum())


def simulated_coverage(samples: int, epochs: int, p: float, alike: float, runs: int) -> float:
    """How often the interval holds p when epochs of a sample correlate by `alike`."""
    generator = np.random.default_rng(samples * 1000 + epochs * 100 + int(p * 50) + int(alike * 7))
    covered = 0
    for _ in range(runs):
        own = p
        if alike == 1:
            own = (generator.random(samples) < p).astype(float)[:, None]
        elif alike > 0:
            spread = 1 / alike - 1
            own = generator.beta(p * spread, (1 - p) * spread, samples)[:, None]
        values = (generator.random((samples, epochs)) < own).astype(float)
        found = clustered_wilson(values.tolist())
        covered += found.low <= p <= found.high
    return covered / runs


class TestCoverage:
    @pytest.mark.parametrize("n", [10, 100])
    @pytest.mark.parametrize("p", [0.02, 0.5, 0.9])
    def test_wilson_holds_the_true_share(self, n, p):
        # n = 10 at 0.9 is Wilson's worst of these: 0.9298
        assert round(exact_coverage(n, p), 2) >= 0.93

    @pytest.mark.parametrize("p", [0.02, 0.5, 0.9])
    @pytest.mark.parametrize(("samples", "effective"), [(6, 10), (60, 100)])
    def test_epochs_at_an_effective_n(self, samples, effective, p):
        # 5 epochs that correlate by 0.5 are worth 5/3 samples
        assert samples * 5 / (1 + 4 * 0.5) == effective
        assert simulated_coverage(samples, 5, p, 0.5, runs=1000) >= 0.93

    @pytest.mark.slow
    @pytest.mark.parametrize("p", [0.02, 0.5, 0.9])
    @pytest.mark.parametrize("alike", [0, 0.2, 0.5, 0.8, 1])
    @pytest.mark.parametrize("epochs", [2, 5])
    @pytest.mark.parametrize("samples", [10, 100])
    def test_epochs_however_alike(self, samples, epochs, alike, p):
        # 0.006: three errors of the simulation itself
        assert simulated_coverage(samples, epochs, p, alike, runs=4000) >= 0.93 - 0.006

    @pytest.mark.slow
    @pytest.mark.parametrize("n", [10, 100])
    @pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
    def test_graded_scores(self, n, p):
        generator = np.random.default_rng(n)
        draws = generator.beta(p * 4, (1 - p) * 4, (2000, n))
        found = [interval_of(single(row), bounds=UNIT) for row in draws]
        assert np.mean([each.low <= p <= each.high for each in found]) >= 0.93

    def test_bootstrap_of_few(self):
        generator = np.random.default_rng(8)
        draws = generator.normal(0.5, 0.1, (300, 8))
        found = [bootstrap(single(row), draws=1000) for row in draws]
        assert np.mean([each.low <= 0.5 <= each.high for each in found]) >= 0.91

    def test_the_same_seed_gives_the_same_interval(self):
        values = single([0.1, 0.4, 0.9, 0.3])
        assert bootstrap(values) == bootstrap(values)
        assert math.isfinite(bootstrap(values).low)
