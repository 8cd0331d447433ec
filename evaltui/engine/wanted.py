"""What the spec of a log directory asks for: its cells. Tasks are found by parsing alone.

A directory that has logs and no spec asks for what its logs are: that spec is worked out here too.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from evaltui.cells import Cells, Problem, expand
from evaltui.logs.layout import Layout
from evaltui.spec import SetSpec, read_spec

if TYPE_CHECKING:
    from evaltui.logs.manifests import EvalSetTask
    from evaltui.logs.records import LogHeader


class Wanted(msgspec.Struct, frozen=True):
    """A spec and what it expands to."""

    spec: SetSpec
    cells: Cells


def read_wanted(layout: Layout) -> Wanted:
    """The cells that `evalset.toml` asks for. Raises SpecError, FileNotFoundError or OSError."""
    spec = read_spec(layout.spec)
    return Wanted(spec, cells_of(spec, layout.log_dir))


def cells_of(spec: SetSpec, log_dir: Path) -> Cells:
    """The cells of `spec`, and what stands in the way of others."""
    root = spec.root_path(log_dir)
    return expand(spec, lambda file: task_names(root, file))


def spec_of_logs(layout: Layout, headers: Sequence[LogHeader]) -> SetSpec | None:
    """The spec that the logs of a directory without one stand for; nothing is written.

    Logs of tasks without a file (made in Python) stand for no cell: they are strays of an empty
    set. None without any log.
    """
    from evaltui.rebuild import likely_root, rebuilt

    log_dir = layout.log_dir
    around = [Path.cwd(), log_dir.parent, log_dir, *log_dir.parent.parents[:3]]
    root = likely_root(headers, around) or log_dir.parent
    found = rebuilt(
        headers,
        _manifest(log_dir),
        relative_to(root, log_dir),
        lambda file: relative_to(root / file, root),
    )
    return found or (SetSpec(root=relative_to(root, log_dir)) if headers else None)


def _manifest(log_dir: Path) -> Sequence[EvalSetTask]:
    from evaltui.logs.archive import LogError
    from evaltui.logs.manifests import read_eval_set

    try:
        found = read_eval_set(log_dir)
    except (LogError, OSError):
        return ()
    return found.tasks if found else ()


Stamp = tuple[int, int, int]


def spec_stamp(layout: Layout) -> Stamp | None:
    """What changes when the spec is edited or replaced; None where there is none."""
    try:
        status = os.stat(layout.spec)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def relative_to(path: Path, start: Path) -> str:
    """`path` as it is written in a spec: relative to `start`, posix."""
    return Path(os.path.relpath(path.resolve(), start.resolve())).as_posix()


def task_names(root: Path, file: str) -> list[str] | Problem:
    """The tasks of a file as the spec names it, or why there are none."""
    from evaltui.discovery import Skipped, tasks_in_file

    found = tasks_in_file(root / file)
    if isinstance(found, Skipped):
        place = f", line {found.line}" if found.line else ""
        return Problem(f"{file}{place}: {found.reason}")
    if not found:
        return Problem(f"{file} has no @task; mend the file or take it out of evalset.toml")
    return [task.name for task in found]
