"""How an engine's run ended, and the exit code that says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import msgspec

from evaltui.cells import Problem
from evaltui.engine.state import CellState, SetState

End = Literal["complete", "incomplete", "cancelled", "handed_over"]

COMPLETE = 0
ERROR = 1
USAGE = 2
INCOMPLETE = 3
HELD_BY_ANOTHER = 4
INTERRUPTED = 130
TERMINATED = 143


class Outcome(msgspec.Struct, frozen=True):
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


MOST_NAMED = 3
"""So many cells are named with their reason; of more only the counts are said."""


def _what_is_left(state: SetState, problems: Sequence[Problem]) -> str:
    left = [cell for cell in state.cells.values() if cell.status != "complete"]
    said = [problem.message for problem in problems]
    if left:
        kinds = Counter(cell.status for cell in left)
        counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        said.insert(0, f"Left to do: {len(left)} of {len(state.cells)} cells ({counts}).")
    if len(left) <= MOST_NAMED:
        said[1:1] = [_named(cell) for cell in left if cell.message]
    return " ".join(said)


def _named(cell: CellState) -> str:
    ending = "" if cell.message.endswith((".", "!", "?")) else "."
    return f"{cell.cell.task} on {cell.cell.model}: {cell.message}{ending}"
