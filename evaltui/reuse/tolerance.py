"""How many errors a cell tolerates, as a plain number. Pure."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Literal

ErrorRule = Literal["more-than", "at-least"]


def tolerated_errors(fail_on_error: bool | float | None, rule: ErrorRule, total: int) -> int | None:
    """Errors with which a cell of `total` samples x epochs still succeeds; None for any number.

    fail_on_error: true or None tolerates none, false all; below 1 a share of `total`, else a count.
    Computed on decimals: 0.07 of 100 samples are 7, which binary fractions miss.
    """
    if fail_on_error is False:
        return None
    if fail_on_error is None or fail_on_error is True:
        return 0
    exact = Decimal(str(fail_on_error))
    bound = exact * total if exact < 1 else exact
    if rule == "more-than":
        return int(bound.to_integral_value(ROUND_FLOOR))
    return max(0, int(bound.to_integral_value(ROUND_CEILING)) - 1)
