"""How an engine's run ended, and the exit code that says so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
