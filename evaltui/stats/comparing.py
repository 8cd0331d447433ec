"""Two sides compared: which cells belong together, pair by pair, and where sources part. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evaltui.stats import promptfoo
from evaltui.stats.pairs import Comparison, adjust, compare
from evaltui.stats.promptfoo import Expansion, Run, Totals
from evaltui.stats.reconcile import Reconciliation, reconcile
from evaltui.stats.rollups import Rule, Single, WeightedMean, usual_rules
from evaltui.stats.sides import Side, SideCell


@dataclass(frozen=True, slots=True)
class PromptfooRun:
    """A run's own figures: as the file states them, as its rows make them, and its expansions."""

    name: str
    rows: int
    stated: Totals | None
    made: Totals
    expansion: Expansion | None


@dataclass(frozen=True, slots=True)
class CellPair:
    """Two cells that were put together, with a comparison for each scorer both have.

    only_a, only_b: scorers of one of them. reconciliation: where one of them is promptfoo's.
    """

    a: str
    b: str
    comparisons: tuple[Comparison, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    reconciliation: Reconciliation | None
    runs: tuple[PromptfooRun, ...]


@dataclass(frozen=True, slots=True)
class Compared:
    """All pairs, p-values corrected over all of them; cells left without a partner, by name."""

    a: str
    b: str
    pairs: tuple[CellPair, ...]
    unmatched_a: tuple[str, ...]
    unmatched_b: tuple[str, ...]


def compare_sides(a: Side, b: Side) -> Compared:
    """Compare what the sides have in common."""
    matched = matched_cells(a.cells, b.cells)
    comparisons = [[_compared(x, y, s) for s in x.columns if s in y.columns] for x, y in matched]
    adjusted = iter(adjust([c for each in comparisons for c in each]))
    pairs = tuple(
        _pair(x, y, tuple(next(adjusted) for _ in each))
        for (x, y), each in zip(matched, comparisons, strict=True)
    )
    left, right = {id(x) for x, _ in matched}, {id(y) for _, y in matched}
    return Compared(
        a=a.name,
        b=b.name,
        pairs=pairs,
        unmatched_a=tuple(cell.name for cell in a.cells if id(cell) not in left),
        unmatched_b=tuple(cell.name for cell in b.cells if id(cell) not in right),
    )


def matched_cells(a: Sequence[SideCell], b: Sequence[SideCell]) -> list[tuple[SideCell, SideCell]]:
    """Cells that belong together: the same task and model; else the same task, or one model whose
    name holds the other's, where that leaves no choice; else the only two there are.
    """
    rules: tuple[Callable[[SideCell, SideCell], bool], ...] = (
        lambda x, y: bool(x.task) and (x.identity, x.model) == (y.identity, y.model),
        lambda x, y: bool(x.task) and x.identity == y.identity,
        lambda x, y: bool(x.task) and x.task == y.task,
        lambda x, y: not (x.task and y.task) and x.model == y.model,
        lambda x, y: not (x.task and y.task) and (x.model in y.model or y.model in x.model),
    )
    for belongs in rules:
        found = [(x, y) for x in a for y in b if belongs(x, y)]
        lefts, rights = (Counter(id(pair[side]) for pair in found) for side in (0, 1))
        alone = [(x, y) for x, y in found if lefts[id(x)] == rights[id(y)] == 1]
        if alone:
            return alone
    return [(a[0], b[0])] if len(a) == len(b) == 1 else []


def _compared(a: SideCell, b: SideCell, scorer: str) -> Comparison:
    return compare(a.columns[scorer], b.columns[scorer], a.name, b.name)


def _pair(a: SideCell, b: SideCell, comparisons: tuple[Comparison, ...]) -> CellPair:
    runs = [cell.run for cell in (a, b) if cell.run is not None]
    return CellPair(
        a=a.name,
        b=b.name,
        comparisons=comparisons,
        only_a=tuple(scorer for scorer in a.columns if scorer not in b.columns),
        only_b=tuple(scorer for scorer in b.columns if scorer not in a.columns),
        reconciliation=reconcile(a.source, b.source, rules_for(a, b)) if runs else None,
        runs=tuple(_figures(run) for run in runs),
    )


def _figures(run: Run) -> PromptfooRun:
    return PromptfooRun(
        run.name, len(run.cases), run.stated, promptfoo.totals(run), promptfoo.expansion(run)
    )


def rules_for(a: SideCell, b: SideCell) -> list[Rule]:
    """The roll-ups that may explain numbers of these two: the usual ones over the scorers both
    have, and those that promptfoo's weights and thresholds make.
    """
    common = [scorer for scorer in a.columns if scorer in b.columns]
    rules = usual_rules(common)
    rules += [Single(s) for s in (*a.columns, *b.columns) if s not in common]
    order = [*common, *a.columns, *b.columns]
    for cell in (a, b):
        if cell.run is not None:
            own = [_ordered(rule, order) for rule in rules_of(cell.run)]
            rules += [rule for rule in own if rule not in rules]
    return rules


def rules_of(run: Run) -> list[Rule]:
    """The weighted means that make a run's row scores, with and without their thresholds."""
    rules: list[Rule] = []
    for weights, threshold in dict.fromkeys(
        (tuple(c.weights.items()), c.threshold) for c in run.cases
    ):
        if len(weights) > 1:
            rules.append(WeightedMean(weights))
            if threshold is not None:
                rules.append(WeightedMean(weights, threshold))
    return list(dict.fromkeys(rules))


def _ordered(rule: Rule, order: Sequence[str]) -> Rule:
    """A weighted mean with its scorers in the order of others, so that equal ones are equal."""
    if not isinstance(rule, WeightedMean):
        return rule
    weights = sorted(rule.weights, key=lambda pair: order.index(pair[0]))
    return WeightedMean(tuple(weights), rule.threshold)
