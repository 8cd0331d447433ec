"""What loading tasks showed: `.evaltui/loads/<load_key>.json`, one for each file, task and args."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from evaltui.logs.attempt import CellOrder, LoadedTask, LoadOrder
from evaltui.logs.files import write_atomic
from evaltui.logs.layout import Layout

VERSION = 1


def read_load(layout: Layout, load_key: str) -> LoadedTask | None:
    """The last load of a task; None where there is none that this version can read."""
    try:
        found = msgspec.json.decode(_path(layout, load_key).read_bytes(), type=LoadedTask)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return found if found.version <= VERSION else None


def write_load(layout: Layout, load_key: str, loaded: LoadedTask) -> None:
    """Store it durably. OSError passes through."""
    write_atomic(_path(layout, load_key), msgspec.json.encode(loaded))


def failed_load(order: CellOrder | LoadOrder, why: str, source: str = "") -> LoadedTask:
    """What is known of a task that did not load. source: fingerprint of its file, if any."""
    return LoadedTask(
        version=VERSION,
        task_file=order.task_file,
        task=order.task,
        task_args=order.task_args,
        solver=order.solver,
        solver_args=order.solver_args,
        error=why,
        source=source,
    )


def source_fingerprint(task_file: Path) -> str:
    """Fingerprint of a task file as it is now; empty where it can't be read."""
    try:
        return hashlib.blake2b(task_file.read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return ""


def _path(layout: Layout, load_key: str) -> Path:
    return layout.loads / f"{load_key}.json"
