"""A cell made real: its task of today, its models, and what `eval()` is called with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaltui.logs.attempt import Order
from evaltui.worker.model import make_model, make_roles
from evaltui.worker.settings import eval_arguments, generate_options
from evaltui.worker.task import load_task
from evaltui.worker.traits import Traits, sandbox_of, traits_of

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.model import Model
    from inspect_ai.util import SandboxEnvironmentSpec


@dataclass(frozen=True)
class RealCell:
    """arguments: of `eval()`, but for the task, the models and the error threshold."""

    task: Task
    traits: Traits
    sandbox: SandboxEnvironmentSpec | None
    model: Model
    roles: dict[str, Model | list[Model]]
    arguments: Mapping[str, Any]


def realise(order: Order) -> RealCell:
    """The task, then its models: a task file may register their provider. Raises Blocked."""
    task = load_task(order.cell.task_file, order.cell.task, order.cell.task_args)
    arguments = eval_arguments(order, task)
    return RealCell(
        task=task,
        traits=traits_of(task),
        sandbox=sandbox_of(task, arguments.get("sandbox")),
        model=make_model(order.cell, generate_options(order)),
        roles=make_roles(order.cell.model_roles),
        arguments=arguments,
    )
