"""The files Inspect keeps beside the logs: `.eval-set-id`, `eval-set.json` and `logs.json`.

Written as Inspect writes them, for its own commands and for people's scripts; evaltui needs none
of them to know what a directory holds.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from evaltui.logs.archive import LogError, unreadable
from evaltui.logs.files import write_atomic
from evaltui.logs.index import is_log_name
from evaltui.logs.layout import Layout
from evaltui.logs.reading import read_raw_header
from evaltui.logs.wire import UNDECODABLE, base57, decode


class EvalSetTask(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One task on one model. task_id: the one its logs carry. model_roles: role -> model names."""

    name: str | None = None
    task_id: str
    task_file: str | None = None
    task_args: Mapping[str, Any]
    model: str
    model_args: Mapping[str, Any]
    model_roles: Mapping[str, str] | None = None
    sequence: int


class EvalSet(msgspec.Struct, frozen=True):
    """All tasks that an eval set was last asked to run."""

    eval_set_id: str
    tasks: tuple[EvalSetTask, ...]


def read_eval_set_id(log_dir: Path) -> str | None:
    """The id of the set; None where there is none yet. Raises LogError."""
    path = Layout(log_dir).eval_set_id
    try:
        return path.read_text("utf-8").strip() or None
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise LogError(
            f"{path} is no id of a set; delete it, and the set gets a new one."
        ) from None
    except OSError as error:
        raise LogError(
            f"{path}: {error.strerror}; move it away, and the set gets a new id."
        ) from None


def ensure_eval_set_id(log_dir: Path, wanted: str | None = None) -> str:
    """The id of the set. Where there is none, `wanted` or one made up is written.

    Raises LogError or OSError.
    """
    known = read_eval_set_id(log_dir)
    if known is None:
        known = wanted or base57(uuid.uuid4().int)
        write_atomic(Layout(log_dir).eval_set_id, known.encode())
    return known


def read_eval_set(log_dir: Path) -> EvalSet | None:
    """What `eval-set.json` says; None where there is none. Raises LogError."""
    path = Layout(log_dir).eval_set_manifest
    try:
        return decode(path.read_bytes(), EvalSet)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unreadable(path, error) from None
    except UNDECODABLE as error:
        raise LogError(f"{path.name} has an unknown form: {error}.") from None


def write_eval_set(log_dir: Path, content: EvalSet) -> None:
    """Replace `eval-set.json`. Raises OSError."""
    encoded = msgspec.json.format(msgspec.json.encode(content), indent=2)
    write_atomic(Layout(log_dir).eval_set_manifest, encoded)


def write_logs_manifest(log_dir: Path) -> None:
    """Replace `logs.json`: name -> header of every log, newest first, subfolders included.

    Unlike Inspect's it leaves out logs that can't be read, at which Inspect fails, and the reduced
    scores of each sample, which no reader of headers wants. Raises OSError.
    """
    lines = []
    for path in _newest_first(log_dir):
        name = path.relative_to(log_dir).as_posix()
        with contextlib.suppress(LogError):
            lines.append(f"{json.dumps(name)}: {json.dumps(read_raw_header(path))}")
    content = "{\n" + ",\n".join(lines) + "\n}\n"
    write_atomic(Layout(log_dir).logs_manifest, content.encode())


def _newest_first(log_dir: Path) -> list[Path]:
    times = {}
    for path in _log_paths(log_dir):
        with contextlib.suppress(OSError):
            status = path.stat()
            if stat.S_ISREG(status.st_mode):
                times[path] = status.st_mtime_ns
    return sorted(times, key=lambda path: times[path], reverse=True)


def _log_paths(log_dir: Path) -> Iterator[Path]:
    private = Layout(log_dir).private.name
    for folder, folders, names in os.walk(log_dir):
        if private in folders:
            folders.remove(private)
        yield from (Path(folder, name) for name in names if is_log_name(name))
