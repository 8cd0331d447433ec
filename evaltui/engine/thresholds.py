"""How many errors a cell tolerates and at which it fails, in plain numbers and words. Pure.

Inspect's documentation has a task fail at *more than* the threshold, its code at the threshold:
both rules are here, and people always see the plain number.
"""

from __future__ import annotations

from decimal import Decimal

import msgspec

from evaltui.reuse.tolerance import ErrorRule, tolerated_errors
from evaltui.text import ordinal


class Threshold(msgspec.Struct, frozen=True):
    """A cell's error threshold, in plain numbers.

    tolerates: errors with which the cell still succeeds; None for any number.
    fails_at: the error that fails it; None where none can.
    at_end: a share of a total that is still growing, judged when the attempt ends.
    text: the same in words, such as `fails at the 4th (more than 3)`.
    """

    tolerates: int | None
    fails_at: int | None
    text: str
    at_end: bool = False


def threshold(
    value: bool | float | None, rule: ErrorRule, total: int, *, growing: bool = False
) -> Threshold:
    """The threshold that `fail_on_error = value` means for `total` samples x epochs.

    value: true or None tolerates no error, false all; below 1 a share of `total`, else a count.
    Raises ValueError, in one sentence, for 0.0 and for negative values.
    """
    if value is None or isinstance(value, bool):
        return _any_error(total) if value is not False else _never(None, "no number of errors")
    exact = Decimal(str(value))
    if exact <= 0:
        raise ValueError(_refusal(value))
    share = exact < 1
    tolerates = tolerated_errors(value, rule, total)
    assert tolerates is not None
    said = f"{_percent(exact)} of {total}" if share else f"{exact.normalize():f}"
    if share and growing:
        return Threshold(tolerates, None, f"judged at the end ({_rule(rule)} {said})", at_end=True)
    if tolerates >= total:
        return _never(tolerates, f"{said} is not below its {total} samples")
    fails_at = tolerates + 1
    return Threshold(
        tolerates, fails_at, f"fails at the {ordinal(fails_at)} ({_rule(rule)} {said})"
    )


def _any_error(total: int) -> Threshold:
    if total == 0:
        return _never(0, "it has no samples")
    return Threshold(0, 1, "fails at the 1st")


def _never(tolerates: int | None, why: str) -> Threshold:
    return Threshold(tolerates, None, f"never fails ({why})")


def _refusal(value: float) -> str:
    if value == 0:
        return "fail_on_error 0 is unclear; true tolerates no error, false any number"
    return f"fail_on_error must be above 0, not {value}; true tolerates no error"


def _rule(rule: ErrorRule) -> str:
    return "more than" if rule == "more-than" else "at least"


def _percent(share: Decimal) -> str:
    return f"{(share * 100).normalize():f}%"
