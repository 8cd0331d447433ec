"""The task browser: tasks under the root as a tree by file, with their attributes. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from evaltui.text import Glyphs
from evaltui.tui.columns import Column
from evaltui.tui.constant_strip import Constants, split
from evaltui.tui.picture import Picture
from evaltui.tui.query import Query, Value, select
from evaltui.tui.runs import Cell, cell

if TYPE_CHECKING:
    from evaltui.discovery import Skipped, TaskInfo
    from evaltui.spec import SetSpec

STATES = ("in", "out", "mixed")
NOT_CONSTANT = "not constant"

_FILE, _TASK, _SKIPPED = "f:", "t:", "s:"


class TaskTable(msgspec.Struct, frozen=True):
    """The browser's list. tasks: all there are; shown: those the filter lets through."""

    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    columns: tuple[Column, ...]
    constants: Constants
    tasks: int
    shown: int


def task_table(
    picture: Picture,
    query: Query,
    glyphs: Glyphs,
    sort: tuple[str, bool] | None = None,
    *,
    wide: bool = False,
) -> TaskTable:
    """The list of tasks. wide: attributes that all shown tasks share are columns too."""
    found = picture.found
    tasks = found.tasks if found is not None else ()
    attributes = [task_attributes(task, picture.spec) for task in tasks]
    shown = select(query, attributes)
    names = attribute_names(tasks)
    constants = split(names, [attributes[index] for index in shown])
    listed = [n for n in names if n in constants.varying or (wide and n not in constants.absent)]
    rows: list[tuple[str, tuple[Cell, ...]]] = []
    file = ""
    if sort is not None:
        shown = _sorted(shown, attributes, sort)
    for index in shown:
        task = tasks[index]
        if sort is None and task.file != file:
            file = task.file
            of_file = [attributes[each]["is"] for each in shown if tasks[each].file == file]
            rows.append((_FILE + file, _file_cells(file, of_file, glyphs)))
        rows.append((_TASK + task.spec, _task_cells(task, attributes[index], listed, glyphs)))
    if found is not None and not query:
        rows += [
            (_SKIPPED + each.path, _skipped_cells(each))
            for each in found.skipped
            if each.kind != "rule"
        ]
    return TaskTable(tuple(rows), _columns(listed, attributes), constants, len(tasks), len(shown))


def attribute_names(tasks: Sequence[TaskInfo]) -> tuple[str, ...]:
    """The attributes that any task has, in the order they first stand in."""
    return tuple(
        dict.fromkeys(name for task in tasks for name in (*task.attribs, *task.expressions))
    )


def tasks_of(picture: Picture, keys: Sequence[str]) -> tuple[TaskInfo, ...]:
    """The tasks that rows of the browser stand for; a file's row stands for all of its tasks."""
    tasks = picture.found.tasks if picture.found is not None else ()
    wanted = set(keys)
    return tuple(
        task for task in tasks if _TASK + task.spec in wanted or _FILE + task.file in wanted
    )


def why_skipped(picture: Picture, key: str | None) -> str:
    """Why a row of the browser is no task, in a sentence; empty where it is one."""
    skipped = picture.found.skipped if picture.found is not None else ()
    return next((str(each) for each in skipped if _SKIPPED + each.path == key), "")


def is_in(task: TaskInfo, spec: SetSpec | None) -> bool:
    """Whether the set asks for a task, alone or with its whole file."""
    return spec is not None and any(
        entry.file == task.file and entry.name in (None, task.name) for entry in spec.tasks
    )


def task_attributes(task: TaskInfo, spec: SetSpec | None) -> dict[str, Value]:
    """What a filter may ask of a task."""
    found: dict[str, Value] = {"task": task.name, "file": task.file}
    found.update({name: _plain(value) for name, value in task.attribs.items()})
    found.update(dict.fromkeys(task.expressions, NOT_CONSTANT))
    found["is"] = "in" if is_in(task, spec) else "out"
    return found


def _sorted(
    shown: Sequence[int], attributes: Sequence[Mapping[str, Value]], sort: tuple[str, bool]
) -> list[int]:
    name = {"in": "is"}.get(sort[0], sort[0])

    def key(index: int) -> tuple[bool, float, str]:
        value = attributes[index].get(name)
        number = float(value) if isinstance(value, int | float) else 0.0
        return value is None, number, str(value).casefold()

    return sorted(shown, key=key, reverse=sort[1])


def _plain(value: Any) -> Value:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return tuple(value)
    return str(value)


def _columns(
    listed: Sequence[str], attributes: Sequence[Mapping[str, Value]]
) -> tuple[Column, ...]:
    columns = [Column("in", "", 1, 1), Column("task", "TASK", 12, 24, grow=1)]
    for place, name in enumerate(listed):
        widest = max((len(_shown(each.get(name))) for each in attributes), default=4)
        ideal = max(len(name), min(widest, 14))
        columns.append(Column(name, name.upper(), min(6, ideal), ideal, 2 + place))
    return tuple(columns)


def _file_cells(file: str, states: Sequence[Value], glyphs: Glyphs) -> tuple[Cell, ...]:
    mark = glyphs.new if all(state == "in" for state in states) else ""
    return (cell(mark, "muted"), cell(file, "muted"))


def _task_cells(
    task: TaskInfo, attributes: Mapping[str, Value], listed: Sequence[str], glyphs: Glyphs
) -> tuple[Cell, ...]:
    inside = attributes["is"] == "in"
    required = any(param.required and not param.variadic for param in task.params)
    name: Cell = ((f"  {task.name}", "text"), (f"({glyphs.ellipsis})" if required else "", "muted"))
    mark = cell(glyphs.new if inside else "", "ok")
    return (mark, name, *(_value(attributes.get(each)) for each in listed))


def _value(value: Value) -> Cell:
    return cell(_shown(value), "off" if value == NOT_CONSTANT else "muted")


def _shown(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def _skipped_cells(each: Skipped) -> tuple[Cell, ...]:
    return ((), ((f"{each}", "off"),))
