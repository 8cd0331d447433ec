"""The argument form of a task: from its parameters to fields, from typed texts to an entry. Pure.

Parameters come from parsing the task's file; nothing of it is run. A list with commas is a sweep:
a cell for each of its values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from evaltui.discovery import Param, TaskInfo
from evaltui.settings import nearest
from evaltui.spec import TaskEntry
from evaltui.tui.forms import quoted, read_pairs, read_value, split_list, writable
from evaltui.tui.secrets_typed import is_key, refusal

_SCALARS: Mapping[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "str": (str,),
    "None": (type(None),),
}


class Arguments(msgspec.Struct, frozen=True):
    """What the texts of a form say. wrong: parameter -> why its text can't be taken."""

    args: Mapping[str, Any] = msgspec.field(default_factory=dict)
    sweep: Mapping[str, Sequence[Any]] = msgspec.field(default_factory=dict)
    wrong: Mapping[str, str] = msgspec.field(default_factory=dict)

    @property
    def points(self) -> int:
        """How many argument sets the sweep makes; each is a cell on every model."""
        return math.prod(len(values) for values in self.sweep.values())


def read_arguments(task: TaskInfo, texts: Mapping[str, str]) -> Arguments:
    """The arguments that `texts` (parameter -> typed) give a task. An empty text leaves one out."""
    args: dict[str, Any] = {}
    sweep: dict[str, list[Any]] = {}
    wrong: dict[str, str] = {}
    for param in task.params:
        text = texts.get(param.name, "").strip()
        try:
            if param.variadic:
                args.update(_further(task, text))
            elif text and is_key(param.name):
                raise ValueError(refusal(param.name, param.name.upper()))
            elif text and _says_default_null(param, text):
                continue  # TOML has no null: left out, it is what is asked for
            elif text:
                values = _values(param, text)
                if len(values) == 1:
                    args[param.name] = values[0]
                else:
                    sweep[param.name] = values
            elif param.required:
                raise ValueError(f"{task.name} needs {param.name}: it has no default")
        except ValueError as error:
            wrong[param.name] = str(error)
    return Arguments(args, sweep, wrong)


def entry_for(task: TaskInfo, arguments: Arguments, changed: TaskEntry | None = None) -> TaskEntry:
    """The `[[task]]` that a form stands for. changed: the entry whose place it takes; what the form
    has no field for stays as it is there.
    """
    entry = changed or TaskEntry(task.file)
    return replace(entry, name=task.name, args=arguments.args, sweep=arguments.sweep)


def unknown_arguments(task: TaskInfo, entry: TaskEntry | None) -> tuple[str, ...]:
    """Arguments of an entry that the task does not take."""
    if entry is None or any(param.variadic for param in task.params):
        return ()
    known = {param.name for param in task.params}
    return tuple(name for name in (*entry.args, *entry.sweep) if name not in known)


def argument_texts(task: TaskInfo, entry: TaskEntry | None) -> dict[str, str]:
    """The texts that a form begins with: those of an entry of the set, else none."""
    if entry is None:
        return {param.name: "" for param in task.params}
    named = {param.name: param for param in task.params if not param.variadic}
    texts = {name: _written(entry, name, named[name].annotation) for name in named}
    further = {k: v for k, v in entry.args.items() if k not in named}
    for param in task.params:
        if param.variadic:
            texts[param.name] = ", ".join(f"{k}={_text(v)}" for k, v in further.items())
    return texts


def _written(entry: TaskEntry, name: str, annotation: str | None) -> str:
    if name in entry.sweep:
        return ", ".join(_text(value, annotation) for value in entry.sweep[name])
    return _text(entry.args[name], annotation) if name in entry.args else ""


def described(param: Param) -> str:
    """What a field says beside its name: `int = 0`, `str, required`, `key=value, …`."""
    if param.variadic:
        return "further arguments, key=value"
    kind = param.annotation or ""
    if param.required:
        return f"{kind}, required" if kind else "required"
    default = param.expression if param.expression is not None else _text(param.default)
    return f"{kind} = {default}".strip()


def _further(task: TaskInfo, text: str) -> dict[str, Any]:
    pairs = read_pairs(text)
    own = [param.name for param in task.params if not param.variadic]
    for name in pairs:
        if is_key(name):
            raise ValueError(refusal(name, name.upper()))
        if name in own:
            raise ValueError(f"{name} has a field of its own; write it there")
    return pairs


def _says_default_null(param: Param, text: str) -> bool:
    null = read_value(text) is None and "str" not in (_kinds(param.annotation) or ())
    return null and not param.required and param.default is None and param.expression is None


def _values(param: Param, text: str) -> list[Any]:
    parts = split_list(text)
    if not parts:
        raise ValueError(f"{param.name} is only commas; write a value, or values between them")
    values = [_value(param, part) for part in parts]
    for place, value in enumerate(values):
        if any(value == other and type(value) is type(other) for other in values[:place]):
            raise ValueError(f"{_text(value)} is in the sweep twice; keep one of them")
    return values


def _value(param: Param, text: str) -> Any:
    kinds = _kinds(param.annotation)
    value = read_value(text)
    if kinds is None or any(_is_of(value, kind) for kind in kinds):
        return writable(value)
    if "str" in kinds:
        return text  # 007 and true are text where text is asked for
    raise ValueError(f"{param.name} must be {' or '.join(kinds)}, not {text!r}{_near(param, text)}")


def _is_of(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "bool"
    return isinstance(value, _SCALARS[kind])


def _near(param: Param, text: str) -> str:
    return nearest(text, ("true", "false")) if "bool" in (_kinds(param.annotation) or ()) else ""


def _kinds(annotation: str | None) -> list[str] | None:
    """The plain types an annotation names; None where it names another, and anything goes."""
    if annotation is None:
        return None
    text = annotation.strip("\"' ")
    if text.startswith("Optional[") and text.endswith("]"):
        text = f"{text[len('Optional[') : -1]} | None"
    kinds = [part.strip() for part in text.split("|")]
    return kinds if all(kind in _SCALARS for kind in kinds) else None


def _text(value: Any, annotation: str | None = None) -> str:
    """A value as one types it, so that it is read as the same value."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        plain = split_list(value) == [value] and (
            "str" in (_kinds(annotation) or ()) or read_value(value) == value
        )
        return value if plain else quoted(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_text(part) for part in value)}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{k}: {_text(v)}' for k, v in value.items())}}}"
    return str(value)
