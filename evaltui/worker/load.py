"""A load: what a task holds today, stored for the plan. No model is made, nothing is run."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from evaltui.logs.archive import LogError
from evaltui.logs.attempt import CellOrder, LoadedTask, LoadOrder
from evaltui.logs.fingerprints import fingerprint_log
from evaltui.logs.layout import AttemptPaths, Layout
from evaltui.logs.loads import VERSION, failed_load, source_fingerprint, write_load
from evaltui.logs.reading import read_log
from evaltui.worker.failures import Blocked, Refused, sentence
from evaltui.worker.items import items_of
from evaltui.worker.scorers import scorer_fingerprints
from evaltui.worker.session import enter
from evaltui.worker.task import load_task
from evaltui.worker.traits import Traits, traits_of

if TYPE_CHECKING:
    from inspect_ai import Task


def load(order: LoadOrder, paths: AttemptPaths) -> None:
    """Carry out the load; the result, or why there is none, is at `loads/<load>.json`."""
    layout = Layout(paths.folder.parents[2])
    for name in order.fingerprint_logs:
        _fingerprint(layout, name)
    write_load(layout, order.load, _loaded(order, layout))


def _fingerprint(layout: Layout, name: str) -> None:
    """Store the fingerprints that a log lacks; one that can't be read is the plan's to report."""
    file = read_log(layout.log_dir / name)
    if file.header is not None:
        try:
            fingerprint_log(layout, file)
        except (LogError, OSError):
            traceback.print_exc()


def _loaded(order: LoadOrder, layout: Layout) -> LoadedTask:
    try:
        enter(layout.log_dir / order.root)
        return load_now(order)
    except (Blocked, Refused) as why:
        traceback.print_exc()
        return _failed(order, str(why))
    except Exception as error:
        traceback.print_exc()
        return _failed(order, f"{order.task_file} does not load: {sentence(error)}.")


def load_now(order: LoadOrder) -> LoadedTask:
    """What the task of `order` holds, seen from the working directory. Raises Blocked."""
    task = load_task(order.task_file, order.task, order.task_args)
    return described(order, task, traits_of(task))


def described(order: LoadOrder | CellOrder, task: Task, traits: Traits) -> LoadedTask:
    """What a built task holds, in the form in which the plan knows it."""
    return LoadedTask(
        version=VERSION,
        task_file=order.task_file,
        task=order.task,
        task_args=order.task_args,
        solver=order.solver,
        solver_args=order.solver_args,
        items=items_of(task.dataset),
        shuffled=traits.shuffled,
        epochs=traits.epochs,
        epochs_reducer=traits.reducers,
        scorers=traits.scorers,
        scorer_sources=scorer_fingerprints(task.scorer or []),
        source=source_fingerprint(Path(order.task_file)),
        limits=traits.limits,
        fail_on_error=traits.fail_on_error,
        task_version=traits.version,
        config=traits.config,
        sandbox=traits.sandbox,
        name=traits.name,
    )


def _failed(order: LoadOrder, why: str) -> LoadedTask:
    return failed_load(order, why, source_fingerprint(Path(order.task_file)))
