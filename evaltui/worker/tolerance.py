"""What an error threshold means to Inspect, whose rule differs from its documentation. Pure."""

from __future__ import annotations

import math

from evaltui.reuse.tolerance import ErrorRule, tolerated_errors


def for_inspect(
    value: bool | float | None, rule: ErrorRule, total: int, growing: bool
) -> bool | float:
    """The `fail_on_error` with which Inspect fails at the same error.

    total: samples x epochs. A share of a total that is growing stays a share, judged at the end:
    Inspect's `>=` is made a `>` by the next float.
    """
    if growing and value is not None and not isinstance(value, bool) and 0 < value < 1:
        return math.nextafter(value, 1.0) if rule == "more-than" else value
    most = tolerated_errors(value, rule, total)
    if most is None:
        return False
    return True if most == 0 else most + 1
