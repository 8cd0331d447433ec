"""An order's settings as the arguments of `eval()`: plain data made into Inspect's types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from evaltui.logs.attempt import Order
from evaltui.options import BY_KEY
from evaltui.worker import bridge
from evaltui.worker.failures import Blocked, sentence

if TYPE_CHECKING:
    from inspect_ai import Epochs, Task

SHARED = ("max_connections", "adaptive_connections", "max_subprocesses", "max_sandboxes")
"""Limits of the lane and the host: the engine divides them, an order holds this worker's part."""


def generate_options(order: Order) -> dict[str, Any]:
    """The set's generate options, as plain data."""
    return _of("generate", order.settings)


def eval_arguments(order: Order, task: Task) -> dict[str, Any]:
    """Arguments of `eval()` but for the task, the model and the error threshold. Raises Blocked.

    Generate options that the model has its own value for are left out: Inspect would put the set's
    before the model's.
    """
    _check_slice(order)
    generate = generate_options(order)
    arguments = {
        **_of("eval", order.settings),
        **{key: order.settings[key] for key in SHARED if key in order.settings},
        **{key: value for key, value in generate.items() if key not in order.cell.model_config},
        "epochs": epochs_argument(order, task),
        "limit": order.rules.limit,
        "sample_id": list(order.rules.sample_id) if order.rules.sample_id is not None else None,
        "sample_shuffle": order.rules.sample_shuffle or None,
    }
    made = {key: _made(key, value) for key, value in arguments.items() if value is not None}
    if order.cell.solver is not None:
        from inspect_ai.solver import SolverSpec

        args = dict(order.cell.solver_args)
        made["solver"] = SolverSpec(order.cell.solver, args, args)
    return made


def epochs_argument(order: Order, task: Task) -> Epochs | None:
    from inspect_ai import Epochs

    reducer: list[str] | None = None
    if order.epochs_reducer is not None:
        reducer = list(order.epochs_reducer) if order.epochs_reducer is not False else []
    if order.rules.epochs is None and reducer is None:
        return None
    try:
        epochs = Epochs(order.rules.epochs or task.epochs or 1, reducer)
        _ = epochs.reducer  # made when first asked for: a name that does not exist shows here
    except Exception as error:
        raise Blocked(f"epochs_reducer {reducer} can't be used: {sentence(error)}.") from error
    return epochs


def _of(goes: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in settings.items() if BY_KEY[key].goes == goes}


def _check_slice(order: Order) -> None:
    """What Inspect refuses only after everything is made."""
    rules = order.rules
    if rules.sample_id is None:
        return
    for other, value in (("limit", rules.limit), ("sample_shuffle", rules.sample_shuffle)):
        if value:
            raise Blocked(f"`sample_id` and `{other}` exclude each other; keep one of them.")


def _made(key: str, value: Any) -> Any:
    maker = _MAKERS.get(key)
    if maker is None:
        return value
    try:
        return maker(value)
    except Exception as error:
        raise Blocked(f"`{key}` can't be used: {sentence(error)}.") from error


def _adaptive(value: Any) -> Any:
    from inspect_ai.util import AdaptiveConcurrency

    if isinstance(value, str) and value.isdigit():
        return int(value)
    return AdaptiveConcurrency.model_validate(value) if isinstance(value, str | dict) else value


def _pair(value: Any) -> Any:
    """JSON has lists where `eval()` wants a range of places, or a sandbox's type and config."""
    return tuple(value) if isinstance(value, list) else value


def _costs(value: Any) -> Any:
    from inspect_ai.model import ModelCost

    if not isinstance(value, dict):
        return value
    return {model: ModelCost.model_validate(cost) for model, cost in value.items()}


_MAKERS: Mapping[str, Callable[[Any], Any]] = {
    "adaptive_connections": _adaptive,
    "approval": bridge.approval,
    "checkpoint": bridge.checkpoint,
    "limit": _pair,
    "model_cost_config": _costs,
    "sandbox": _pair,
    "tags": list,
}
