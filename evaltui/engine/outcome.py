"""How an engine's run ended, and the exit code that says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evaltui.cells import Problem
from evaltui.engine.state import SetState

End = Literal["complete", "incomplete", "cancelled", "handed_over"]

COMPLETE = 0
ERROR = 1
USAGE = 2
INCOMPLETE = 3
HELD_BY_ANOTHER = 4
INTERRUPTED = 130
TERMINATED = 143


@dataclass(frozen=True, slots=True)
class Outcome:
    """end: how the set stood. message: why it did not complete, in a sentence; empty otherwise.

    terminated: it was a SIGTERM that cancelled it.
    """

    end: End
    message: str = ""
    terminated: bool = False

    @property
    def exit_code(self) -> int:
        """0 only when every cell is complete; an interrupt never looks like success."""
        if self.end == "cancelled":
            return TERMINATED if self.terminated else INTERRUPTED
        return COMPLETE if self.end in ("complete", "handed_over") else INCOMPLETE


def outcome(
    end: End, state: SetState, problems: Sequence[Problem], *, terminated: bool = False
) -> Outcome:
    """The outcome of a set that stands as `state`, with what is left and why."""
    if end in ("complete", "handed_over"):
        return Outcome(end)
    return Outcome(end, _what_is_left(state, problems), terminated)


def _what_is_left(state: SetState, problems: Sequence[Problem]) -> str:
    cells = list(state.cells.values())
    left = [cell for cell in cells if cell.status != "complete"]
    kinds = Counter(cell.status for cell in left)
    parts = [f"{count} {kind}" for kind, count in kinds.items()]
    said = f"{len(left)} of {len(cells)} cells are not complete: {', '.join(parts)}."
    return " ".join([*([said] if left else []), *(problem.message for problem in problems)])
