"""Tasks of the browser and entries of the spec: which stands for which, how one leaves. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath

from msgspec.structs import replace

from evaltui.discovery import TaskInfo
from evaltui.spec import Amendment, SetSpec, TaskEntry


def entries_of(task: TaskInfo, spec: SetSpec | None) -> tuple[TaskEntry, ...]:
    """The entries of the spec in which a task is, that of its whole file among them."""
    if spec is None:
        return ()
    return tuple(
        entry
        for entry in spec.tasks
        if _same_file(entry.file, task.file) and entry.name in (None, task.name)
    )


def missing(task: TaskInfo) -> tuple[str, ...]:
    """Parameters without which the task can't be made."""
    return tuple(p.name for p in task.params if p.required and not p.variadic)


def taking_in(tasks: Sequence[TaskInfo]) -> Amendment:
    """The change that adds tasks without arguments."""
    return Amendment(tasks=tuple(TaskEntry(task.file, task.name) for task in tasks))


def leaving_out(tasks: Sequence[TaskInfo], spec: SetSpec, found: Sequence[TaskInfo]) -> Amendment:
    """The change that takes tasks out. found: all tasks there are.

    An entry for a whole file gives way to one for each other task of the file.
    """
    drop: list[TaskEntry] = []
    add: list[TaskEntry] = []
    out = {(task.file, task.name) for task in tasks}
    for task in tasks:
        for entry in entries_of(task, spec):
            if entry in drop:
                continue
            drop.append(entry)
            if entry.name is None:
                add += [
                    replace(entry, name=other.name)
                    for other in found
                    if _same_file(entry.file, other.file) and (other.file, other.name) not in out
                ]
    return Amendment(tasks=tuple(add), drop_tasks=tuple(drop))


def taking_out(
    leaving: Iterable[tuple[TaskEntry, str]], names_of: Callable[[str], Sequence[str]]
) -> Amendment:
    """The change that takes tasks out of the entries they stand in. leaving: entry, task's name.

    names_of: the tasks of a file; those of an entry for a whole file that stay get one each.
    """
    out: dict[int, tuple[TaskEntry, set[str]]] = {}
    for entry, name in leaving:
        out.setdefault(id(entry), (entry, set()))[1].add(name)
    stay: list[TaskEntry] = []
    for entry, names in out.values():
        if entry.name is None:
            others = (name for name in names_of(entry.file) if name not in names)
            stay += [replace(entry, name=name) for name in others]
    return Amendment(tasks=tuple(stay), drop_tasks=tuple(entry for entry, _ in out.values()))


def _same_file(one: str, other: str) -> bool:
    return PurePosixPath(one) == PurePosixPath(other)
