"""Comparisons and reconciliations in lines of plain text. Pure."""

from __future__ import annotations

from evaltui.stats.comparing import PromptfooRun
from evaltui.stats.pairs import Comparison
from evaltui.stats.promptfoo import same_totals
from evaltui.stats.reconcile import Explained, Reconciliation
from evaltui.stats.wording import p_value
from evaltui.text import score


def comparison_lines(found: Comparison) -> list[str]:
    """A comparison in two or three lines: the numbers, how surely, what was left out."""
    if found.difference is None:
        return [f"{found.scorer}: no sample has this score in both", *_left_out(found)]
    told = (
        f"{found.scorer}: {score(found.mean_a)} against {score(found.mean_b)}, difference "
        f"{_signed(found.difference)}{_interval(found.low, found.high)} over "
        f"{_number(found.pairs, 'pair')}"
    )
    return [told, _how_sure(found), *_left_out(found)]


def _how_sure(found: Comparison) -> str:
    test = "exact McNemar" if found.method == "mcnemar" else "sign flips"
    parts = []
    if found.only_a is not None and found.only_b is not None:
        parts.append(f"{found.only_a} only the first got right, {found.only_b} only the second")
    if found.p is not None:
        told = f"p {p_value(found.p)} ({test})"
        if found.adjusted is not None and found.adjusted != found.p:
            told += f", {p_value(found.adjusted).removeprefix('= ')} after Holm"
        parts.append(told)
    if found.detectable is None:
        parts.append("too few to see any difference at 80% power")
    else:
        parts.append(f"sees differences from {score(found.detectable)} at 80% power")
    return "; ".join(parts)


def _left_out(found: Comparison) -> list[str]:
    parts = [f"{len(ids):,} {reason}" for reason, ids in found.left_out.items()]
    return [f"left out: {', '.join(parts)}"] if parts else []


def reconciliation_lines(found: Reconciliation) -> list[str]:
    """Counts, verdicts, then which roll-up makes which printed number."""
    counts = found.counts
    lines = []
    if not counts.agree:
        lines.append(
            f"counts differ: {counts.rows[0]} rows of {counts.samples[0]} samples against "
            f"{counts.rows[1]} rows of {counts.samples[1]}"
        )
    disagreements = _number(len(found.disagreements), "disagreement")
    lines.append(f"{_number(found.compared, 'verdict')} compared, {disagreements}")
    for each in found.disagreements[:10]:
        lines.append(
            f"  {each.key[0]} epoch {each.key[1]} {each.scorer}: {score(each.first)} against "
            f"{score(each.second)}"
        )
    lines += [_explained(each) for each in found.explained]
    return [*lines, _PARTED[found.parts_at]]


_PARTED = {
    "counts": "the sources part at the counts: settle these before comparing any mean",
    "verdicts": "the sources part at the verdicts: the same samples are judged otherwise",
    "roll-ups": "counts and verdicts agree: the printed numbers differ by roll-up alone",
    "none": "counts, verdicts and printed numbers agree",
}


def _explained(each: Explained) -> str:
    rules = " or ".join(each.rules) if each.rules else "no roll-up of its own rows"
    return f"{each.source} prints {each.printed} {score(each.value)}: {rules}"


def run_lines(run: PromptfooRun) -> list[str]:
    """promptfoo's figures made again, and what array variables did to the rows."""
    lines = []
    if run.expansion is not None:
        names = ", ".join(run.expansion.variables)
        lines.append(
            f"{run.name}: array variables ({names}) made {run.expansion.rows} rows of "
            f"{run.expansion.tests} tests"
        )
    if run.stated is not None and not same_totals(run.stated, run.made):
        lines.append(
            f"{run.name}: its rows make {run.made.passed} passed and score {run.made.score:g}, "
            f"the file states {run.stated.passed} and {run.stated.score:g}"
        )
    return lines


def _signed(value: float) -> str:
    return f"+{score(value)}" if value > 0 else score(value)


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" [{score(low)}, {score(high)}]"


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
