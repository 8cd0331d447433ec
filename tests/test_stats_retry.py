"""What retries do to a score: the flags rise when they should, seldom when they should not."""

from dataclasses import replace

import numpy as np
import pytest
from statsmodels.stats.proportion import confint_proportions_2indep

from evaltui.stats.exact import fisher_exact
from evaltui.stats.retry_shift import detectable_share_shift, fisher_power, newcombe, retry_shift
from evaltui.stats.scores import UNIT, SampleScore, ScoreColumn
from evaltui.stats.traits import error_class
from evaltui.stats.wording import retry_sentence


def column(samples, epochs=1) -> ScoreColumn:
    return ScoreColumn("s", tuple(samples), len(samples), epochs, bounds=UNIT)


def drawn(generator, shift: float, n: int = 200, rerolled: int = 40) -> ScoreColumn:
    """n samples at 0.5, of which the first are re-rolled and score by `shift` more."""
    passed = generator.random(n) < np.where(np.arange(n) < rerolled, 0.5 + shift, 0.5)
    return column(
        [SampleScore(i, 1, float(p), retries=int(i < rerolled)) for i, p in enumerate(passed)]
    )


def with_epochs(passed, errs) -> ScoreColumn:
    """Scores and whether an epoch was re-rolled, arrays of (samples, epochs)."""
    errs = np.broadcast_to(errs, passed.shape)
    samples = [
        SampleScore(i, e + 1, float(passed[i, e]), retries=int(errs[i, e]))
        for i, e in np.ndindex(*passed.shape)
    ]
    return column(samples, epochs=passed.shape[1])


class TestSimulation:
    def test_a_shift_of_three_tenths_is_flagged(self):
        generator = np.random.default_rng(11)
        flagged = [("shift" in retry_shift(drawn(generator, 0.3)).flags) for _ in range(400)]
        assert np.mean(flagged) >= 0.9

    def test_no_shift_is_seldom_flagged(self):
        generator = np.random.default_rng(12)
        flagged = [("shift" in retry_shift(drawn(generator, 0.0)).flags) for _ in range(400)]
        assert np.mean(flagged) <= 0.05

    def test_two_levels_are_not_two_chances(self):
        generator = np.random.default_rng(13)
        flagged = 0
        for _ in range(300):
            found = drawn(generator, 0.0, rerolled=80)
            half = [replace(s, rerun=s.id >= 40 and s.retries > 0) for s in found.samples]
            flagged += "shift" in retry_shift(column(half)).flags
        assert flagged / 300 <= 0.05

    @pytest.mark.slow
    def test_epochs_that_err_together_raise_no_false_alarm(self):
        # 8 of 40 samples err in all of their 5 epochs, whose scores go together
        generator = np.random.default_rng(14)
        flagged = 0
        for _ in range(200):
            passed = generator.random((40, 5)) < generator.beta(1, 1, 40)[:, None]
            flagged += "shift" in retry_shift(with_epochs(passed, np.arange(40)[:, None] < 8)).flags
        # 0.046: three errors of the simulation itself
        assert flagged / 200 <= 0.05 + 0.046

    @pytest.mark.slow
    def test_epochs_that_err_anywhere_show_a_shift(self):
        generator = np.random.default_rng(19)
        flagged = 0
        for _ in range(100):
            errs = generator.random((40, 5)) < 0.2
            own = generator.beta(12, 12, 40)[:, None]
            passed = generator.random((40, 5)) < own + 0.3 * errs
            flagged += "shift" in retry_shift(with_epochs(passed, errs)).flags
        assert flagged / 100 >= 0.9

    def test_what_this_n_could_have_seen(self):
        found = retry_shift(drawn(np.random.default_rng(15), 0.1))
        size = found.overall.detectable
        assert 0.2 < size < 0.3
        generator = np.random.default_rng(16)
        base = found.overall.mean_clean
        seen = [
            fisher_exact(a, 40 - a, b, 160 - b) <= 0.05
            for a, b in zip(
                generator.binomial(40, base + size, 2000).tolist(),
                generator.binomial(160, base, 2000).tolist(),
                strict=True,
            )
        ]
        assert np.mean(seen) == pytest.approx(0.8, abs=0.05)


