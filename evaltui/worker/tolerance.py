"""What a threshold means to Inspect, whose rule differs from its documentation. Pure.

The same numbers as in `evaltui.engine.thresholds`, which shows them; a worker may not import it.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Literal

Rule = Literal["more-than", "at-least"]


def tolerated(value: bool | float | None, rule: Rule, total: int) -> int | None:
    """Errors with which `total` samples x epochs still succeed; None for any number."""
    if value is None or isinstance(value, bool):
        return None if value is False else 0
    exact = Decimal(str(value))
    bound = exact * total if exact < 1 else exact
    if rule == "more-than":
        return int(bound.to_integral_value(ROUND_FLOOR))
    return max(0, int(bound.to_integral_value(ROUND_CEILING)) - 1)


def for_inspect(value: bool | float | None, rule: Rule, total: int, growing: bool) -> bool | float:
    """The `fail_on_error` with which Inspect fails at the same error.

    A share of a total that grows stays a share, judged at the end: Inspect's `>=` is made a `>` by
    the next float.
    """
    if growing and value is not None and not isinstance(value, bool) and 0 < value < 1:
        return math.nextafter(value, 1.0) if rule == "more-than" else value
    most = tolerated(value, rule, total)
    if most is None:
        return False
    return True if most == 0 else most + 1
