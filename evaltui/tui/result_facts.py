"""What the set knows of a cell beside its scores: how it stands, what it asks for, what is stale.

Pure: from a picture. A number alone says nothing of whether it may be quoted; this does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from evaltui.cells import Cell as SetCell
from evaltui.cells import canonical
from evaltui.engine.state import CellState, CellStatus
from evaltui.plan import CellPlan
from evaltui.text import count
from evaltui.tui.picture import Picture
from evaltui.tui.row_memory import plain

_STALE: Mapping[str, tuple[str, str]] = {
    "content_changed": (
        "1 of its samples answered another question than today's",
        "{n} of its samples answered another question than today's",
    ),
    "invalidated": (
        "1 of its samples was marked invalid",
        "{n} of its samples were marked invalid",
    ),
    "limit_raised": (
        "1 of its samples stopped at a limit that is raised now",
        "{n} of its samples stopped at a limit that is raised now",
    ),
    "code_changed": (
        "1 of its samples was made by an older version of the task file",
        "{n} of its samples were made by an older version of the task file",
    ),
    "scorer_changed": (
        "1 of its samples was scored by another scorer than today's",
        "{n} of its samples were scored by another scorer than today's",
    ),
}  # fmt: skip
"""Reason to run again, or note of a plan -> the sentence for one sample, and for several."""


class CellFacts(msgspec.Struct, frozen=True):
    """One cell of the set.

    row, column: equal for cells of one task (file, args, solver), and of one model (args, config,
    roles). task, model: their names, with the settings that tell them from others of that name.
    asked: samples the set asks for, epochs counted; 0 where that is not known. done: of the attempt
    that runs. stale: why not all samples of its log are what the set asks for today, in sentences.
    """

    key: str
    row: str
    column: str
    task: str
    model: str
    status: CellStatus = "idle"
    log: str | None = None
    asked: int = 0
    done: int = 0
    message: str = ""
    stale: tuple[str, ...] = ()


def cell_facts(picture: Picture) -> tuple[CellFacts, ...]:
    """What is known of every cell, in spec order."""
    plans = {plan.key: plan for plan in picture.plan.cells} if picture.plan is not None else {}
    states = tuple(picture.state.cells.values())
    rows = [(each.cell.load_key, each.cell.task, _task_settings(each.cell)) for each in states]
    columns = [
        (_model_key(each.cell), each.cell.model, _model_settings(each.cell)) for each in states
    ]
    tasks, models = told_apart(rows), told_apart(columns)
    return tuple(
        _facts(state, plans.get(key), row[0], column[0], tasks[row[0]], models[column[0]])
        for (key, state), row, column in zip(
            picture.state.cells.items(), rows, columns, strict=True
        )
    )


def told_apart(named: Iterable[tuple[str, str, Mapping[str, Any]]]) -> dict[str, str]:
    """Names that differ where the things do: key -> the name, with the settings that differ.

    named: (key, name, settings); things of one name are told apart by what they do not share.
    """
    by_name: dict[str, dict[str, Mapping[str, Any]]] = {}
    for key, name, settings in named:
        by_name.setdefault(name, {})[key] = settings
    found: dict[str, str] = {}
    for name, group in by_name.items():
        telling = differing(list(group.values()))
        for key, settings in group.items():
            said = [f"{each}={plain(settings[each])}" for each in telling if each in settings]
            found[key] = " ".join([name, *said])
    return found


def differing(group: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Settings whose values are not the same in all of the group."""
    names = dict.fromkeys(name for settings in group for name in settings)
    return tuple(name for name in names if len({str(settings.get(name)) for settings in group}) > 1)


def _facts(
    state: CellState, plan: CellPlan | None, row: str, column: str, task: str, model: str
) -> CellFacts:
    planned, progress = state.planned, state.progress
    asked = plan.total if plan is not None else planned.total if planned is not None else 0
    running = state.status == "running" and progress is not None
    if running and progress is not None and progress.total:
        asked = progress.total
    return CellFacts(
        key=state.cell.key,
        row=row,
        column=column,
        task=task,
        model=model,
        status=state.status,
        log=state.log.rsplit("/", 1)[-1] if state.log else None,
        asked=asked,
        done=progress.reused + progress.done if running and progress is not None else 0,
        message=state.message,
        stale=_stale(plan),
    )


def _stale(plan: CellPlan | None) -> tuple[str, ...]:
    if plan is None:
        return ()
    found = dict(plan.reasons)
    for note in plan.notes:
        name, _, number = note.partition(":")
        found[name] = int(number) if number.isdecimal() else 0
    return tuple(
        (one if found[name] == 1 else several).format(n=count(found[name]))
        for name, (one, several) in _STALE.items()
        if found.get(name)
    )


def _task_settings(cell: SetCell) -> dict[str, Any]:
    solver = {"solver": cell.solver} if cell.solver else {}
    return {"file": cell.task_file, **cell.task_args, **solver, **cell.solver_args}


def _model_settings(cell: SetCell) -> dict[str, Any]:
    roles = {f"{role} role": canonical(model) for role, model in cell.model_roles.items()}
    base = {"base_url": cell.base_url} if cell.base_url else {}
    return {**cell.model_args, **cell.model_config, **base, **roles}


def _model_key(cell: SetCell) -> str:
    return canonical(
        [cell.model, cell.model_args, cell.model_config, cell.base_url, cell.model_roles]
    )
