"""Filters over task attributes: the `-F` expressions. Pure.

    key=value    equal. The value is read as YAML by the library that Inspect reads it with, and
                 `a,b` is a list of texts. A task without the attribute has the value null.
    key!=value   not equal, so also a task without the attribute
    key~=glob    the attribute, or an item of a list, matches the pattern (`*`, `?`, `[abc]`)
    key<value    less, and `<=`, `>`, `>=`: numbers with numbers, text with text

In `inspect list tasks`, `key~=value` means not equal. It keeps that meaning here as long as the
value has no wildcard; with one it is a pattern, which Inspect has not. Unlike Inspect, two filters
on one key must both hold (there the last one counts), `==` is read as `=`, a date stays the text it
was written as, and an expression without an operator is an error (there it is dropped).

An attribute that is not a constant is taken for absent, as Inspect takes it; `TaskInfo.expressions`
names those, so that it can be said.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from datetime import date
from fnmatch import fnmatchcase
from typing import Any, Literal, cast

import msgspec

from evaltui.discovery.found import TaskInfo

Operator = Literal["=", "!=", "glob", "<", "<=", ">", ">="]
EXPRESSION = re.compile(r"\s*([^\W\d][\w-]*)\s*(!=|~=|<=|>=|==|=|<|>)(.*)", re.DOTALL)
ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class FilterError(ValueError):
    """An expression that is no filter: one sentence with the way out."""


class Filter(msgspec.Struct, frozen=True):
    """One condition on one attribute. `text` is the expression as the user wrote it."""

    text: str
    key: str
    operator: Operator
    value: Any

    def matches(self, task: TaskInfo) -> bool:
        actual = task.attribs.get(self.key)
        if self.operator == "=":
            return bool(actual == self.value)
        if self.operator == "!=":
            return bool(actual != self.value)
        if self.operator == "glob":
            return self.key in task.attribs and _like(actual, self.value)
        return _comparable(actual, self.value) and ORDER[self.operator](actual, self.value)


def parse_filter(text: str) -> Filter:
    """The filter that an expression such as `level>=2` stands for. Raises `FilterError`."""
    found = EXPRESSION.fullmatch(text)
    if not found:
        way_out = f"{text.strip()}=true" if re.fullmatch(r"\s*[\w-]+\s*", text) else "key=value"
        raise FilterError(
            f'The filter "{text}" has no key and operator; write for example {way_out}.'
        )
    key, sign, raw = found.group(1).replace("-", "_"), found.group(2), found.group(3).strip()
    if sign == "~=" and _is_pattern(raw):
        return Filter(text, key, "glob", raw)
    value = _value(text, raw)
    if sign in ORDER:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise FilterError(f'The filter "{text}" needs a number or a text after {sign}.')
        return Filter(text, key, cast(Operator, sign), value)
    return Filter(text, key, "=" if sign in ("=", "==") else "!=", _comma_list(value))


def _is_pattern(raw: str) -> bool:
    if raw[:1] in ("'", '"'):  # what is quoted stands for itself
        return False
    return any(mark in raw for mark in "*?") or "[" in raw[1:]


def _value(text: str, raw: str) -> Any:
    import yaml

    try:
        value = yaml.safe_load(raw)
    except (yaml.YAMLError, RecursionError):
        raise FilterError(
            f'The filter "{text}" has a value that is not YAML; quote it, or write key~=glob for a '
            "pattern."
        ) from None
    except ValueError:  # the form of a date, but not one
        return raw
    return raw if isinstance(value, date) else value


def _comma_list(value: Any) -> Any:
    """`web,crypto` stands for a list of two texts, as Inspect has it."""
    if isinstance(value, str) and "," in value:
        return value.split(",")
    return value


def _like(actual: Any, pattern: str) -> bool:
    items = actual if isinstance(actual, list | tuple | set | frozenset) else [actual]
    return any(fnmatchcase(_as_text(item), pattern) for item in items)


def _as_text(value: Any) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _comparable(left: Any, right: Any) -> bool:
    if isinstance(left, str):
        return isinstance(right, str)
    number = isinstance(left, int | float) and not isinstance(left, bool)
    return number and isinstance(right, int | float)
