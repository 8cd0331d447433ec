"""An engine of its own session, which goes on when the terminal is gone.

Started by a process that leaves the set, or by `run --detach`. What it says goes to `engine.log`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence

from evaltui.engine.lock import holder
from evaltui.logs.layout import Layout

SECONDS_TO_START = 20.0
"""How long it may take to begin; it imports little."""

DETACHED = "EVALTUI_DETACHED"
"""Set in the environment of a detached engine: nobody sees its output, a hang-up is not its end."""

HEIR = "heir"
"""Its value where an engine let go of the set for this one; else a person asked for it."""


class DetachError(Exception):
    """A detached engine that did not begin; one sentence."""


def start_detached(layout: Layout, options: Sequence[str] = (), *, heir: bool = False) -> int:
    """Start `evaltui run LOG_DIR` in a session of its own; its pid once it decides.

    heir: it goes on with what the caller has let go of; else it is a start that somebody asked for.
    Where another engine is quicker, its pid is returned: the set is minded all the same. Raises
    DetachError.
    """
    layout.private.mkdir(parents=True, exist_ok=True)
    log_dir = str(layout.log_dir.absolute())
    command = [sys.executable, "-P", "-m", "evaltui", "run", log_dir, *options]
    try:
        with open(layout.engine_log, "ab") as log:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={**os.environ, DETACHED: HEIR if heir else "asked"},
            )
    except OSError as error:
        raise DetachError(f"No engine can be started: {error.strerror}.") from None
    return _once_it_decides(layout, process)


def _once_it_decides(layout: Layout, process: subprocess.Popen[bytes]) -> int:
    until = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < until:
        who = holder(layout)
        if who is not None:
            return who.pid
        code = process.poll()
        if code == 0:
            return process.pid  # it found nothing to do
        if code is not None:
            raise DetachError(f"The detached engine ended with {code}: {_last_line(layout)}")
        time.sleep(0.02)
    process.kill()
    raise DetachError(f"The detached engine did not begin; {layout.engine_log} may say why.")


def _last_line(layout: Layout) -> str:
    try:
        lines = layout.engine_log.read_text("utf-8", "replace").strip().splitlines()
    except OSError:
        return "it left no word"
    return lines[-1] if lines else "it left no word"
