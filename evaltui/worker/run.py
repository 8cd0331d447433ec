"""An attempt's work: the task loaded, the samples to keep handed over, `eval()` called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaltui.logs.attempt import EndStatus, Order
from evaltui.logs.layout import AttemptPaths, Layout
from evaltui.reuse.tolerance import tolerated_errors
from evaltui.worker import bridge, session, tolerance
from evaltui.worker.buffer import kept_buffer_folder
from evaltui.worker.draining import Drain
from evaltui.worker.events import EventLog
from evaltui.worker.hooks import Heard, listen
from evaltui.worker.model import make_model, make_roles
from evaltui.worker.outcome import outcome
from evaltui.worker.settings import eval_arguments, generate_options
from evaltui.worker.task import load_task
from evaltui.worker.traits import Traits, traits_of

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.log import EvalLog
    from inspect_ai.model import Model


@dataclass(frozen=True)
class Cell:
    """A cell made real: its task and models of today, and what `eval()` is called with."""

    task: Task
    traits: Traits
    model: Model
    roles: dict[str, Model | list[Model]]
    arguments: Mapping[str, Any]


def run(order: Order, paths: AttemptPaths, events: EventLog) -> EndStatus:
    """Carry the attempt out up to and with its `ended` event.

    Raises Blocked, Refused, Replan and HeldBack before anything is called.
    """
    layout = Layout(paths.folder.parents[2])
    session.enter(layout.log_dir / order.root, order.environment)
    cell = realise(order)
    epochs = order.rules.epochs or cell.traits.epochs
    samples = len(cell.task.dataset)
    _say_loaded(events, order, cell, samples, epochs)
    drain = Drain(paths.drain)
    heard = listen(events, lambda task_id, eval_id: drain.watch(task_id))
    with kept_buffer_folder(layout.log_dir):
        log = _evaluate(order, cell, layout, samples * epochs)
    missing = samples * epochs - heard.completed - heard.errored
    return _say_ended(events, heard, log, missing)


def realise(order: Order) -> Cell:
    """The task, then its models: a task file may register their provider. Raises Blocked."""
    task = load_task(order.cell.task_file, order.cell.task, order.cell.task_args)
    return Cell(
        task=task,
        traits=traits_of(task),
        model=make_model(order.cell, generate_options(order)),
        roles=make_roles(order.cell.model_roles),
        arguments=eval_arguments(order, task),
    )


def _say_loaded(events: EventLog, order: Order, cell: Cell, samples: int, epochs: int) -> None:
    traits = cell.traits
    events.loaded(
        samples=samples,
        epochs=epochs,
        total=samples * epochs,
        scorers=traits.scorers,
        limits={**traits.limits, **order.rules.sample_limits},
        tolerates=tolerated_errors(_threshold(order, cell), order.error_rule, samples * epochs),
        task_version=traits.version,
        config=traits.config,
        solver=order.cell.solver or traits.solver,
        growing=traits.growing,
    )


def _threshold(order: Order, cell: Cell) -> bool | float | None:
    return cell.traits.fail_on_error if order.fail_on_error is None else order.fail_on_error


def _evaluate(order: Order, cell: Cell, layout: Layout, total: int) -> EvalLog | None:
    """The header of the log that Inspect wrote; None where it was torn down."""
    from inspect_ai import eval

    resolved = bridge.resolved_task(
        cell.task,
        id=bridge.new_id(),
        args=order.cell.task_args,
        model=cell.model,
        model_roles=cell.roles,
        sandbox=cell.arguments.get("sandbox"),
        previous=None,
        previous_file=None,
        checkpoint=cell.arguments.get("checkpoint"),
    )
    logs = eval(
        resolved,
        model=cell.model,
        model_roles=cell.roles,
        display="none",
        log_dir=str(layout.log_dir),
        log_format="eval",
        log_header_only=True,
        eval_set_id=order.eval_set_id,
        fail_on_error=tolerance.for_inspect(
            _threshold(order, cell), order.error_rule, total, cell.traits.growing
        ),
        **cell.arguments,
    )
    return logs[0] if logs else None


def _say_ended(events: EventLog, heard: Heard, log: EvalLog | None, missing: int) -> EndStatus:
    ended = outcome(log, heard, missing)
    events.ended(
        ended.status,
        error=ended.error,
        log=heard.log.name if heard.log is not None else None,
        metrics=ended.metrics,
        errored=heard.errored,
        completed=heard.completed,
    )
    return ended.status
