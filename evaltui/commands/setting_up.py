"""From what a line asks for to an amended spec, with every mistake said before anything is written.

Tasks are looked at by parsing alone; nobody's code runs here.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from evaltui.commands.installed import is_installed_task
from evaltui.commands.known_providers import unknown_provider
from evaltui.commands.set_options import SetLine, Usage, require_utf8
from evaltui.discovery import Param, Skipped, TaskInfo, discover
from evaltui.engine.wanted import cells_of, relative_to, spec_of_logs
from evaltui.logs.files import trouble
from evaltui.logs.index import list_logs
from evaltui.logs.layout import Layout
from evaltui.spec import Amendment, SetSpec, SpecError, TaskEntry, amended, read_spec
from evaltui.spec_edit import amend_spec


def set_up(line: SetLine, working_dir: Path) -> tuple[SetSpec, bool]:
    """The spec after the line's changes, and whether they changed it. Raises Usage.

    Everything is checked first, so that a refused line leaves no trace on disk.
    """
    layout = Layout(line.log_dir)
    before = spec_of(layout)
    written = layout.spec.exists()
    if not written and line.tasks:
        before = None
    if before is None and not line.tasks:
        raise Usage(_nothing_here(line))
    if before is not None and not (written or before.tasks):
        raise Usage(_no_task_file(line))
    root = before.root_path(line.log_dir) if before else working_dir
    change = Amendment(
        tasks=tuple(_new_entries(line, root, working_dir, before)),
        models=line.models,
        settings=_with_one_slice(line.settings),
        solver=None if line.tasks else line.solver,
        solver_args={} if line.tasks else line.solver_args,
        model_roles=line.model_roles,
        root=None if before else relative_to(root, line.log_dir),
    )
    after = amended(before or SetSpec(), change)
    if not after.tasks:
        raise Usage(f"no task is named; add one, such as: evaltui run {line.log_dir} task.py")
    if not after.models:
        raise Usage("no model is named; add --model provider/name or set INSPECT_EVAL_MODEL")
    folders = {root, *((root / task.file).parent for task in after.tasks)}
    for model in line.models:
        if why := unknown_provider(model.name, folders):
            raise Usage(f"--model {model.name}: {why}")
    _refuse_twins(after, line.log_dir)
    if after == before and written:
        return after, False
    require_writable(line.log_dir)
    try:
        return amend_spec(layout, change if written else Amendment.of(after)), True
    except SpecError as error:
        raise Usage(str(error)) from None
    except OSError as error:
        raise Usage(_unwritable(layout.spec, error)) from None


def _with_one_slice(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """`--limit` and `--sample-id` exclude each other: naming the one lets go of the other."""
    slices = [key for key in ("limit", "sample_id") if key in settings]
    if len(slices) > 1:
        raise Usage("--limit and --sample-id exclude each other; keep one of them")
    if not slices:
        return settings
    (other,) = {"limit", "sample_id"} - set(slices)
    return {**settings, other: None}


def spec_of(layout: Layout) -> SetSpec | None:
    """The spec of a directory: read, or rebuilt from its logs; None where neither can be.

    Raises Usage.
    """
    try:
        return read_spec(layout.spec)
    except FileNotFoundError:
        pass
    except SpecError as error:
        raise Usage(f"{layout.log_dir}: {error}") from None
    except OSError as error:
        raise Usage(f"the spec can't be read: {trouble(error)}") from None
    return _rebuilt_spec(layout)


def spec_there(layout: Layout) -> SetSpec:
    """The spec of a directory that holds a set. Raises Usage where it holds none."""
    spec = spec_of(layout)
    if spec is None:
        where = layout.log_dir
        raise Usage(f"{where} holds no set; evaltui run {where} TASKS --model … makes one")
    return spec


def _rebuilt_spec(layout: Layout) -> SetSpec | None:
    """The spec that the logs of a directory without one stand for."""
    if not layout.log_dir.is_dir():
        return None
    headers = [log.header for log in list_logs(layout.log_dir) if log.header is not None]
    return spec_of_logs(layout, headers)


def _refuse_twins(spec: SetSpec, log_dir: Path) -> None:
    """Raises Usage when two cells have one key."""
    problems = cells_of(spec, log_dir).problems
    twins = [problem for problem in problems if "are one cell" in problem.message]
    if twins:
        raise Usage(twins[0].message)


def require_writable(log_dir: Path) -> None:
    """Raises Usage when nothing can be written where the log directory is or would be."""
    place = log_dir
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir():
        raise Usage(f"{log_dir} can't be made: {place} is a file; name another directory")
    if not os.access(place, os.W_OK | os.X_OK):
        raise Usage(f"{place} is not writable; change its permissions or name another directory")


def _unwritable(path: Path, error: OSError) -> str:
    return f"{path} can't be written: {error.strerror}; free space or name another directory"


def _nothing_here(line: SetLine) -> str:
    return (
        f"{line.log_dir} holds no set; name tasks and models, such as: evaltui run {line.log_dir} "
        "task.py --model provider/name"
    )


def _no_task_file(line: SetLine) -> str:
    return (
        f"the logs in {line.log_dir} were made in Python, from tasks without a file, so they can't "
        f"be run from here; name tasks and models, such as: evaltui run {line.log_dir} task.py "
        "--model provider/name"
    )


# --- tasks named on the line ---------------------------------------------------------------------


def _new_entries(
    line: SetLine, root: Path, working_dir: Path, before: SetSpec | None
) -> Iterator[TaskEntry]:
    if not line.tasks:
        if line.task_args:
            raise Usage("-T and --task-config go with tasks named on the same line")
        return
    named: list[tuple[TaskInfo, bool]] = []
    passed_over: list[Skipped] = []
    packaged = [place for place in line.tasks if is_installed_task(place, working_dir)]
    for place in packaged:  # which arguments it takes shows when it is loaded
        yield _entry(line, place, place.rpartition("/")[2], line.task_args)
    for place in line.tasks:
        if place in packaged:
            continue
        found, over = _tasks_at(place, working_dir)
        named += found
        passed_over += over
    if packaged and not named and not passed_over:
        return
    if not named:
        raise Usage(str(passed_over[0]) if passed_over else _no_task(line.tasks[0]))
    _check_args(line.task_args, [task for task, _ in named])
    for file, tasks, whole in _by_file(named):
        taken = [_accepted(line.task_args, task) for task in tasks]
        for task, args in zip(tasks, taken, strict=True):
            _check_required(task, args)
        path = relative_to(Path(file), root)
        require_utf8(path)
        if whole and all(args == taken[0] for args in taken):
            yield _entry(line, path, None, taken[0])
            continue
        for task, args in zip(tasks, taken, strict=True):
            entry = _entry(line, path, task.name, args)
            if not _covered(entry, before):
                yield entry


def _entry(line: SetLine, file: str, name: str | None, args: Mapping[str, Any]) -> TaskEntry:
    return TaskEntry(file, name, args, solver=line.solver, solver_args=line.solver_args)


def _covered(entry: TaskEntry, spec: SetSpec | None) -> bool:
    """Whether an entry for the whole file takes this one in already."""
    whole = TaskEntry(
        entry.file, None, entry.args, solver=entry.solver, solver_args=entry.solver_args
    )
    return spec is not None and whole in spec.tasks


def _tasks_at(place: str, working_dir: Path) -> tuple[list[tuple[TaskInfo, bool]], list[Skipped]]:
    """The tasks a positional names, each with whether its whole file was meant; what yields none.

    A shell's `*` names files without tasks too: they are passed over. Raises Usage for what is not
    there or can't be read.
    """
    found = discover([place], working_dir)
    for problem in found.problems:
        if problem.kind in ("absent", "unreadable"):
            raise Usage(str(problem))
    whole = not any(place.endswith(f"@{task.name}") for task in found.tasks)
    return [(task, whole) for task in found.tasks], list(found.problems)


def _no_task(place: str) -> str:
    return f"{place} has no @task; name a file with a task"


def _by_file(named: Sequence[tuple[TaskInfo, bool]]) -> list[tuple[str, list[TaskInfo], bool]]:
    files: dict[str, tuple[list[TaskInfo], bool]] = {}
    for task, whole in named:
        tasks, was = files.get(task.file, ([], False))
        if task not in tasks:
            tasks.append(task)
        files[task.file] = (tasks, was or whole)
    return [(file, tasks, whole) for file, (tasks, whole) in files.items()]


def _check_args(args: Mapping[str, Any], tasks: Sequence[TaskInfo]) -> None:
    """An argument that no task on the line takes is a mistake, not something to run without."""
    if any(_takes_any(task) for task in tasks):
        return
    known = list(dict.fromkeys(param.name for task in tasks for param in _named(task)))
    for name in args:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1, 0.4)
            who = tasks[0].name if len(tasks) == 1 else "any task on the line"
            hint = f"; did you mean `{near[0]}`?" if near else _takes(known)
            raise Usage(f"-T {name}: not a parameter of {who}{hint}")


def _takes_any(task: TaskInfo) -> bool:
    return any(param.variadic for param in task.params)


def _named(task: TaskInfo) -> list[Param]:
    return [param for param in task.params if not param.variadic]


def _takes(known: Sequence[str]) -> str:
    return f"; it takes {', '.join(known)}" if known else "; it takes none"


def _accepted(args: Mapping[str, Any], task: TaskInfo) -> dict[str, Any]:
    if _takes_any(task):
        return dict(args)
    names = {param.name for param in _named(task)}
    return {name: value for name, value in args.items() if name in names}


def _check_required(task: TaskInfo, args: Mapping[str, Any]) -> None:
    missing = [param.name for param in _named(task) if param.required and param.name not in args]
    if missing:
        raise Usage(
            f"{task.file}@{task.name} needs {', '.join(missing)}; add "
            + " ".join(f"-T {name}=…" for name in missing)
        )
