"""An attempt's order from a cell, the spec and the plan. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from evaltui.cells import Cell
from evaltui.engine.shares import Share
from evaltui.logs.attempt import Action, CellOrder, LoadOrder, Order, Verdict
from evaltui.plan import Asked, rules_for
from evaltui.spec import SetSpec

VERSION = 1
SLICE = ("limit", "sample_id", "sample_shuffle")


class Attempt(msgspec.Struct, frozen=True):
    """What is decided about one attempt beside its cell and the spec.

    name: of its folder. number: from 1 in its cell. reason: in a word or two, for people.
    since: when this engine's run began, unix seconds. rerun: the engine starts it by itself.
    rescore: a person asked for it, so every kept sample is scored again.
    logs: of the cell, best first. verdicts: of the plan; None leaves them to the worker.
    """

    name: str
    number: int
    reason: str
    action: Action
    since: float
    rerun: bool = False
    retry_errors: bool = False
    rescore: bool = False
    logs: Sequence[str] = ()
    verdicts: Sequence[Verdict] | None = None


def order(
    spec: SetSpec,
    cell: Cell,
    attempt: Attempt,
    connections: Share,
    host: Mapping[str, Any],
    *,
    log_dir: str,
    eval_set_id: str,
    task_names: Collection[str] = (),
) -> Order:
    """The order of `attempt`.

    connections, host: this worker's shares of the lane's and the host's limits.
    task_names: all of the set, since `sample_id` may name samples of one task.
    """
    in_model = _set_by_model(cell, connections)
    asked = Asked(attempt.retry_errors, rerun=attempt.rerun, since=utc(attempt.since))
    settings = {
        **{key: value for key, value in spec.arguments("eval").items() if key not in SLICE},
        **spec.arguments("generate"),
        **({} if in_model else connections.settings),
        **host,
    }
    return Order(
        version=VERSION,
        attempt=attempt.name,
        number=attempt.number,
        reason=attempt.reason,
        action=attempt.action,
        cell=_with_config(cell.order(), connections) if in_model else cell.order(),
        root=spec.root,
        log_dir=log_dir,
        eval_set_id=eval_set_id,
        settings=settings,
        rules=rules_for(cell, spec, task_names, asked),
        epochs_reducer=spec.settings.get("epochs_reducer"),
        fail_on_error=spec.settings.get("fail_on_error"),
        error_rule=spec.settings.get("error_rule", "more-than"),
        logs=tuple(attempt.logs),
        verdicts=None if attempt.verdicts is None else tuple(attempt.verdicts),
        rescore_all=attempt.rescore,
    )


def _set_by_model(cell: Cell, connections: Share) -> bool:
    """Whether the model entry bounds its lane itself; its config stands above the set's."""
    return any(key in cell.model_config for key in connections.settings)


def _with_config(cell: CellOrder, connections: Share) -> CellOrder:
    return msgspec.structs.replace(cell, model_config={**cell.model_config, **connections.settings})


def utc(seconds: float) -> str:
    """Unix seconds as ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S+00:00")


def load_order(
    spec: SetSpec, cell: Cell, name: str, log_dir: str, unprinted: Sequence[str]
) -> LoadOrder:
    """The order to load a cell's task; `unprinted`: its logs without stored fingerprints."""
    return LoadOrder(
        version=VERSION,
        load=name,
        root=spec.root,
        log_dir=log_dir,
        task_file=cell.task_file,
        task=cell.task,
        task_args=cell.task_args,
        solver=cell.solver,
        solver_args=cell.solver_args,
        fingerprint_logs=tuple(unprinted),
    )
