"""Findings about one score in a sentence, for a line on the screen and for plain output. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from evaltui.stats.document import Shift, Trait
from evaltui.stats.retry_shift import RetryShift
from evaltui.text import score

_REROLLED = {
    "retry": "retried after an error",
    "rerun": "run again in a later attempt",
    "any": "tried again after an error",
}


def retry_sentence(found: RetryShift) -> str | None:
    """What the retries have done, in one line; None when no flag is up."""
    if not found.flags:
        return None
    told = _sentence_of_shift(found) if "shift" in found.flags else _sentence_of_share(found)
    trait = trait_phrase(found.traits)
    return f"{told}; {trait}." if trait else f"{told}."


def _sentence_of_shift(found: RetryShift) -> str:
    level = min(found.levels, key=lambda level: level.adjusted)
    return (
        f"{_counted(level.rerolled, found.scored)} {_REROLLED[level.level]}, scoring "
        f"{score(level.mean_rerolled)} against {score(level.mean_clean)} for the rest "
        f"(p {p_value(level.adjusted)}); without retries this would be {score(found.without)}"
    )


def _sentence_of_share(found: RetryShift) -> str:
    told = f"{_counted(found.rerolled, found.scored)} {_REROLLED[_only_level(found)]}"
    if found.without is None:
        return f"{told}; none would stand without retries"
    seen = detectable_phrase(found.overall)
    return f"{told}; without retries this would be {score(found.without)}{seen}"


def _only_level(found: RetryShift) -> str:
    return found.levels[0].level if len(found.levels) == 1 else "any"


def detectable_phrase(shift: Shift | None) -> str:
    """What size of shift could have been seen, as the end of a sentence."""
    if shift is None:
        return ""
    if shift.detectable is None:
        return " (no shift of any size could be seen in so few)"
    return f" (a shift under {score(shift.detectable)} would go unseen)"


def trait_phrase(traits: Sequence[Trait]) -> str:
    """What the re-rolled samples have in common, the surest trait and the error class."""
    named = [t for t in traits if t.kind != "error"][:1]
    errors = [t for t in traits if t.kind == "error"]
    return " and ".join(_trait(trait) for trait in [*errors, *named])


def _trait(trait: Trait) -> str:
    share = f"{trait.rerolled} of {trait.of_rerolled}"
    if trait.kind == "error":
        return f"{share} errors were {trait.value}"
    if trait.kind == "input length":
        return f"{share} lie in the {trait.value} quartile of input length"
    return f"{share} have {trait.name} {trait.value}"


def p_value(p: float) -> str:
    """`= .031`, or `< .001`."""
    return "< .001" if p < 0.001 else f"= {score(p)}"


def _counted(part: int, whole: int) -> str:
    were = "was" if part == 1 else "were"
    return f"{part:,} of {whole:,} scored samples ({part / whole:.0%}) {were}"
