"""What the signs of the screen mean, in words, for the help. Pure."""

from __future__ import annotations

import msgspec

from evaltui.text import Glyphs

_MEANINGS: tuple[tuple[str, str, str, str], ...] = (
    ("bar_kept", "kept", "kept", "In a bar: samples kept from earlier logs."),
    ("bar_done", "done", "done", "In a bar: samples finished now, without error."),
    ("bar_rest", "muted", "left", "In a bar: samples that are left, or ended in an error."),
    ("complete", "ok", "complete", "A cell that is complete; a sample that finished."),
    ("failed", "fail", "failed", "A cell that failed, is stuck or blocked; an errored sample."),
    ("running", "run", "running", "A cell or a sample that runs."),
    ("queued", "queued", "queued", "A cell that waits for its turn, or was not started yet."),
    ("rerun", "wait", "runs again", "A failed cell that runs again when its time has come; a sample"
     " that is run again: it errored, or its limit was raised."),
    ("cancelled", "muted", "cancelled", "Cancelled, or given up: it does not run by itself."),
    ("held", "held", "held", "A cell that is held: h releases it."),
    ("kept", "kept", "kept", "A sample kept from an earlier log; what all rows share."),
    ("changed", "changed", "changed", "A sample that is run again: its question has changed."),
    ("new", "new", "new", "A sample to be run; a task that is in the set."),
)  # fmt: skip


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
    found.append(Sign(gauge, "text", "errors", "Two errors so far; the cell fails at the 11th."))
    found.append(
        Sign(glyphs.sparks, "spark", "pace", "Samples finished in each of the last minutes.")
    )
    return tuple(found)
