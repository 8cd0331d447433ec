"""`evaltui tasks`: the tasks of files and folders, by parsing. Writes nothing, runs nobody's code.

The lines and the JSON are those of `inspect list tasks`; what is said beyond them goes to stderr,
or stands behind `--skipped`.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from evaltui.discovery import Discovery, Filter, TaskInfo

NOTHING_FOUND = 1
USAGE = 2
LOUD = ("absent", "unreadable")
"""Wrong with a named path whatever else is found; a shell's `*` names the other kinds too."""


@click.command("tasks")
@click.argument("paths", nargs=-1)
@click.option(
    "-F",
    "expressions",
    multiple=True,
    metavar="KEY=VALUE",
    help="Only tasks with this attribute: key=value, key!=value, key~=glob, key<3 (also <=, >, >=)."
    " Values are YAML; all filters must hold. ~= without a wildcard is not equal, as in Inspect.",
)
@click.option("--absolute", is_flag=True, help="Absolute paths instead of relative ones.")
@click.option("--json", "as_json", is_flag=True, help="Output as JSON.")
@click.option("--skipped", is_flag=True, help="Also what was left out, and why.")
def command(
    paths: tuple[str, ...],
    expressions: tuple[str, ...],
    absolute: bool,
    as_json: bool,
    skipped: bool,
) -> None:
    """List the tasks in PATHS: files, folders, globs, FILE@NAME. Without PATHS, those below here.

    Exit code 0: tasks are listed. 1: there are none, or none that the filters let through. 2: a
    path is not there, a file that is named can't be read, or a filter is malformed.
    """
    from evaltui.discovery import discover

    filters = _filters(expressions)
    root = Path.cwd()
    found = discover(paths, root)
    listed = [task for task in found.tasks if all(one.matches(task) for one in filters)]
    if as_json:
        rows = [_task_json(task, _file(task, root, absolute)) for task in listed]
        _print_json(rows, found if skipped else None)
    else:
        lines = [f"{_file(task, root, absolute)}@{task.name}" for task in listed]
        _print_lines(lines, found if skipped else None)
    for sentence in _remarks(found, filters, listed, skipped):
        _remark(sentence)
    sys.exit(_exit_code(found, listed))


def _filters(expressions: Sequence[str]) -> list[Filter]:
    from evaltui.discovery import FilterError, parse_filter

    try:
        return [parse_filter(text) for text in expressions]
    except FilterError as error:
        _remark(str(error))
        sys.exit(USAGE)


def _file(task: TaskInfo, root: Path, absolute: bool) -> str:
    return (root / task.file).resolve().as_posix() if absolute else task.file


def _print_lines(lines: list[str], with_skipped: Discovery | None) -> None:
    for line in lines:
        _say(line)
    if with_skipped is not None and with_skipped.skipped:
        _say("")
        _say("left out:")
        for one in with_skipped.skipped:
            _say(f"  {one}")


def _print_json(rows: list[dict[str, Any]], with_skipped: Discovery | None) -> None:
    if with_skipped is None:
        click.echo(json.dumps(rows, indent=2))
        return
    left_out = [
        {"path": one.path, "line": one.line, "kind": one.kind, "reason": one.reason}
        for one in with_skipped.skipped
    ]
    click.echo(json.dumps({"tasks": rows, "skipped": left_out}, indent=2))


def _task_json(task: TaskInfo, file: str) -> dict[str, Any]:
    attribs = {key: _jsonable(value) for key, value in task.attribs.items()}
    row: dict[str, Any] = {"file": file, "name": task.name, "attribs": attribs}
    if task.expressions:
        row["not_constant"] = dict(task.expressions)
    return row


def _jsonable(value: Any) -> Any:
    """A Python constant as Inspect's JSON has it; sets are sorted, so that output is stable."""
    if isinstance(value, dict):
        return {_json_key(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        value = sorted(value, key=lambda item: (str(type(item)), repr(item)))
    if isinstance(value, list | tuple):
        return [_jsonable(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    if isinstance(value, complex):
        return str(value).strip("()")
    return "..." if value is ... else value


def _json_key(key: Any) -> str:
    if isinstance(key, bool):
        return str(key).lower()
    if isinstance(key, tuple):
        return ",".join(_json_key(part) for part in key)
    return str(key if isinstance(key, float) else _jsonable(key))


def _remarks(
    found: Discovery, filters: list[Filter], listed: list[TaskInfo], skipped: bool
) -> Iterator[str]:
    """What stderr says: what was named in vain, what could not be read, what the filters did."""
    for one in found.problems:
        if one.kind in LOUD or not found.tasks:
            yield str(one)
    unreadable = [one for one in found.skipped if one.kind == "unreadable" and not one.named]
    if unreadable and not skipped:
        what = "1 file or folder" if len(unreadable) == 1 else f"{len(unreadable)} files or folders"
        yield f"{what} could not be read; --skipped says which and why"
    yield from _not_judged(found.tasks, filters)
    if found.tasks and not listed:
        yield _no_match(found.tasks, filters)


def _not_judged(all_tasks: Sequence[TaskInfo], filters: list[Filter]) -> Iterator[str]:
    for key in dict.fromkeys(one.key for one in filters):
        unsure = [task for task in all_tasks if key in task.expressions]
        if unsure:
            example = f"{unsure[0].spec} has {key}={unsure[0].expressions[key]}"
            others = f" (and {len(unsure) - 1} more)" if len(unsure) > 1 else ""
            yield f"{example}{others}, not a constant, so the filter takes it as absent"


def _no_match(all_tasks: Sequence[TaskInfo], filters: list[Filter]) -> str:
    from evaltui.settings import nearest

    given = " and ".join(one.text for one in filters)
    count = "the 1 task" if len(all_tasks) == 1 else f"any of the {len(all_tasks)} tasks"
    known = {key for task in all_tasks for key in (*task.attribs, *task.expressions)}
    for one in filters:
        if one.key not in known:
            hint = nearest(one.key, known)
            return f'{given} does not match {count}: none has an attribute "{one.key}"{hint}'
    return f"{given} does not match {count}"


def _exit_code(found: Discovery, listed: list[TaskInfo]) -> int:
    if any(one.kind in LOUD for one in found.problems):
        return USAGE
    return 0 if listed else NOTHING_FOUND


def _say(text: str) -> None:
    from evaltui.text import visible

    click.echo(visible(text))


def _remark(text: str) -> None:
    from evaltui.text import visible

    end = "" if text.endswith(("?", ".")) else "."
    click.echo(f"evaltui: {visible(text)}{end}", err=True)
