"""Whether the sample limit that stopped a sample has been raised or lowered since. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

Change = Literal["raised", "lowered", "same"]

_OPTION = {
    "message": "message_limit",
    "token": "token_limit",
    "turn": "turn_limit",
    "time": "time_limit",
    "working": "working_limit",
    "cost": "cost_limit",
}
"""Kinds that no option sets (`context`, `operator`, `custom`) can't be raised."""

_UNITS = {"": 1, "k": 1_000, "m": 1_000_000, "b": 1_000_000_000}


def limit_change(kind: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> Change:
    """What became of the limit of `kind` from `then` to `now`, both by option name.

    A limit that is not known of then is taken to be the same; none now is one raised.
    """
    option = _OPTION.get(kind)
    before = then.get(option) if option else None
    if option is None or before is None:
        return "same"
    after = now.get(option)
    if after is None:
        return "raised"
    if option == "token_limit":
        return _token_change(before, after)
    return _change(float(before), float(after))


def _change(before: float, after: float) -> Change:
    return "raised" if after > before else "lowered" if after < before else "same"


def _token_change(before: Any, after: Any) -> Change:
    """Output alone is less than all tokens; other ways of counting can't be told apart: run it."""
    (metered, count), (metered_now, count_now) = _tokens(before), _tokens(after)
    if metered == metered_now:
        return _change(count, count_now)
    if (metered, metered_now) == ("output", "all") and count_now <= count:
        return "lowered"
    return "raised"


def _tokens(limit: Any) -> tuple[str, float]:
    """What is metered and how many: `500`, `output:1m`, `{"tokens": 500, "type": "output"}`."""
    if isinstance(limit, Mapping):
        return str(limit.get("type") or "all"), float(limit.get("tokens") or 0)
    if isinstance(limit, str):
        metered, _, count = limit.rpartition(":")
        found = re.fullmatch(r"\s*([\d.]+)\s*([kmb]?)\s*", count.lower())
        number = float(found[1]) * _UNITS[found[2]] if found else 0.0
        keyword = metered.strip().lower()
        return (keyword if keyword == "output" else metered.strip()) or "all", number
    return "all", float(limit)
