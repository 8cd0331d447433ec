"""A plan in words: actions, verdicts and reasons, notes, and why a sample has its verdict. Pure.

One vocabulary for the screen and for plain output; JSON keeps the names that plans are made of.
Knows no colours and no signs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from evaltui.text import count

if TYPE_CHECKING:
    from evaltui.logs.attempt import Verdict
    from evaltui.plan import CellPlan

WORDS: Final[Mapping[str, str]] = {
    "reuse": "keep",
    "tolerated": "tolerated",
    "errored": "errored",
    "cancelled": "cancelled",
    "invalidated": "invalidated",
    "content_changed": "changed",
    "limit_raised": "limit raised",
    "new_epoch": "new epoch",
    "new": "new",
}
"""Verdict or reason to run -> its word, in the order shown."""

ACTIONS: Final[Mapping[str, str]] = {
    "run": "run",
    "merge": "join logs",
    "none": "complete",
    "running": "runs now",
    "rescore": "score again",
    "held": "held",
    "blocked": "blocked",
}
"""What a resume does with a cell -> its word."""


def word_of(kind: str) -> str:
    """The word of a verdict or of a reason to run."""
    return WORDS.get(kind, kind.replace("_", " "))


def kind_of(verdict: Verdict) -> str:
    """The verdict, or the reason where it runs."""
    return verdict.verdict if verdict.verdict != "run" else verdict.reason or "new"


_NOTES: Final[Mapping[str, tuple[str, str]]] = {
    "unchecked": ("unchecked: the task is not loaded yet, its logs stand in for it",) * 2,
    "code_changed": (
        "1 kept sample was made by an older version of the task file",
        "{n} kept samples were made by an older version of the task file",
    ),
    "media_unchecked": (
        "media of 1 kept sample could not be compared",
        "media of {n} kept samples could not be compared",
    ),
    "content_unchecked": (
        "1 sample is kept by its id alone: contents were not compared",
        "{n} samples are kept by their id alone: contents were not compared",
    ),
    "scorer_changed": (
        "1 kept sample is scored again by today's scorer",
        "{n} kept samples are scored again by today's scorer",
    ),
    "limit_lowered": (
        "1 kept sample stopped at a sample limit that is lower now",
        "{n} kept samples stopped at a sample limit that is lower now",
    ),
    "tolerated_run": (
        "1 errored sample within the threshold runs too, since the cell runs",
        "{n} errored samples within the threshold run too, since the cell runs",
    ),
    "drawn_again": ("the slice draws the same items again from an order that is not stable",) * 2,
    "samples_not_logged": (
        "samples are not logged (log_samples = false), so none can be kept",
    ) * 2,
}  # fmt: skip
"""Note of a plan -> its sentence for one sample, and for several."""


def notes(plan: CellPlan) -> tuple[str, ...]:
    """What else is to be known of a plan, a sentence each."""
    told = [_note(note) for note in plan.notes]
    if plan.remapped:
        are = "sample is" if plan.remapped == 1 else "samples are"
        told.append(f"{count(plan.remapped)} kept {are} elsewhere now, found by content")
    if plan.grader_calls:
        calls = "call" if plan.grader_calls == 1 else "calls"
        told.append(f"scoring again makes {count(plan.grader_calls)} {calls} to a grader")
    why = {"blocked": plan.blocked, "held": plan.held}.get(plan.action)
    return (why, *told) if why else tuple(told)


def _note(note: str) -> str:
    name, _, number = note.partition(":")
    if name not in _NOTES:
        return note
    one, several = _NOTES[name]
    if number == "1":
        return one
    return several.format(n=count(int(number)) if number.isdecimal() else number)


# --- why -----------------------------------------------------------------------------------------


_WHY: Final[Mapping[str, tuple[str, str]]] = {
    "reuse": ("same question, answered", "its sample is kept"),
    "tolerated": ("errored, within the threshold", "it does not run by itself"),
    "new": ("in no log yet", "it runs"),
    "new_epoch": ("answered in other epochs only", "it runs in this one"),
    "errored": ("errored", "it runs again, and its retries are remembered"),
    "cancelled": ("cancelled without an answer", "it runs again"),
    "invalidated": ("marked as invalid", "it runs again"),
    "content_changed": ("another question was answered", "it runs with today's"),
    "limit_raised": ("stopped at a limit raised since", "it runs again"),
}
_NOTED: Final[Mapping[str, tuple[str, str]]] = {
    "media_unchecked": ("same text, answered", "kept, though its media could not be compared"),
    "not_logged": ("in a complete log without samples", "it is taken as done"),
}
"""Kind, or note of a verdict -> why it has it, and what follows."""


def short_why(verdict: Verdict) -> str:
    """Why a sample has its verdict, in a few words."""
    return _why(verdict)[0]


def why(verdict: Verdict) -> str:
    """Why a sample has its verdict and what follows, in a sentence."""
    reason, then = _why(verdict)
    return f"{reason[0].upper()}{reason[1:]}: {then}."


def noted(verdict: Verdict) -> str:
    """What is to be known of a sample's verdict beside its kind; mostly nothing."""
    return ": ".join(_NOTED.get(verdict.note or "", ()))


def _why(verdict: Verdict) -> tuple[str, str]:
    if verdict.note is not None and verdict.note in _NOTED:
        return _NOTED[verdict.note]
    kind = kind_of(verdict)
    return _WHY.get(kind, (kind.replace("_", " "), "it runs"))
