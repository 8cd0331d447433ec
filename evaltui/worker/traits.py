"""What a loaded task is, as plain data: epochs, limits, scorers, config, threshold, solver."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaltui.logs.history import SAMPLE_LIMITS
from evaltui.worker import bridge
from evaltui.worker.failures import Blocked, sentence

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.util import SandboxEnvironmentSpec


@dataclass(frozen=True)
class Traits:
    """The task's own settings, before an order's go over them.

    name: the registry name under which Inspect logs it. growing: its samples come while it runs.
    """

    name: str
    version: int | str
    epochs: int
    reducers: tuple[str, ...]
    limits: Mapping[str, Any]
    fail_on_error: bool | float | None
    scorers: tuple[str, ...]
    config: Mapping[str, Any]
    solver: str | None
    sandbox: str | None
    shuffled: bool
    growing: bool


def traits_of(task: Task) -> Traits:
    return Traits(
        name=task.name,
        version=task.version,
        epochs=task.epochs or 1,
        reducers=tuple(bridge.reducer_names(task)),
        limits=_limits(task),
        fail_on_error=task.fail_on_error,
        scorers=tuple(bridge.scorer_names(task.scorer or [])),
        config=task.config.model_dump(mode="json", exclude_none=True),
        solver=bridge.solver_name(task),
        sandbox=_sandbox(task),
        shuffled=task.dataset.shuffled,
        growing=task.sample_source is not None,
    )


def _limits(task: Task) -> dict[str, Any]:
    """By option name; a token limit that does not meter all tokens as `type:count`."""
    limits = {
        name: getattr(task, name) for name in SAMPLE_LIMITS if getattr(task, name) is not None
    }
    if "token_limit" in limits and task.token_limit_type not in (None, "all"):
        limits["token_limit"] = f"{task.token_limit_type}:{limits['token_limit']}"
    return limits


def sandbox_of(task: Task, asked: Any) -> SandboxEnvironmentSpec | None:
    """The sandbox that samples run in: the one asked for, else the task's. Raises Blocked."""
    try:
        return bridge.resolved_sandbox(task, asked)
    except Exception as error:
        raise Blocked(f"The sandbox can't be used: {sentence(error).rstrip('.')}.") from error


def _sandbox(task: Task) -> str | None:
    sandbox = sandbox_of(task, None)
    if sandbox is not None:
        return sandbox.type
    kinds = {each.sandbox.type for each in task.dataset if each.sandbox is not None}
    return ", ".join(sorted(kinds)) or None
