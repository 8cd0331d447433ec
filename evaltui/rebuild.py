"""The spec of a directory that has logs and no spec, from `eval-set.json` and the headers. Pure.

What every log agrees on becomes a setting of the set; tasks and models are listed as they ran.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from evaltui.cells import canonical, identity_config
from evaltui.logs.manifests import EvalSetTask
from evaltui.logs.records import LogHeader
from evaltui.options import BY_KEY
from evaltui.spec import ModelEntry, SetSpec, TaskEntry, distinct

_RULES = (
    "limit", "sample_id", "sample_shuffle", "epochs", "epochs_reducer", "fail_on_error",
    "continue_on_fail", "retry_on_error", "score_on_error", "message_limit", "token_limit",
    "turn_limit", "time_limit", "working_limit", "cost_limit", "log_samples",
)  # fmt: skip


def rebuilt(
    headers: Sequence[LogHeader],
    manifest: Sequence[EvalSetTask],
    root: str,
    file_of: Callable[[str], str | None],
) -> SetSpec | None:
    """A spec whose cells these logs are; None when neither they nor the manifest name a task file.

    manifest: what `eval-set.json` lists; it has the order, and what has no log yet.
    file_of: a logged task file -> its path relative to the root, None where it can't be found (the
    logged path is kept then, and the cell will be blocked until the file is back).
    """
    named = [header for header in headers if header.task_file]
    listed = [each for each in manifest if each.task_file and each.name]
    if not named and not listed:
        return None
    place = {each.task_id: each.sequence for each in listed}
    named.sort(key=lambda header: (place.get(header.task_id, len(place)), header.created))
    logged = {header.task_id for header in named}
    unlogged = [each for each in listed if each.task_id not in logged]
    settings = _agreed(header.config for header in named) if named else {}
    tasks = distinct(
        [*(_task(header, file_of) for header in named), *(_listed(e, file_of) for e in unlogged)]
    )
    models = distinct(
        [*(_model(header) for header in named), *(_listed_model(each) for each in unlogged)]
    )
    models = [model for model in models if not _hidden_by(model, models)]
    return SetSpec(root=root, tasks=tuple(tasks), models=tuple(models), settings=settings)


def likely_root(headers: Iterable[LogHeader], candidates: Iterable[Path]) -> Path | None:
    """The first folder under which every logged task file is."""
    files = {header.task_file for header in headers if header.task_file}
    for candidate in candidates:
        if files and all((candidate / file).is_file() for file in files):
            return candidate
    return None


def _task(header: LogHeader, file_of: Callable[[str], str | None]) -> TaskEntry:
    logged = str(PurePosixPath(str(header.task_file).replace("\\", "/")))
    return TaskEntry(
        file=file_of(logged) or logged,
        name=header.task.rsplit("/", 1)[-1],
        args=header.task_args_passed,
        solver=header.solver,
        solver_args=header.solver_args_passed or {},
    )


def _listed(each: EvalSetTask, file_of: Callable[[str], str | None]) -> TaskEntry:
    logged = str(PurePosixPath(str(each.task_file).replace("\\", "/")))
    name = (each.name or "").rsplit("/", 1)[-1]
    return TaskEntry(file_of(logged) or logged, name, each.task_args)


def _listed_model(each: EvalSetTask) -> ModelEntry:
    """The manifest leaves the generate config out; a log of the model would have it."""
    roles = {role: _role(value) for role, value in (each.model_roles or {}).items()}
    return ModelEntry(each.model, args=each.model_args, roles=roles)


def _hidden_by(model: ModelEntry, models: Sequence[ModelEntry]) -> bool:
    """Whether it is only the manifest's word for a model that a log tells more of."""
    return not model.config and any(
        other.name == model.name and other.args == model.args and other.config for other in models
    )


def _model(header: LogHeader) -> ModelEntry:
    return ModelEntry(
        name=header.model,
        config=identity_config(header.model_generate_config),
        args=header.model_args,
        base_url=header.model_base_url,
        roles={role: _role(value) for role, value in (header.model_roles or {}).items()},
    )


def _role(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_role(part) for part in value]
    if not isinstance(value, Mapping):
        return value
    made = {
        "model": value.get("model"),
        "config": identity_config(value.get("config") or {}),
        "args": value.get("args") or {},
        "base_url": value.get("base_url"),
    }
    return {key: part for key, part in made.items() if part}


def _agreed(configs: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What all logs were run with alike; a setting that is not alike belongs to none."""
    all_configs = list(configs)
    settings: dict[str, Any] = {}
    for key in _RULES:
        values = {canonical(config.get(key)) for config in all_configs}
        value = all_configs[0].get(key)
        if len(values) == 1 and value is not None and not _neutral(key, value):
            settings[key] = tuple(value) if isinstance(value, list) else value
    return settings


def _neutral(key: str, value: Any) -> bool:
    """Whether Inspect wrote down what it does anyway."""
    defaults = {"fail_on_error": True, "log_samples": True, "epochs": 1, "epochs_reducer": ["mean"]}
    return bool(defaults.get(key) == value or (BY_KEY[key].kind == "bool" and value is False))
