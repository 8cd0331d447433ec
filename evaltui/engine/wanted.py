"""What the spec of a log directory asks for: its cells. Tasks are found by parsing alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evaltui.cells import Cells, Problem, expand
from evaltui.discovery import Skipped, tasks_in_file
from evaltui.logs.layout import Layout
from evaltui.spec import SetSpec, read_spec


@dataclass(frozen=True)
class Wanted:
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


def task_names(root: Path, file: str) -> list[str] | Problem:
    """The tasks of a file as the spec names it, or why there are none."""
    found = tasks_in_file(root / file)
    if isinstance(found, Skipped):
        place = f", line {found.line}" if found.line else ""
        return Problem(f"{file}{place}: {found.reason}")
    if not found:
        return Problem(f"{file} has no @task; mend the file or take it out of evalset.toml")
    return [task.name for task in found]
