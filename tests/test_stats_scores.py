"""Values, reducers, denominators and roll-ups: as Inspect has them, with what it leaves out."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.scorer import (
    Score,
    at_least,
    max_score,
    mean_score,
    median_score,
    mode_score,
    pass_at,
    value_to_float,
)

from evaltui.stats.denominators import denominators, mean, score_bounds
from evaltui.stats.reducers import reduced, score_groups, score_values
from evaltui.stats.rolled import EVERY_SCORER, RuleError, parse_rule, rolled_column
from evaltui.stats.rollups import AllPassed, Single, WeightedMean, roll_up
from evaltui.stats.scores import UNIT, SampleScore, ScoreColumn, flat_values, read_value

SCALARS = st.one_of(
    st.sampled_from(["C", "I", "P", "N", "yes", "No", "TRUE", "false", "c", "", "x", "1e3", "nan"]),
    st.text(max_size=5),
    st.booleans(),
    st.integers(-5, 5),
    st.floats(allow_nan=False, allow_infinity=False),
)


class TestValues:
    @settings(deadline=None)
    @given(SCALARS)
    def test_read_as_inspect_reads_them(self, value):
        number, readable = read_value(value)
        assert number == value_to_float()(value)
        if not readable:
            assert number == 0.0
            assert isinstance(value, str)

    def test_nothing_is_no_score(self):
        assert read_value(None) == (None, True)
        assert read_value(float("nan")) == (None, True)
        assert read_value(float("inf")) == (None, False)
        assert read_value("gibberish") == (0.0, False)

    def test_several_values_are_several_scores(self):
        assert dict(flat_values("s", {"a": 1, "b": None})) == {"s.a": 1, "s.b": None}
        assert dict(flat_values("s", [True, "C"])) == {"s.0": True, "s.1": "C"}
        assert dict(flat_values("s", "C")) == {"s": "C"}


REDUCERS = {
    "mean": mean_score(),
    "median": median_score(),
    "max": max_score(),
    "mode": mode_score(),
    "at_least_2": at_least(2),
    "pass_at_2": pass_at(2),
}


class TestReducers:
    @pytest.mark.parametrize("name", REDUCERS)
    @settings(deadline=None)
    @given(values=st.lists(st.sampled_from(["C", "I", "P", "N", 1, 0.25]), min_size=2, max_size=6))
    def test_as_inspect_reduces(self, name, values):
        expected = value_to_float()(REDUCERS[name]([Score(value=value) for value in values]).value)
        samples = tuple(
            SampleScore(1, e, read_value(v)[0], raw=v if isinstance(v, str) else None)
            for e, v in enumerate(values, 1)
        )
        column = ScoreColumn("s", samples, len(values), len(values), name)
        assert reduced(column)["1"] == pytest.approx(expected, abs=1e-12)

    def test_unscored_epochs_withhold_a_vote_from_a_majority(self):
        values = [1.0, 1.0, None, None]
        samples = tuple(SampleScore(1, e, v) for e, v in enumerate(values))
        assert reduced(ScoreColumn("s", samples, 4, 4, "majority")) == {}
        assert reduced(ScoreColumn("s", samples[:3], 4, 4, "majority")) == {"1": 1.0}

    def test_k_of_k(self):
        samples = tuple(SampleScore(1, e, float(e < 3)) for e in range(4))
        assert reduced(ScoreColumn("s", samples, 4, 4, "pass_k_2")) == {"1": 0.5}

    def test_without_a_reducer_all_values_count(self):
        samples = (SampleScore(1, 1, 1.0), SampleScore(1, 2, 1.0), SampleScore(2, 1, 0.0))
        column = ScoreColumn("s", samples, 4, 2, None)
        assert score_values(column) == [1.0, 1.0, 0.0]
        assert mean(replace(column, reducer="mean")) == 0.5
        assert score_groups(column) == [[1.0, 1.0], [0.0]]


class TestDenominators:
    COLUMN = ScoreColumn(
        "s",
        (
            SampleScore(1, 1, 1.0, reused=True),
            SampleScore(2, 1, 0.0, limited=True),
            SampleScore(3, 1, 1.0, retries=1),
            SampleScore(4, 1, None, errored=True),
            SampleScore(5, 1, 0.0, errored=True),
            SampleScore(6, 1, None),
            SampleScore(7, 1, None, cancelled=True),
            SampleScore(8, 1, 0.0, readable=False),
        ),
        planned=10,
        bounds=UNIT,
    )

    def test_every_planned_sample_is_counted_once(self):
        counts = denominators(self.COLUMN)
        assert (counts.planned, counts.scored, counts.missing) == (10, 5, 5)
        assert (counts.errored, counts.errored_scored) == (2, 1)
        assert (counts.unscored, counts.not_run) == (1, 3)
        assert (counts.limited, counts.reused, counts.rerolled) == (1, 1, 1)
        assert counts.unreadable == 1

    def test_the_score_is_bounded_by_what_is_missing(self):
        assert mean(self.COLUMN) == pytest.approx(2 / 5)
        assert score_bounds(self.COLUMN) == pytest.approx((2 / 10, 7 / 10))

    def test_no_bounds_without_a_range(self):
        assert score_bounds(replace(self.COLUMN, bounds=None)) is None
        assert score_bounds(replace(self.COLUMN, bounds=(0, 10))) == pytest.approx((0.2, 5.2))

    def test_bounds_follow_the_reducer(self):
        samples = (SampleScore(1, 1, 1.0), SampleScore(1, 2, None), SampleScore(2, 1, 1.0))
        column = ScoreColumn("s", samples, planned=6, epochs=2, reducer="at_least_2", bounds=UNIT)
        assert score_bounds(column) == (0.0, 1.0)
        assert score_bounds(replace(column, reducer="max")) == (2 / 3, 1.0)

    @settings(deadline=None)
    @given(st.lists(st.sampled_from([0.0, 1.0, None]), min_size=1, max_size=20), st.integers(0, 5))
    def test_bounds_hold_the_score(self, values, more):
        samples = tuple(SampleScore(i, 1, v) for i, v in enumerate(values))
        column = ScoreColumn("s", samples, len(values) + more, bounds=UNIT)
        low, high = score_bounds(column)
        assert 0 <= low <= high <= 1
        if mean(column) is not None:
            assert low - 1e-9 <= mean(column) <= high + 1e-9
        if more == 0 and None not in values:
            assert low == high


VERDICTS = {
    "1": {"a": 1.0, "b": 1.0},
    "2": {"a": 1.0, "b": 0.0},
    "3": {"a": 0.0, "b": 1.0},
    "4": {"a": 1.0},
}


class TestRollUps:
    def test_the_rule_is_in_the_name(self):
        assert roll_up(VERDICTS, Single("a")).name == "a"
        assert roll_up(VERDICTS, AllPassed(("a", "b"))).name == "all passed (a, b)"
        weighted = WeightedMean((("a", 2), ("b", 1)), 0.6)
        assert roll_up(VERDICTS, weighted).name == "weighted mean (a x 2, b x 1) ≥ 0.6"
        assert roll_up(VERDICTS, Single("b"), missing_fail=True).name == "b, missing as failed"

    def test_one_set_of_verdicts_gives_many_numbers(self):
        values = [
            roll_up(VERDICTS, rule).value
            for rule in (
                Single("a"),
                Single("b"),
                AllPassed(("a", "b")),
                WeightedMean((("a", 2), ("b", 1))),
                WeightedMean((("a", 2), ("b", 1)), 0.6),
            )
        ]
        assert values == pytest.approx([3 / 4, 2 / 3, 1 / 3, (1 + 2 / 3 + 1 / 3) / 3, 2 / 3])

    def test_missing_scores_are_left_out_or_fail(self):
        left_out, failed = (
            roll_up(VERDICTS, AllPassed(("a", "b")), missing_fail=fail) for fail in (False, True)
        )
        assert (left_out.value, left_out.samples, left_out.missing) == (1 / 3, 3, 1)
        assert (failed.value, failed.samples) == (1 / 4, 4)

    @pytest.mark.parametrize(
        ("text", "rule"),
        [
            ("all", EVERY_SCORER),
            ("all(a, b)", AllPassed(("a", "b"))),
            ("a=2,b", WeightedMean((("a", 2), ("b", 1)))),
            ("a=0.5,b=1>=0.7", WeightedMean((("a", 0.5), ("b", 1)), 0.7)),
        ],
    )
    def test_the_short_form(self, text, rule):
        assert parse_rule(text) == rule

    @pytest.mark.parametrize("text", ["", "a", "a=1", "a=1,b=1>=x", "a=0,b=0"])
    def test_a_rule_that_is_none(self, text):
        with pytest.raises(RuleError, match="--rollup"):
            parse_rule(text)

    def test_a_column_of_its_own(self):
        a = ScoreColumn("a", tuple(SampleScore(i, 1, float(i > 1)) for i in range(4)), 5)
        b = ScoreColumn("b", tuple(SampleScore(i, 1, float(i > 2)) for i in range(4)), 5)
        rolled = rolled_column([a, b], EVERY_SCORER)
        assert rolled.scorer == "all passed (a, b)"
        assert (mean(rolled), rolled.planned) == (0.25, 5)
        assert rolled_column([a], EVERY_SCORER) is None
        assert rolled_column([a, b], AllPassed(("a", "c"))) is None
