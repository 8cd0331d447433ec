"""Fingerprints of scorers: of the code that scores, as far as it is the user's, and its parameters.

A score is comparable with another when these are equal. Metrics are not part of it: they are
computed anew from the scores each time.
"""

from __future__ import annotations

import inspect
import sysconfig
import types
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaltui.cells import digest
from evaltui.worker import bridge

if TYPE_CHECKING:
    from inspect_ai.scorer import Scorer

_INSTALLED = [sysconfig.get_path(place) for place in ("stdlib", "purelib", "platlib")]
_SANDBOX = {"sandbox", "sandbox_with", "sandbox_default"}
_PLAIN_TYPES = (str, int, float, bool, type(None))


def scorer_fingerprints(scorers: Sequence[Scorer]) -> dict[str, str]:
    """Name in the log -> fingerprint."""
    names = bridge.scorer_names(scorers)
    return {name: _fingerprint(scorer) for name, scorer in zip(names, scorers, strict=True)}


def needs_sandbox(scorer: Scorer) -> bool:
    """Whether the scorer's code asks for a sandbox, as far as names in it tell."""
    made = bridge.made_by(scorer)
    return any(_names_used(each) & _SANDBOX for each in _functions(made[1] if made else scorer))


def _fingerprint(scorer: Scorer) -> str:
    made = bridge.made_by(scorer)
    if made is None:
        return digest([_sources(scorer)])
    name, maker, params = made
    return digest([name, _described(params), _sources(maker)])


def _sources(start: object) -> list[list[Any]]:
    """Source of a function and of what it uses, as far as it is not of an installed package.

    Those go by their names: an update of Inspect is no reason to score everything again.
    """
    found: dict[str, Any] = {}
    for function in _functions(start):
        if _is_installed(function):
            continue
        found[_name(function)] = _source(function)
        scope = _scope(function)
        constants = {name: scope[name] for name in _names_used(function) & scope.keys()}
        found.update(
            (name, _described(value)) for name, value in constants.items() if _is_plain(value)
        )
    return [[name, found[name]] for name in sorted(found)]


def _functions(start: object) -> Iterable[object]:
    """A function, and those it uses by name, and so on; of an installed package only the first."""
    seen: set[str] = set()
    waiting = [inspect.unwrap(start)] if callable(start) else []
    while waiting:
        function = waiting.pop()
        if _name(function) in seen or (seen and _is_installed(function)):
            continue
        seen.add(_name(function))
        yield function
        scope = _scope(function)
        used = [scope[name] for name in sorted(_names_used(function) & scope.keys())]
        waiting += [
            inspect.unwrap(each) for each in used if isinstance(each, types.FunctionType | type)
        ]


def _name(function: object) -> str:
    return str(getattr(function, "__qualname__", type(function).__qualname__))


def _is_installed(function: object) -> bool:
    try:
        file = inspect.getsourcefile(function)  # type: ignore[arg-type]
    except TypeError:  # built in
        return True
    return file is not None and any(Path(file).is_relative_to(place) for place in _INSTALLED)


def _scope(function: object) -> Mapping[str, Any]:
    scope: Mapping[str, Any] | None = getattr(function, "__globals__", None)
    return scope if scope is not None else vars(inspect.getmodule(function) or types)


def _source(function: object) -> str:
    try:
        return inspect.getsource(function)  # type: ignore[arg-type]
    except (OSError, TypeError):  # made by `exec`, or in C
        return _name(function)


def _names_used(function: object) -> set[str]:
    if isinstance(function, type):
        return {name for each in vars(function).values() for name in _names_used(each)}
    code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
    return set(_names_in(code)) if code is not None else set()


def _names_in(code: types.CodeType) -> Iterable[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_in(constant)


def _is_plain(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(_is_plain(part) for pair in value.items() for part in pair)
    if isinstance(value, list | tuple | set | frozenset):
        return all(_is_plain(part) for part in value)
    return isinstance(value, _PLAIN_TYPES)


def _described(value: Any) -> Any:
    """A parameter as JSON that does not change from process to process."""
    if isinstance(value, _PLAIN_TYPES):
        return value
    if isinstance(value, Mapping):
        return {str(key): _described(part) for key, part in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((_described(part) for part in value), key=str)
    if isinstance(value, list | tuple):
        return [_described(part) for part in value]
    name = getattr(value, "__qualname__", None) or getattr(value, "name", None)
    return f"<{type(value).__qualname__} {name}>" if isinstance(name, str) else str(type(value))
