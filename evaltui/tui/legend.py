"""What the signs of the screen mean, in words, for the help. Pure."""

from __future__ import annotations

import msgspec

from evaltui.text import Glyphs

_MEANINGS: tuple[tuple[str, str, str, str], ...] = (
    ("bar_kept", "kept", "kept", "Bar: kept from earlier logs."),
    ("bar_done", "done", "done", "Bar: finished now, without error."),
    ("bar_rest", "muted", "left", "Bar: left to do, or errored."),
    ("complete", "ok", "complete", "Complete; of a sample: finished."),
    ("failed", "fail", "failed", "Failed, stuck, blocked, or errored."),
    ("running", "run", "running", "Runs now."),
    ("queued", "queued", "queued", "Waits for its turn, or for a start."),
    ("rerun", "wait", "runs again", "Failed and runs again when due."),
    ("cancelled", "muted", "cancelled", "Cancelled or given up."),
    ("held", "held", "held", "Held: h releases it."),
    ("kept", "kept", "kept", "Kept; or shared by all rows."),
    ("changed", "changed", "changed", "Runs again: its question changed."),
    ("new", "new", "new", "To be run; of a task: in the set."),
)


class Sign(msgspec.Struct, frozen=True):
    """A sign as it is drawn, the token of its colour, its name, and what it means."""

    shown: str
    token: str
    name: str
    meaning: str


def signs(glyphs: Glyphs) -> tuple[Sign, ...]:
    """Every sign that stands for something by itself, in this set of glyphs."""
    found = [
        Sign(getattr(glyphs, attribute), token, name, meaning)
        for attribute, token, name, meaning in _MEANINGS
    ]
    gauge = f"2{glyphs.arrow}11"
    found.append(Sign(gauge, "text", "errors", "Two errors; fails at the 11th."))
    found.append(Sign(glyphs.sparks, "spark", "pace", "Samples a minute, the last ones."))
    return tuple(found)
