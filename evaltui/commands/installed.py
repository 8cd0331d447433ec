"""Whether a positional names a task of an installed package, told without importing it."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path


def is_installed_task(place: str, working_dir: Path) -> bool:
    """Whether `place` is `package/task` of a package that registers tasks with Inspect.

    A path that exists goes before it; whether the package has the task shows when it is loaded.
    """
    package, slash, task = place.partition("/")
    if not (slash and task.isidentifier()) or (working_dir / place).exists():
        return False
    entries = importlib.metadata.entry_points(group="inspect_ai")
    return any(entry.name == package for entry in entries)
