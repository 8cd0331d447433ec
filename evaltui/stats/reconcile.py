"""Two sources that should say the same of the same samples: where their numbers part.

In this order, and no mean is compared before: the counts (does each have every sample once?), the
verdicts (do they agree sample by sample?), the roll-ups (which rule makes each source's number?).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evaltui.stats.rollups import RollUp, Rule, Verdicts, roll_up
from evaltui.stats.scores import Key

Stage = Literal["counts", "verdicts", "roll-ups", "none"]

_EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Row:
    """One scored sample of a source. variant: what tells rows of one id and epoch apart, if any."""

    key: Key
    verdicts: Verdicts
    variant: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """One side: its rows, and the numbers it prints itself (`accuracy of exact` -> 0.8)."""

    name: str
    rows: tuple[Row, ...]
    printed: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Counts:
    """rows and distinct samples of each source; keys that only one has, or has several times."""

    rows: tuple[int, int]
    samples: tuple[int, int]
    only_first: tuple[Key, ...]
    only_second: tuple[Key, ...]
    repeated_first: tuple[Key, ...]
    repeated_second: tuple[Key, ...]

    @property
    def agree(self) -> bool:
        return not (
            self.only_first or self.only_second or self.repeated_first or self.repeated_second
        )


@dataclass(frozen=True, slots=True)
class Disagreement:
    key: Key
    scorer: str
    first: float
    second: float


@dataclass(frozen=True, slots=True)
class Explained:
    """A number that a source prints, and the roll-ups of its own rows that make it (often one)."""

    source: str
    printed: str
    value: float
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """parts_at: the first stage at which the sources differ; `none` when they agree throughout.

    compared: verdicts both gave on samples that each has once; unmatched: scorers of one side only.
    rollups: (rule on the first, rule on the second), over those samples.
    """

    counts: Counts
    compared: int
    disagreements: tuple[Disagreement, ...]
    unmatched: tuple[str, ...]
    rollups: tuple[tuple[RollUp, RollUp], ...]
    explained: tuple[Explained, ...]
    parts_at: Stage


def reconcile(first: Source, second: Source, rules: Sequence[Rule]) -> Reconciliation:
    """Bring two sources together. Scorers are matched by name."""
    counts = _count(first, second)
    once = [
        key
        for key in _once(first)
        if key not in counts.only_first and key not in counts.repeated_second
    ]
    ours, theirs = _once(first), _once(second)
    disagreements = []
    compared = 0
    for key in once:
        for scorer in sorted(ours[key].keys() & theirs[key].keys()):
            compared += 1
            pair = ours[key][scorer], theirs[key][scorer]
            if abs(pair[0] - pair[1]) > _EQUAL:
                disagreements.append(Disagreement(key, scorer, *pair))
    rollups = tuple(
        (
            roll_up({key: ours[key] for key in once}, rule),
            roll_up({key: theirs[key] for key in once}, rule),
        )
        for rule in rules
    )
    explained = (*explain(first, rules), *explain(second, rules))
    return Reconciliation(
        counts=counts,
        compared=compared,
        disagreements=tuple(disagreements),
        unmatched=tuple(sorted(_scorers(first) ^ _scorers(second))),
        rollups=rollups,
        explained=explained,
        parts_at=_parts_at(counts, disagreements, explained),
    )


def explain(source: Source, rules: Sequence[Rule]) -> list[Explained]:
    """For each number a source prints, the roll-ups over all its rows that give it."""
    verdicts = {index: row.verdicts for index, row in enumerate(source.rows)}
    made: dict[str, float] = {}
    for rule in rules:
        plain = roll_up(verdicts, rule)
        failing = roll_up(verdicts, rule, missing_fail=True)
        for rolled in (plain, failing) if plain.missing else (plain,):
            if rolled.value is not None:
                made[rolled.name] = rolled.value
    return [
        Explained(
            source.name,
            printed,
            value,
            _fitting(printed, [n for n, rolled in made.items() if abs(rolled - value) <= _EQUAL]),
        )
        for printed, value in source.printed.items()
    ]


def _fitting(printed: str, names: Sequence[str]) -> tuple[str, ...]:
    """The rule that the printed number is named after, where that makes it; else all that do."""
    named = [name for name in names if printed.endswith(f" {name}")]
    return tuple(named or names)


def _count(first: Source, second: Source) -> Counts:
    ours = Counter(row.key for row in first.rows)
    theirs = Counter(row.key for row in second.rows)
    return Counts(
        rows=(len(first.rows), len(second.rows)),
        samples=(len(ours), len(theirs)),
        only_first=tuple(key for key in ours if key not in theirs),
        only_second=tuple(key for key in theirs if key not in ours),
        repeated_first=_repeated(ours),
        repeated_second=_repeated(theirs),
    )


def _repeated(counts: Mapping[Key, int]) -> tuple[Key, ...]:
    return tuple(key for key, count in counts.items() if count > 1)


def _once(source: Source) -> dict[Key, Verdicts]:
    counts = Counter(row.key for row in source.rows)
    return {row.key: row.verdicts for row in source.rows if counts[row.key] == 1}


def _scorers(source: Source) -> set[str]:
    return {scorer for row in source.rows for scorer in row.verdicts}


def _parts_at(
    counts: Counts, disagreements: Iterable[Disagreement], explained: Sequence[Explained]
) -> Stage:
    if not counts.agree:
        return "counts"
    if any(disagreements):
        return "verdicts"
    sides: dict[str, set[float]] = {}
    for each in explained:
        sides.setdefault(each.source, set()).add(round(each.value, 9))
    return "roll-ups" if len({frozenset(values) for values in sides.values()}) > 1 else "none"
