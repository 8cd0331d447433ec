"""A change of the spec as a person could make it without the screen. Pure.

A command line where there is one for it, else the lines of `evalset.toml` that it writes.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from evaltui.options import BY_KEY
from evaltui.spec import Amendment, ModelEntry, TaskEntry
from evaltui.tui.forms import quoted, read_value, setting_text


def said_otherwise(log_dir: Path, change: Amendment) -> tuple[str, ...]:
    """The command that makes this change, or what it writes and takes out, a line each."""
    words = _command(change)
    if words is not None:
        return (shlex.join(["evaltui", str(log_dir), *words]),)
    return tuple(_lines(change))


def _command(change: Amendment) -> list[str] | None:
    """The words behind the log directory; None where no command says this."""
    if change.drop_tasks or change.drop_models or len(change.models) > 1:
        return None
    if any(entry.sweep or any(map(_listed, entry.args.values())) for entry in change.tasks):
        return None
    if any(value is None for value in change.settings.values()):
        return None
    args = [entry.args for entry in change.tasks]
    if any(each != args[0] for each in args):
        return None
    words = [f"{e.file}@{e.name}" if e.name else e.file for e in change.tasks]
    for name, value in args[0].items() if args else ():
        words += ["-T", f"{name}={_written(value)}"]
    for model in change.models:
        words += _model_words(model)
    for key, value in change.settings.items():
        option = BY_KEY[key]
        if value is False and option.off:
            words.append(option.off)
        elif option.flag:
            words += [option.flag] if value is True else [option.flag, setting_text(key, value)]
        else:
            return None
    return words


def _model_words(model: ModelEntry) -> list[str]:
    if not model.config and not model.args and model.base_url is None:
        return ["--model", model.name]
    fields: dict[str, Any] = {"model": model.name, **model.config}
    if model.args:
        fields["model_args"] = dict(model.args)
    if model.base_url is not None:
        fields["base_url"] = model.base_url
    return ["--model-spec", json.dumps(fields, ensure_ascii=False, default=str)]


def _lines(change: Amendment) -> Iterator[str]:
    for task in change.drop_tasks:
        yield f"evalset.toml without [[task]] {_task(task)}"
    for model in change.drop_models:
        yield f"evalset.toml without [[model]] {_toml(model.name)}"
    for task in change.tasks:
        yield f"evalset.toml: [[task]] {_task(task)}"
    for model in change.models:
        yield f"evalset.toml: [[model]] name = {_toml(model.name)}"
    for key, value in change.settings.items():
        if value is None:
            yield f"evalset.toml without {key}"
        else:
            yield f"evalset.toml: {key} = {_toml(value)}"


def _task(entry: TaskEntry) -> str:
    parts = [f"file = {_toml(entry.file)}"]
    if entry.name is not None:
        parts.append(f"name = {_toml(entry.name)}")
    parts += [f"{key} = {_toml(getattr(entry, key))}" for key in ("args", "sweep")
              if getattr(entry, key)]  # fmt: skip
    return ", ".join(parts)


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{k} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(part) for part in value) + "]"
    return json.dumps(value, ensure_ascii=False, default=str)


def _listed(value: Any) -> bool:
    """Whether `-T` would read something else: it takes a list and any comma for a list of texts."""
    return isinstance(value, list | tuple | Mapping) or (isinstance(value, str) and "," in value)


def _written(value: Any) -> str:
    """A value so that the command line reads the same from it."""
    if isinstance(value, str):
        plain = read_value(value) == value
        return value if plain else quoted(value)
    return json.dumps(value) if not isinstance(value, date) else str(value)
