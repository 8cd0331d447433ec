"""evaltui from Python: `run_set()`, with the arguments and the result of Inspect's `eval_set()`.

Tasks run in worker processes as they do from the command line, so a task is named by its file; a
`Task` object is accepted where the worker can make it again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaltui.discovery import Skipped, TaskInfo, tasks_in_file
from evaltui.engine.wanted import relative_to
from evaltui.logs.layout import Layout
from evaltui.option_values import checked
from evaltui.options import BY_KEY
from evaltui.spec import Amendment, ModelEntry, SetSpec, TaskEntry, amended, read_spec
from evaltui.spec_edit import amend_spec

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog


class SetError(ValueError):
    """An argument that `run_set()` can't use; one sentence with the way out."""


def run_set(
    tasks: str | Task | Sequence[str | Task],
    log_dir: str | Path,
    *,
    model: str | Sequence[str] = (),
    task_args: Mapping[str, Any] | None = None,
    model_args: Mapping[str, Any] | None = None,
    model_base_url: str | None = None,
    model_roles: Mapping[str, str] | None = None,
    solver: str | None = None,
    solver_args: Mapping[str, Any] | None = None,
    eval_set_id: str | None = None,
    **settings: Any,
) -> tuple[bool, list[EvalLog]]:
    """Run tasks on models in `log_dir` until every cell is complete or given up.

    Args:
        tasks: `"file.py"`, `"file.py@name"`, or a task made by a `@task` function of a file, whose
            arguments are plain (text, numbers, truths, lists and tables of them).
        log_dir: A local directory, made if missing. A set that is there already is amended.
        model: Model names, such as `"openai/gpt-4o"`.
        task_args: Arguments of the tasks named by file.
        settings: Options of the set by their spec names, such as `epochs=3, retry_wait=10`.

    Returns:
        Whether every cell is complete, and the header of each cell's log, in spec order.

    Raises:
        SetError: for arguments that can't be used. HeldError: when another engine has the set.
    """
    from evaltui.engine.engine import Engine
    from evaltui.engine.launcher import Launcher

    layout = Layout(Path(log_dir))
    named = [tasks] if isinstance(tasks, str) or not isinstance(tasks, Sequence) else list(tasks)
    spec = _spec_there(layout.spec)
    root = spec.root_path(layout.log_dir) if spec else Path.cwd()
    change = Amendment(
        tasks=tuple(
            _entry(task, root, task_args or {}, solver, solver_args or {}) for task in named
        ),
        models=tuple(
            ModelEntry(name, args=model_args or {}, base_url=model_base_url)
            for name in ([model] if isinstance(model, str) else model)
        ),
        settings=_settings(settings),
        model_roles=model_roles or {},
        root=None if spec else relative_to(root, layout.log_dir),
    )
    if not amended(spec or SetSpec(), change).models:
        raise SetError('name a model, such as model="openai/gpt-4o"')
    amend_spec(layout, change)
    _give_id(layout, eval_set_id)
    with Launcher(layout) as launcher:
        outcome = Engine(layout, launcher).run()
    return outcome.end == "complete", _headers(layout)


def _spec_there(path: Path) -> SetSpec | None:
    try:
        return read_spec(path)
    except FileNotFoundError:
        return None


def _settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    found = {}
    for key, value in settings.items():
        if key not in BY_KEY:
            raise SetError(f"{key} is no option of a set; see evaltui run --help")
        try:
            found[key] = checked(BY_KEY[key], value)
        except ValueError as error:
            raise SetError(str(error)) from None
    return found


def _give_id(layout: Layout, eval_set_id: str | None) -> None:
    from evaltui.logs.manifests import ensure_eval_set_id

    if eval_set_id is not None and ensure_eval_set_id(layout.log_dir, eval_set_id) != eval_set_id:
        raise SetError(f"eval_set_id: the set in {layout.log_dir} has another id already")


# --- tasks ---------------------------------------------------------------------------------------


def _entry(
    task: str | Task,
    root: Path,
    task_args: Mapping[str, Any],
    solver: str | None,
    solver_args: Mapping[str, Any],
) -> TaskEntry:
    if isinstance(task, str):
        file, _, name = task.partition("@")
        args = task_args
    else:
        file, name, args = _origin(task)
    path = Path(file).resolve()
    found = tasks_in_file(path)
    if isinstance(found, Skipped):
        raise SetError(f"{found}")
    known = {each.name: each for each in found}
    if name and name not in known:
        raise SetError(f"{file} has no task {name}; it has {', '.join(known)}")
    if not isinstance(task, str):
        _require_plain(known[name], args)
    return TaskEntry(relative_to(path, root), name or None, args, {}, solver, solver_args)


def _origin(task: Task) -> tuple[str, str, dict[str, Any]]:
    """(file, task name, args) from which a worker can make the task again. Raises SetError."""
    made_by = getattr(task, "__registry_info__", None)
    file = getattr(task, "__task_file__", None)
    if made_by is None or file is None:
        raise SetError(
            "a Task made without a @task function of a file can't be made again in a worker; put "
            'it behind @task in a file and pass "file.py@name"'
        )
    args = dict(getattr(task, "__registry_params__", {}))
    return str(file), str(made_by.name).rsplit("/", 1)[-1], args


def _require_plain(task: TaskInfo, args: Mapping[str, Any]) -> None:
    """Raises SetError for an argument that a worker can't be given.

    Inspect keeps anything that is not plain as its text or as a mapping that stands for it: text
    where the signature says otherwise was something else.
    """
    annotations = {param.name: param.annotation for param in task.params}
    for name, value in args.items():
        annotation = annotations.get(name)
        was_text = isinstance(value, str) and annotation and not _takes_text(annotation)
        if was_text or not _is_plain(value):
            what = annotation or type(value).__name__
            raise SetError(
                f"{task.spec}: the argument {name} ({what}) is no plain value, which is all a "
                "worker can be given; pass text, numbers, truths, lists or tables"
            )


def _takes_text(annotation: str) -> bool:
    return bool({"str", "Any", "Literal", "object"} & set(re.findall(r"\w+", annotation)))


def _is_plain(value: Any) -> bool:
    if isinstance(value, Mapping):
        stands_for = {"type", "name", "params"} <= value.keys() or {
            "model",
            "config",
        } <= value.keys()
        return not stands_for and all(_is_plain(part) for part in value.values())
    if isinstance(value, list | tuple):
        return all(_is_plain(part) for part in value)
    return value is None or isinstance(value, str | int | float | bool)


# --- results -------------------------------------------------------------------------------------


def _headers(layout: Layout) -> list[EvalLog]:
    from inspect_ai.log import read_eval_log

    from evaltui.engine.tail import Tail

    logs = [cell.log for cell in Tail(layout).poll().cells.values() if cell.log]
    return [read_eval_log(str(layout.log_dir / log), header_only=True) for log in logs]
