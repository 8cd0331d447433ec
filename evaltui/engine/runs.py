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