class TestFindings:
    def test_groups_are_scored_apart(self):
        samples = [SampleScore(i, 1, float(i % 2)) for i in range(100)]
        samples += [SampleScore(100 + i, 1, 1.0, retries=1) for i in range(10)]
        samples += [SampleScore(200 + i, 1, 1.0, rerun=True, retries=2) for i in range(20)]
        found = retry_shift(column(samples))
        assert [(s.level, s.rerolled, s.clean) for s in found.levels] == [
            ("retry", 10, 100),
            ("rerun", 20, 100),
        ]
        assert found.levels[0].p == fisher_exact(10, 0, 50, 50)
        assert found.levels[1].adjusted == pytest.approx(2 * found.levels[1].p)
        assert found.overall.rerolled == found.rerolled == 30
        assert found.flags == ("shift", "share")
        assert found.value == pytest.approx(80 / 130)
        assert found.without == 0.5
        assert found.without_interval.n == 100

    def test_the_interval_is_newcombes(self):
        expected = confint_proportions_2indep(30, 40, 80, 160, compare="diff", method="newcomb")
        assert newcombe(30, 40, 80, 160) == pytest.approx(expected, abs=1e-9)

    @pytest.mark.parametrize(("rerolled", "flags"), [(5, ()), (6, ("share",))])
    def test_more_than_five_in_a_hundred_raise_the_share(self, rerolled, flags):
        samples = [SampleScore(i, 1, float(i % 2), retries=int(i < rerolled)) for i in range(100)]
        assert retry_shift(column(samples)).flags == flags

    def test_no_retries_no_finding(self):
        found = retry_shift(column([SampleScore(i, 1, 1.0) for i in range(5)]))
        assert (found.flags, found.levels, found.overall) == ((), (), None)
        assert found.without == found.value == 1.0
        assert retry_sentence(found) is None

    def test_nothing_clean_leaves_no_number(self):
        found = retry_shift(column([SampleScore(i, 1, 1.0, retries=1) for i in range(5)]))
        assert found.flags == ("share",)
        assert found.without is None
        assert "none would stand without retries" in retry_sentence(found)

    def test_errored_samples_without_a_score_do_not_count(self):
        samples = [SampleScore(i, 1, 1.0) for i in range(20)]
        samples += [SampleScore(20 + i, 1, None, errored=True, retries=3) for i in range(20)]
        found = retry_shift(column(samples))
        assert (found.scored, found.rerolled, found.flags) == (20, 0, ())

    def test_graded_scores_are_permuted(self):
        generator = np.random.default_rng(17)
        values = generator.random(120) * 0.6
        values[:20] += 0.4
        found = retry_shift(
            column([SampleScore(i, 1, float(v), retries=int(i < 20)) for i, v in enumerate(values)])
        )
        shift = found.overall
        assert shift.test == "permutation"
        assert shift.p < 0.01
        assert shift.low < shift.difference < shift.high
        assert shift.low > 0.2

    def test_a_shift_that_no_sample_could_show(self):
        assert detectable_share_shift(0.5, 1, 4) is None
        assert fisher_power(0.5, 0.3, 1, 4) < 0.2

    def test_shifts_near_the_top_are_looked_for_downwards(self):
        size = detectable_share_shift(0.97, 20, 180)
        assert fisher_power(0.97, -size, 20, 180) >= 0.8


class TestTraits:
    def test_a_shared_class_attribute_and_length(self):
        samples = [
            SampleScore(
                i,
                1,
                1.0,
                retries=int(i < 20),
                error="TimeoutError('read timed out')" if i < 20 else None,
                metadata={"topic": "long" if i < 25 else "short", "n": i, "note": [1]},
                input_length=5000 - i,
            )
            for i in range(200)
        ]
        found = {trait.kind: trait for trait in retry_shift(column(samples)).traits}
        assert (found["error"].value, found["error"].rerolled) == ("TimeoutError", 20)
        assert (found["metadata"].name, found["metadata"].value) == ("topic", "long")
        assert (found["metadata"].rerolled, found["metadata"].rest) == (20, 5)
        assert found["input length"].value == "4th"
        assert found["metadata"].p < 1e-6

    def test_chance_is_no_trait(self):
        generator = np.random.default_rng(18)
        found = 0
        for _ in range(100):
            retried = generator.random(100) < 0.2
            samples = [
                SampleScore(
                    i,
                    1,
                    1.0,
                    retries=int(r),
                    metadata={"a": i % 2, "b": i % 3, "c": i % 5},
                    input_length=int(generator.integers(1, 1000)),
                )
                for i, r in enumerate(retried)
            ]
            found += bool(retry_shift(column(samples)).traits)
        assert found <= 5

    @pytest.mark.parametrize(
        ("message", "name"),
        [
            ("TimeoutError('x')", "TimeoutError"),
            ("httpx.ReadTimeout: late", "ReadTimeout"),
            ("ValueError", "ValueError"),
            ("the server went away in the night", "the server went away in the"),
            ("", ""),
        ],
    )
    def test_the_class_of_an_error(self, message, name):
        assert error_class(message) == name


class TestSentence:
    def test_a_shift_says_both_numbers_and_the_one_without(self):
        samples = [SampleScore(i, 1, float(i % 2)) for i in range(100)]
        samples += [
            SampleScore(100 + i, 1, 1.0, retries=1, error="TimeoutError()") for i in range(20)
        ]
        assert retry_sentence(retry_shift(column(samples))) == (
            "20 of 120 scored samples (17%) were retried after an error, scoring 1.00 against "
            ".500 for the rest (p < .001); without retries this would be .500; 20 of 20 errors "
            "were TimeoutError."
        )

    def test_a_share_says_what_would_go_unseen(self):
        samples = [SampleScore(i, 1, float(i % 2), rerun=i < 10) for i in range(100)]
        sentence = retry_sentence(retry_shift(column(samples)))
        assert sentence.startswith("10 of 100 scored samples (10%) were run again")
        assert "without retries this would be .500 (a shift under ." in sentence
