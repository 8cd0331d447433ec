"""The boundary table of error thresholds: value x rule x total -> the number that fails."""

from __future__ import annotations

import pytest

from evaltui.engine.thresholds import Threshold, threshold
from evaltui.reuse.tolerance import ErrorRule
from evaltui.text import error_gauge, ordinal

NEVER = None


def fails(errors: int, limit: Threshold) -> bool:
    """Whether a cell that ended with so many errors has failed."""
    return limit.tolerates is not None and errors > limit.tolerates


def gauge(errors: int, limit: Threshold) -> str:
    return error_gauge(errors, limit.fails_at, at_end=limit.at_end)


@pytest.mark.parametrize(
    ("value", "total", "more_than", "at_least"),
    [
        (True, 10, 1, 1),
        (None, 10, 1, 1),
        (False, 10, NEVER, NEVER),
        (True, 0, NEVER, NEVER),
        (1, 10, 2, 1),
        (1.0, 10, 2, 1),
        (3, 10, 4, 3),
        (9, 10, 10, 9),
        (10, 10, NEVER, 10),
        (11, 10, NEVER, NEVER),
        (1, 1, NEVER, 1),
        (0.5, 10, 6, 5),
        (0.5, 11, 6, 6),
        (0.1, 30, 4, 3),
        (0.07, 100, 8, 7),
        (0.29, 100, 30, 29),
        (0.3, 10, 4, 3),
        (0.7, 10, 8, 7),
        (0.01, 10, 1, 1),
        (0.001, 1000, 2, 1),
        (0.99, 10, 10, 10),
        (0.9999, 1, 1, 1),
        (0.5, 1, 1, 1),
        (0.5, 2, 2, 1),
    ],
)
def test_the_error_that_fails_a_cell(
    value: bool | float | None, total: int, more_than: int | None, at_least: int | None
) -> None:
    rules: list[tuple[ErrorRule, int | None]] = [("more-than", more_than), ("at-least", at_least)]
    for rule, expected in rules:
        limit = threshold(value, rule, total)
        assert limit.fails_at == expected
        failing = [errors for errors in range(total + 1) if fails(errors, limit)]
        assert failing == ([] if expected is None else list(range(expected, total + 1)))


@pytest.mark.parametrize("value", [0, 0.0, -1, -0.5])
def test_values_that_mean_nothing_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="fail_on_error"):
        threshold(value, "more-than", 10)


def test_a_share_of_a_growing_total_is_judged_at_the_end() -> None:
    limit = threshold(0.5, "more-than", 3, growing=True)
    assert (limit.at_end, limit.fails_at) == (True, None)
    assert gauge(3, limit) == "3 at end"
    assert limit.text == "judged at the end (more than 50% of 3)"
    assert not fails(1, limit)
    assert fails(2, limit)


def test_a_count_does_not_wait_for_a_growing_total() -> None:
    assert threshold(2, "more-than", 10, growing=True).fails_at == 3


@pytest.mark.parametrize(
    ("value", "rule", "text"),
    [
        (3, "more-than", "fails at the 4th (more than 3)"),
        (3, "at-least", "fails at the 3rd (at least 3)"),
        (0.1, "more-than", "fails at the 11th (more than 10% of 104)"),
        (0.025, "at-least", "fails at the 3rd (at least 2.5% of 104)"),
        (True, "more-than", "fails at the 1st"),
        (False, "more-than", "never fails (no number of errors)"),
        (104, "more-than", "never fails (104 is not below its 104 samples)"),
    ],
)
def test_the_plain_number_is_said(value: bool | float, rule: ErrorRule, text: str) -> None:
    assert threshold(value, rule, 104).text == text


def test_the_gauge_is_short() -> None:
    assert gauge(1, threshold(3, "more-than", 10)) == "1→4"
    assert gauge(1, threshold(False, "more-than", 10)) == "1→never"


def test_ordinals() -> None:
    said = [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111, 113)]
    assert said == "1st 2nd 3rd 4th 11th 12th 13th 21st 102nd 111th 113th".split()
