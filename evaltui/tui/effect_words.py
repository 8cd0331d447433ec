"""The effect of a change in lines: figures before and after, what they cost, what is in the way.

Pure. Dialogs show these lines; nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaltui.text import Glyphs, count, duration, short_count
from evaltui.tui.foresight import Effect
from evaltui.tui.look import Run
from evaltui.tui.runs import Cell

INDENT = 10
"""Cells before the figures."""

_MOST_MODELS = 2


def effect_lines(effect: Effect, glyphs: Glyphs) -> tuple[Cell, ...]:
    """The effect in four to eight lines."""
    before, after = effect.before, effect.after
    width = max(len(count(n)) for n in (before.samples, after.samples, before.run, after.run))
    lines = [
        _line("cells", before.cells, after.cells, width, _cells_said(effect), glyphs),
        _line("samples", before.samples, after.samples, width, (), glyphs),
        _line("kept", before.kept, after.kept, width, _kept_said(effect), glyphs),
        _line("to run", before.run, after.run, width, (), glyphs),
        (_label("costs"), *_cost(effect)),
    ]
    if effect.going_by and effect.tokens > 0:
        lines.append((_label(""), (f"going by {_models(effect.going_by)}", "muted")))
    lines += [_warning(said) for said in _warnings(effect)]
    return tuple(lines)


def unchecked_line(effect: Effect) -> Cell:
    """What the figures rest on, where that is not all that can be known."""
    number = effect.after.unchecked
    said = "unchecked: their tasks are not loaded yet, so contents are not compared"
    return ((f"{_cells(number)} {said}", "muted"),) if number else ()


def leaving_lines(running: int) -> tuple[Cell, ...]:
    """What becomes of cells that leave the set and run. running: how many."""
    if not running:
        return ()
    cells = "1 of them runs" if running == 1 else f"{count(running)} of them run"
    return (_warning(f"{cells}: samples under way finish, no more start"),)


def _line(
    label: str, old: int, new: int, width: int, said: Cell, glyphs: Glyphs
) -> tuple[Run, ...]:
    figures: tuple[Run, ...]
    if old == new:
        figures = ((f"{count(new):>{width}}", "text"),)
        figures = (*figures, (" " * (width + 4 if said else 0), "text"))
    else:
        figures = (
            (f"{count(old):>{width}}", "muted"),
            (f" {glyphs.arrow:<2} " if len(glyphs.arrow) > 1 else f" {glyphs.arrow}  ", "muted"),
            (f"{count(new):>{width}}", "strong"),
        )
    return (_label(label), *figures, *((("   ", "text"), *said) if said else ()))


def _label(label: str) -> Run:
    return f"{label:<{INDENT}}", "muted"


def _cells_said(effect: Effect) -> Cell:
    said: list[str] = []
    if effect.added:
        said.append(f"{count(effect.added)} new")
    if effect.gone:
        said.append(f"{count(effect.gone)} leave the set; their logs stay")
    return (("; ".join(said), "muted"),) if said else ()


def _kept_said(effect: Effect) -> Cell:
    lost = effect.before.kept - effect.after.kept
    if lost <= 0:
        return ()
    return (
        (f"{count(lost)} not asked for then, and stay in their logs", "muted"),
    )  # fmt: skip


def _cost(effect: Effect) -> Cell:
    more = effect.more_to_run
    if more < 0 and _unsized(effect):
        return (("not known until the task is loaded", "text"),)
    if more < 0:
        return (("nothing; ", "text"), (f"{count(-more)} fewer samples to run", "muted"))
    if not more and not effect.after.unknown:
        return (("nothing", "text"),)
    fresh = effect.after.unpriced - effect.before.unpriced
    if fresh >= more:
        return (("not known: no log of these tasks tells", "text"),)
    tokens = max(0, effect.tokens)
    told: list[Run] = [
        (f"about {short_count(tokens)} tokens" if tokens else "no tokens counted", "strong"),
        (f", {duration(effect.seconds)} of sample time", "text"),
    ]
    return tuple(told)


def _models(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_MOST_MODELS])
    more = len(names) - _MOST_MODELS
    return f"{shown} and {more} more" if more > 0 else shown


def _warnings(effect: Effect) -> list[str]:
    said = list(effect.problems)
    fresh = _unsized(effect)
    if fresh > 0:
        said.append(f"the size of {_cells(fresh)} is not known until the task is loaded")
    unpriced = effect.after.unpriced - effect.before.unpriced
    if 0 < unpriced < effect.more_to_run:
        said.append(f"{count(unpriced)} samples of it are not in the cost: no log tells theirs")
    return said


def _unsized(effect: Effect) -> int:
    """How many more cells there are then whose size is not known."""
    return max(0, effect.after.unknown - effect.before.unknown)


def _cells(number: int) -> str:
    return f"{count(number)} cell{'' if number == 1 else 's'}"


def _warning(said: str) -> Cell:
    return (("! ", "warn"), (said, "text"))


def change_title(effect: Effect) -> str:
    """The effect in few words, for a question: `3 new cells, 1,200 samples to run`."""
    parts = []
    if effect.added:
        parts.append(f"{count(effect.added)} new cell{'' if effect.added == 1 else 's'}")
    if effect.gone:
        parts.append(f"{_cells(effect.gone)} out of the set")
    if effect.more_to_run > 0:
        parts.append(f"{count(effect.more_to_run)} more samples to run")
    elif effect.more_to_run < 0 and not _unsized(effect):
        parts.append(f"{count(-effect.more_to_run)} fewer samples to run")
    if _unsized(effect):
        parts.append("of a size that is not known yet")
    return ", ".join(parts) or "nothing to run for it"
