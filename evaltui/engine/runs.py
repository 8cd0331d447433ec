"""Which run of a set an engine belongs to: what one began, the next may have to end. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from evaltui.logs import journal as jn


def unended_since(past: Iterable[jn.Entry]) -> float | None:
    """When the run began that was left unended (its engine crashed or handed over); unix seconds.

    None where the last run was ended, well or not: who starts the set after that starts a new run.
    """
    since: float | None = None
    for entry in past:
        if isinstance(entry, jn.EngineStarted):
            since = entry.t if since is None else since
        elif isinstance(entry, jn.EngineStopped) and entry.state != "handed_over":
            since = None
    return since


def handed_over(past: Iterable[jn.Entry]) -> bool:
    """Whether the last engine let go of its run for another one to go on with."""
    ends = [entry for entry in past if isinstance(entry, jn.EngineStarted | jn.EngineStopped)]
    return bool(ends) and isinstance(ends[-1], jn.EngineStopped) and ends[-1].state == "handed_over"
