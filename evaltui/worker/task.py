"""A cell's task as it is today: its file executed, its arguments checked, its `Task` built.

No model is made here and nothing is called. What goes wrong becomes one sentence (`Blocked`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaltui.worker import bridge
from evaltui.worker.arguments import fitted
from evaltui.worker.failures import Blocked, place_in, sentence

if TYPE_CHECKING:
    from inspect_ai import Task


def load_task(file: str, name: str, args: Mapping[str, Any]) -> Task:
    """The task `name` of `file`, built with `args`; paths relative to the working directory.

    A file without the ending of one is the name of an installed package's task. Raises Blocked.
    """
    path = Path(file)
    if path.suffix not in (".py", ".ipynb"):
        return _packaged(file, name, args)
    if not path.is_file():
        raise Blocked(f"{file} does not exist; restore it or take the task out of the set.")
    try:
        bridge.run_file(path)
    except (Exception, SystemExit) as error:
        raise Blocked(f"{file} does not load{place_in(path, error)}: {sentence(error)}.") from error
    function = bridge.registered_task(name)
    if function is None:
        raise Blocked(f"{file} has no task {name}; rename it in the spec or restore it.")
    given = fitted(function, name, args)
    try:
        task = bridge.make_task(path, bridge.registry_name(function), given)
    except (Exception, SystemExit) as error:
        where = place_in(path, error)
        if other := re.fullmatch(
            r"'(\w+)' object has no attribute '__registry_info__'", str(error)
        ):
            raise Blocked(_no_task(f"{name} of {file}", other[1])) from error
        raise Blocked(f"Task {name} of {file} does not load{where}: {sentence(error)}.") from error
    return _checked(task, f"{name} of {file}")


def _packaged(file: str, name: str, args: Mapping[str, Any]) -> Task:
    full = file if not name or file.rsplit("/", 1)[-1] == name else f"{file}/{name}"
    function = bridge.registered_task(full)
    given = fitted(function, full, args) if function is not None else dict(args)
    try:
        return _checked(bridge.make_packaged_task(full, given), full)
    except IndexError:
        raise Blocked(f"There is no task {full}; name a task file or an installed task.") from None
    except (Exception, SystemExit) as error:
        raise Blocked(f"Task {full} does not load: {sentence(error)}.") from error


def _no_task(said: str, kind: str) -> str:
    return f"Task {said} returns a {kind} where a Task is needed."


def _checked(task: object, said: str) -> Task:
    from inspect_ai import Task

    if not isinstance(task, Task):
        raise Blocked(_no_task(said, type(task).__name__))
    seen: set[str] = set()
    for sample in task.dataset:
        id = str(sample.id)
        if sample.id is not None and id in seen:
            raise Blocked(f"Task {said} has two samples with the id {id}; ids must differ.")
        seen.add(id)
    return task
