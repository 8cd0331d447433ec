"""Brings back what crashed attempts had finished: from their logs and from Inspect's sample buffer.

The recovered log takes the crashed one's place when it is whole on the disk; only then the buffer
goes. Killed in between, the next recovery begins anew and loses nothing.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path

import msgspec

from evaltui.logs.archive import LogError
from evaltui.logs.attempt import RecoveredLog, RecoverOrder, Recovery
from evaltui.logs.files import write_atomic
from evaltui.logs.layout import AttemptPaths, Layout
from evaltui.logs.reading import read_log, read_summaries
from evaltui.worker import bridge
from evaltui.worker.buffer import kept_buffer_folder
from evaltui.worker.failures import sentence

VERSION = 1


def recover(order: RecoverOrder, paths: AttemptPaths) -> None:
    """Carry out the recovery; what came of it is in `recovered.json` beside the order."""
    layout = Layout(paths.folder.parents[2])
    with kept_buffer_folder(layout.log_dir):
        recovered = tuple(_recovered(layout.log_dir / name) for name in order.logs)
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
        bridge.disown_sample_buffer(log)
        with _scratch_file(log.name) as scratch:
            try:
                recover_eval_log(str(log), output=str(scratch), overwrite=False, cleanup=False)
            except bridge.RecoveryNotAvailable:  # its writer lives, or all it had is in the log
                return RecoveredLog(log.name)
            _replace(log, scratch)
        bridge.drop_sample_buffer(log)
        return RecoveredLog(log.name, samples=len(_clean(log) - before))
    except (LogError, OSError) as error:
        traceback.print_exc()
        return RecoveredLog(log.name, error=str(error))
    except Exception as error:
        traceback.print_exc()
        return RecoveredLog(log.name, error=f"{log.name} can't be recovered: {sentence(error)}.")


def _clean(log: Path) -> set[tuple[str, int]]:
    return {each.key for each in read_summaries(log) if each.error is None}


@contextlib.contextmanager
def _scratch_file(name: str) -> Iterator[Path]:
    """A place outside the log directory: nothing half-written may look like a log there."""
    folder = tempfile.mkdtemp(prefix="evaltui-")
    try:
        yield Path(folder) / name
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _replace(log: Path, scratch: Path) -> None:
    """Put the file at `scratch` in the place of `log`, whole or not at all."""
    temporary = log.with_name(f".{log.name}.tmp")
    try:
        shutil.copyfile(scratch, temporary)
        shutil.copymode(log, temporary)
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())
        os.replace(temporary, log)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
