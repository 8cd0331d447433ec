"""What a value of each kind of option may be; every mistake is one sentence. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from evaltui.options import Option

_ONE_AT_LEAST = frozenset(
    {"epochs", "max_tasks", "max_samples", "max_connections", "max_subprocesses", "max_sandboxes"}
)
"""Whole numbers at 0 of which nothing would ever start."""


def checked(option: Option, value: Any) -> Any:
    """`value` as `option` takes it. Raises ValueError with one sentence."""
    return _CHECKS[option.kind](option, value)


def _whole(option: Option, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"`{option.key}` must be a whole number, not {value!r}")
    least = 1 if option.key in _ONE_AT_LEAST else 0
    if option.key != "seed" and value < least:
        raise ValueError(f"`{option.key}` must be {least} or more, not {value}")
    return value


def _number(option: Option, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"`{option.key}` must be a number, not {value!r}")
    if value < 0 or value != value:
        raise ValueError(f"`{option.key}` must be 0 or more, not {value}")
    return value


def _text(option: Option, value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"`{option.key}` must be text, not {value!r}")
    return value


def _truth(option: Option, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"`{option.key}` must be true or false, not {value!r}")
    return value


def _limit(option: Option, value: Any) -> int | tuple[int, int]:
    if isinstance(value, str):
        match = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", value)
        if not match:
            raise ValueError(
                f"`{option.key}` must be a count or a range such as 10-20, not {value!r}"
            )
        if match[2]:
            return _range(option, int(match[1]) - 1, int(match[2]))
        value = int(match[1])
    elif isinstance(value, list | tuple):
        if len(value) != 2 or not all(type(part) is int for part in value):
            raise ValueError(f'`{option.key}` as a range is written "10-20"')
        return _range(option, value[0], value[1])
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(
            f"`{option.key}` must be 1 or more, or a range such as 10-20, not {value!r}"
        )
    return value


def _range(option: Option, start: int, stop: int) -> tuple[int, int]:
    """Positions counted from 0, the last one left out, as Inspect has them."""
    if start < 0 or stop <= start:
        raise ValueError(f"`{option.key}` {start + 1}-{stop} holds no sample; write first-last")
    return start, stop


def _ids(option: Option, value: Any) -> tuple[int | str, ...]:
    values = value if isinstance(value, list | tuple) else [value]
    if isinstance(value, str):
        values = [part.strip() for part in value.split(",") if part.strip()]
    if not values or not all(isinstance(part, int | str) for part in values):
        raise ValueError(f'`{option.key}` must be one or more ids, such as [1, 2] or "a,b*"')
    return tuple(values)


def _shuffle(option: Option, value: Any) -> bool | int:
    if not isinstance(value, int):
        raise ValueError(f"`{option.key}` must be true, false or a whole number as seed")
    return value


def _threshold(option: Option, value: Any) -> bool | int | float:
    if isinstance(value, bool):
        return value
    if not isinstance(value, int | float) or value != value:
        raise ValueError(f"`{option.key}` must be true, false, a share below 1 or a count")
    if value == 0:
        raise ValueError(f"`{option.key}` 0 is unclear; true tolerates no error, false any number")
    if value < 0:
        raise ValueError(f"`{option.key}` must be above 0, not {value}; true tolerates no error")
    if value >= 1 and value != int(value):
        raise ValueError(f"`{option.key}` above 1 must be a whole count, not {value}")
    return int(value) if value >= 1 else value


def _retries(option: Option, value: Any) -> int:
    return int(value) if isinstance(value, bool) else _whole(option, value)


def _tokens(option: Option, value: Any) -> int | str:
    return value if isinstance(value, str) else _whole(option, value)


def _adaptive(option: Option, value: Any) -> bool | int | str:
    if isinstance(value, str) and not re.fullmatch(r"\d+(-\d+){0,2}", value):
        raise ValueError(f"`{option.key}` must be true, false, a most, or bounds such as 5-40")
    if not isinstance(value, bool | int | str):
        raise ValueError(f"`{option.key}` must be true, false, a most, or bounds such as 5-40")
    return value


def _strings(option: Option, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if not isinstance(value, list | tuple) or not all(isinstance(part, str) for part in value):
        raise ValueError(f"`{option.key}` must be a list of text")
    return tuple(value)


def _mapping(option: Option, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"`{option.key}` must be a table")
    return value


def _choice(option: Option, value: Any) -> str:
    if value not in option.choices:
        raise ValueError(
            f"`{option.key}` must be one of {', '.join(option.choices)}, not {value!r}"
        )
    return str(value)


def _sandbox(option: Option, value: Any) -> str | tuple[str, str]:
    if isinstance(value, str) and value:
        kind, colon, config = value.partition(":")
        return (kind, config) if colon else kind
    if isinstance(value, list | tuple) and len(value) == 2:
        return str(value[0]), str(value[1])
    raise ValueError(f'`{option.key}` must be a type such as "docker", or "docker:compose.yaml"')


def _reducer(option: Option, value: Any) -> tuple[str, ...] | bool:
    if value is False:
        return False
    return _strings(option, value)


def _setting(option: Option, value: Any) -> Any:
    return value


_CHECKS: Mapping[str, Callable[[Option, Any], Any]] = {
    "int": _whole,
    "float": _number,
    "str": _text,
    "bool": _truth,
    "limit": _limit,
    "ids": _ids,
    "shuffle": _shuffle,
    "threshold": _threshold,
    "retries": _retries,
    "tokens": _tokens,
    "adaptive": _adaptive,
    "strings": _strings,
    "mapping": _mapping,
    "choice": _choice,
    "sandbox": _sandbox,
    "reducer": _reducer,
    "setting": _setting,
}
