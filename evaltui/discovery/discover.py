"""Paths in, tasks out: puts the walk and the parser together and says what was named in vain."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from evaltui.discovery.decorators import tasks_in_file
from evaltui.discovery.found import Discovery, Skipped, TaskInfo
from evaltui.discovery.walk import Asked, resolve

Read = tuple[TaskInfo, ...] | Skipped


def discover(paths: Sequence[str], root: Path) -> Discovery:
    """The tasks of files, folders, globs and `FILE@NAME`, each once; and what was left out.

    Paths are relative to `root` and shown so where they lie under it. No paths: all of `root`.
    Raises nothing: a path that yields no task is in `Discovery.problems`.
    """
    root = Path(os.path.realpath(root))
    asked, skipped = resolve(paths, root)
    files: dict[str, Read] = {}
    tasks: dict[tuple[str, str, int], TaskInfo] = {}
    for one in asked:
        for file in one.files:
            if file not in files:
                files[file] = tasks_in_file(root / file, file)
        wanted, why = _wanted(one, [files[file] for file in one.files])
        skipped.extend(why)
        tasks.update({(task.file, task.name, task.line): task for task in wanted})
    skipped.extend(read for read in files.values() if isinstance(read, Skipped))
    return Discovery(
        tuple(sorted(tasks.values(), key=lambda task: task.spec)), tuple(_one_per_path(skipped))
    )


def _wanted(asked: Asked, reads: list[Read]) -> tuple[list[TaskInfo], list[Skipped]]:
    """The tasks an argument asks for; where there are none, why."""
    tasks = [task for read in reads if not isinstance(read, Skipped) for task in read]
    broken = [read for read in reads if isinstance(read, Skipped)]
    if asked.single and broken:
        return [], [replace(broken[0], named=True)]
    if not tasks:
        return [], [_taskless(asked, len(broken))]
    if asked.task is None:
        return tasks, []
    named = [task for task in tasks if task.name == asked.task]
    if named:
        return named, []
    return [], [_misspelt(asked, tasks)]


def _taskless(asked: Asked, broken: int) -> Skipped:
    if asked.single:
        return Skipped(asked.files[0], "has no @task function", kind="taskless", named=True)
    reason = "no @task function in any file"
    if broken:
        reason += f" that can be read ({broken} can't)"
    return Skipped(asked.text, reason, kind="taskless", named=True)


def _misspelt(asked: Asked, tasks: list[TaskInfo]) -> Skipped:
    from evaltui.settings import nearest

    file = asked.files[0]
    way_out = f"; evaltui tasks {file} lists what there is"
    hint = nearest(asked.task or "", {task.name for task in tasks}) or way_out
    reason = f'there is no task "{asked.task}" in {file}{hint}'
    return Skipped(asked.text, reason, kind="absent", named=True)


def _one_per_path(skipped: list[Skipped]) -> list[Skipped]:
    """Each path once, the entry that the user named first."""
    kept: dict[str, Skipped] = {}
    for one in sorted(skipped, key=lambda skipped: (skipped.path, not skipped.named)):
        kept.setdefault(one.path, one)
    return list(kept.values())
