"""Stopping a worker in steps: drain, SIGINT, SIGTERM, SIGKILL.

A drain lets running samples finish; SIGINT flushes the finished ones and loses those that run. The
later steps are for workers that do not heed the one before. When a step is due is said purely; only
`ask` touches a process.
"""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Literal

from evaltui.logs.layout import AttemptPaths

Step = Literal["drain", "interrupt", "terminate", "kill"]

Stop = Literal["drain", "cancel", "terminate", "hand_over"]
"""How an engine stops. drain: running samples finish; asked again, it is a cancel. cancel: running
samples are lost, finished ones kept; asked again, workers that do not heed it are pressed further.
terminate: cancel, after a SIGTERM. hand_over: let go, workers run on."""

STEPS: tuple[Step, ...] = ("drain", "interrupt", "terminate", "kill")

PATIENCE: dict[Step, float] = {"interrupt": 20.0, "terminate": 10.0}
"""Seconds a worker has to heed a step before the next one; a drain has as long as it needs."""


def further(step: Step | None) -> Step:
    """The step after `step`, the last one again when there is none."""
    if step is None:
        return STEPS[0]
    return STEPS[min(STEPS.index(step) + 1, len(STEPS) - 1)]


def overdue(step: Step, since: float, now: float) -> bool:
    """Whether a worker has had its time to heed `step`."""
    patience = PATIENCE.get(step)
    return patience is not None and now - since >= patience


def ask(step: Step, paths: AttemptPaths, pid: int | None) -> None:
    """Ask the worker of an attempt to stop this way. Raises OSError where the drain can't be asked.

    pid: None where it is not known, or belongs to another host: only a drain reaches such a worker.
    """
    if step == "drain":
        paths.drain.touch()
        return
    if pid is None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        match step:
            case "interrupt":
                os.kill(pid, signal.SIGINT)
            case "terminate":
                os.kill(pid, signal.SIGTERM)
            case "kill":
                os.killpg(pid, signal.SIGKILL)  # it leads a group: what it started goes with it
