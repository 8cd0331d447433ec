"""Roll-ups of a cell's own score columns, and the short form in which people ask for them. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from evaltui.stats.rollups import AllPassed, Rule, WeightedMean
from evaltui.stats.scores import Key, ScoreColumn, known_bounds

_WEIGHT = re.compile(r"(?P<scorer>.+?)(?:=(?P<weight>\d+(?:\.\d+)?))?")


class RuleError(Exception):
    """A roll-up that can't be understood; one sentence."""


EVERY_SCORER = AllPassed(())
"""`all`: all passed, over whatever scorers a cell has."""


def parse_rule(text: str) -> Rule:
    """`all`, `all(exact,cites)`, `exact=2,cites=1` or `exact=2,cites=1>=0.7`. Raises RuleError."""
    if text == "all":
        return EVERY_SCORER
    inside = re.fullmatch(r"all\((.+)\)", text)
    if inside:
        return AllPassed(tuple(part.strip() for part in inside[1].split(",")))
    weights, _, limit = text.partition(">=")
    try:
        threshold = float(limit) if limit else None
    except ValueError:
        raise RuleError(f"--rollup {text}: '{limit}' is no number.") from None
    parts = [_WEIGHT.fullmatch(part.strip()) for part in weights.split(",")]
    if not all(parts) or len(parts) < 2:
        raise RuleError(
            f"--rollup {text} is none of: all, all(A,B), A=2,B=1 or A=2,B=1>=0.7 "
            "with names of scorers."
        )
    pairs = [(m["scorer"], float(m["weight"] or 1)) for m in parts if m]
    if sum(weight for _, weight in pairs) == 0:
        raise RuleError(f"--rollup {text}: the weights add up to nothing.")
    return WeightedMean(tuple(pairs), threshold)


def rolled_column(columns: Sequence[ScoreColumn], rule: Rule) -> ScoreColumn | None:
    """The column that `rule` makes of a cell's columns, named by it.

    A sample that lacks a score that counts has none here. None when a scorer is not the cell's, or
    it has one scorer alone.
    """
    usable = [c for c in columns if c.scorer and c.reducer == columns[0].reducer]
    if len(usable) < 2:
        return None
    if rule == EVERY_SCORER:
        rule = AllPassed(tuple(column.scorer for column in usable))
    verdicts: dict[Key, dict[str, float]] = {}
    for column in usable:
        for sample in column.scored:
            if sample.value is not None:
                verdicts.setdefault(sample.key, {})[column.scorer] = sample.value
    if rule.apply({column.scorer: 0.0 for column in usable}) is None:
        return None
    samples = tuple(
        replace(s, value=rule.apply(verdicts.get(s.key, {})), raw=None) for s in usable[0].samples
    )
    bounds = known_bounds([s.value for s in samples if s.value is not None])
    return replace(usable[0], scorer=rule.name, samples=samples, bounds=bounds)
