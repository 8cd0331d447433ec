"""Brings back what crashed attempts had finished: from their logs and from Inspect's sample buffer.

The recovered log takes the crashed one's place when it is whole on the disk; only then the buffer
goes. Killed in between, the next recovery begins anew and loses nothing.
"""

from __future__ import annotations

import os
import shutil
import traceback
from pathlib import Path

import msgspec

from evaltui.logs.archive import LogError
from evaltui.logs.attempt import RecoveredLog, RecoverOrder, Recovery
from evaltui.logs.buffered import damage
from evaltui.logs.files import trouble, write_atomic
from evaltui.logs.layout import AttemptPaths, Layout
from evaltui.logs.reading import read_log, read_summaries
from evaltui.worker import bridge, session
from evaltui.worker.buffer import kept_buffer_folder
from evaltui.worker.failures import sentence
from evaltui.worker.scratch import scratch_folder

VERSION = 1


def recover(order: RecoverOrder, paths: AttemptPaths) -> None:
    """Carry out the recovery; what came of it is in `recovered.json` beside the order."""
    layout = Layout(paths.folder.parents[2])
    session.enter(layout.log_dir)
    try:
        with kept_buffer_folder(layout.log_dir):
            recovered = tuple(_recovered(layout.log_dir / name) for name in order.logs)
    except OSError as error:  # of that folder
        recovered = tuple(RecoveredLog(name, error=trouble(error)) for name in order.logs)
    write_atomic(paths.recovered, msgspec.json.encode(Recovery(VERSION, recovered)))


def _recovered(log: Path) -> RecoveredLog:
    from inspect_ai.log import recover_eval_log

    file = read_log(log)
    if file.header is None:
        return RecoveredLog(log.name, error=file.reason)
    if file.finished:
        return RecoveredLog(log.name)
    try:
        before = _clean(log)
        bridge.fetch_sample_buffer(log)
        bridge.disown_sample_buffer(log)
        if why := damage(log):  # Inspect takes such a buffer for an empty one, which can go
            return RecoveredLog(log.name, error=why)
        with scratch_folder() as scratch:
            whole = scratch / log.name
            try:
                recover_eval_log(str(log), output=str(whole), cleanup=False)
            except bridge.RecoveryNotAvailable:  # its writer lives, or all it had is in the log
                return RecoveredLog(log.name)
            _replace(log, whole)
        bridge.drop_sample_buffer(log)
        return RecoveredLog(log.name, samples=len(_clean(log) - before))
    except LogError as error:
        return RecoveredLog(log.name, error=str(error))
    except OSError as error:
        traceback.print_exc()
        return RecoveredLog(log.name, error=trouble(error))
    except Exception as error:
        traceback.print_exc()
        return RecoveredLog(log.name, error=sentence(error))


def _clean(log: Path) -> set[tuple[str, int]]:
    return {each.key for each in read_summaries(log) if each.clean}


def _replace(log: Path, whole: Path) -> None:
    """Put the file `whole` in the place of `log`, all of it or nothing."""
    temporary = log.with_name(f".{log.name}.tmp")
    try:
        shutil.copyfile(whole, temporary)
        shutil.copymode(log, temporary)
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, log)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
