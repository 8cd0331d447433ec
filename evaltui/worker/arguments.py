"""Task arguments held against the function that takes them: names checked, values typed.

Pure but for the text of annotations, which is evaluated where the function was defined.
"""

from __future__ import annotations

import contextlib
import difflib
import enum
import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

from evaltui.worker.failures import Blocked


def fitted(function: Callable[..., object], name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """`args` as the task `name` takes them. Raises Blocked with one sentence."""
    parameters = inspect.signature(function).parameters
    named = {
        key: parameter
        for key, parameter in parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }
    if not any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        for key in args:
            if key not in named:
                raise Blocked(_unknown(name, key, list(named)))
    missing = [
        key
        for key, parameter in named.items()
        if parameter.default is parameter.empty and key not in args
    ]
    if missing:
        needed = ", ".join(f"-T {key}=…" for key in missing)
        raise Blocked(f"Task {name} lacks its argument {_listed(missing)}; give {needed}.")
    kinds = _annotations(function)
    return {
        key: _typed(name, key, value, kinds[key]) if key in kinds else value
        for key, value in args.items()
    }


def _unknown(name: str, key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, 1, 0.5)
    if near:
        return f"Task {name} has no argument `{key}`; did you mean `{near[0]}`?"
    takes = f"it takes {_listed(known)}" if known else "it takes none"
    return f"Task {name} has no argument `{key}`; {takes}."


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _annotations(function: Callable[..., object]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(inspect.unwrap(function))
    except Exception:  # a name that only a type checker sees: values pass as they are
        return {}


def _typed(name: str, key: str, value: Any, kind: Any) -> Any:
    try:
        return converted(value, kind)
    except ValueError as error:
        raise Blocked(f"Argument `{key}` of task {name} {error}, not {value!r}.") from None


def converted(value: Any, kind: Any) -> Any:
    """`value` as a `kind`, where it can mean only that; ValueError where it can't be one.

    Kinds that are not plain data leave the value as it is.
    """
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _one_of(value, get_args(kind))
    if origin is Literal:
        return _choice(value, {str(each): each for each in get_args(kind)})
    if kind in _PLAIN:
        return _PLAIN[kind](value)
    if origin in (list, tuple, set, Sequence) or kind in (list, tuple, set):
        return _many(value, origin or kind, get_args(kind))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        choices = {str(each.value): each for each in kind} | {each.name: each for each in kind}
        return value if isinstance(value, kind) else _choice(value, choices)
    return value


def _one_of(value: Any, kinds: tuple[Any, ...]) -> Any:
    if value is None and type(None) in kinds:
        return None
    for kind in kinds:
        if isinstance(kind, type) and type(value) is kind:
            return value
    failure: ValueError | None = None
    for kind in kinds:
        if kind is not type(None):
            try:
                return converted(value, kind)
            except ValueError as error:
                failure = failure or error
    if failure is not None:
        raise failure
    return value


def _choice(value: Any, choices: Mapping[str, Any]) -> Any:
    if str(value) not in choices:
        raise ValueError(f"must be one of {', '.join(choices)}")
    return choices[str(value)]


def _many(value: Any, kind: Any, inner: tuple[Any, ...]) -> Any:
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    elif not isinstance(value, list | tuple | set):
        value = [value]
    element = inner[0] if inner and (kind is not tuple or inner[1:] in ((), (Ellipsis,))) else Any
    made = [converted(each, element) for each in value]
    return {tuple: tuple, set: set}.get(kind, list)(made)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()  # as it was written: YAML had made a truth of it
    if isinstance(value, str | int | float):
        return str(value)
    raise ValueError("must be text")


def _whole(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    with contextlib.suppress(ValueError):
        if isinstance(value, str):
            return int(value)
    raise ValueError("must be a whole number")


def _number(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    with contextlib.suppress(ValueError):
        if isinstance(value, str):
            return float(value)
    raise ValueError("must be a number")


def _truth(value: Any) -> bool:
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if str(value).lower() not in words:
        raise ValueError("must be true or false")
    return words[str(value).lower()]


_PLAIN: Mapping[Any, Callable[[Any], Any]] = {
    str: _text,
    int: _whole,
    float: _number,
    bool: _truth,
    Path: lambda value: Path(_text(value)),
}
