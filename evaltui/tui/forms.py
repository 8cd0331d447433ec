"""What is typed into a form, read as values: settings of a set, `key=value` pairs, lists. Pure.

Text becomes values as on the command line (YAML), and everything that can't be read is a ValueError
of one sentence. Shows nothing and knows no dialog.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from evaltui.option_values import checked
from evaltui.options import BY_KEY
from evaltui.settings import nearest

_OPENERS = {"[": "]", "{": "}", "(": ")"}
_QUOTES = "\"'"


def read_value(text: str) -> Any:
    """A value as it would be on the command line: `0.5`, `true`, `[a, b]`, else the text itself."""
    import yaml

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return text


def writable(value: Any) -> Any:
    """The value, if `evalset.toml` and a cell's identity can hold it. Raises ValueError."""
    try:
        _check(value)
    except RecursionError:
        raise ValueError("a value that holds itself has no end; write it out") from None
    return value


def _check(value: Any) -> None:
    if value is None:
        raise ValueError("evalset.toml has no null; leave it out, and the default is taken")
    if isinstance(value, Mapping):
        for key, part in value.items():
            if not isinstance(key, str):
                raise ValueError(f"the key {key!r} must be text; put it in quotes")
            _check(part)
    elif isinstance(value, list):
        for part in value:
            _check(part)
    elif not isinstance(value, str | int | float | date):
        raise ValueError(f"evalset.toml can't hold a {type(value).__name__}; write text or numbers")


def quoted(text: str) -> str:
    """A text in quotes, so that `read_value` gives it back whatever it holds."""
    import yaml

    dumped = yaml.safe_dump(text, default_style='"', allow_unicode=True, width=1_000_000)
    return str(dumped).rstrip("\n")


def read_setting(key: str, text: str) -> Any:
    """The value of an option of the set; None where nothing is typed. Raises ValueError."""
    text = text.strip()
    if not text:
        return None
    option = BY_KEY[key]
    if option.kind in ("limit", "str", "ids"):
        return checked(option, text)
    value = read_value(text)
    if option.kind == "threshold":
        value = _threshold(text, value)
    return checked(option, value)


def _threshold(text: str, value: Any) -> Any:
    """`5%` is the share 0.05; 1.0 is the count 1, as on the command line."""
    if text.endswith("%"):
        try:
            return float(text[:-1]) / 100
        except ValueError:
            return value
    return 1 if value == 1 and not isinstance(value, bool) else value


def setting_text(key: str, value: Any) -> str:
    """A setting as one types it; nothing where it is not set."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if key == "limit" and isinstance(value, tuple):
        return f"{value[0] + 1}-{value[1]}"
    if isinstance(value, tuple):
        return ", ".join(str(part) for part in value)
    return str(value)


def read_config(text: str) -> dict[str, Any]:
    """A model's generate options from `temperature=0.5, max_tokens=100`. Raises ValueError."""
    known = [option.key for option in BY_KEY.values() if option.goes == "generate"]
    config: dict[str, Any] = {}
    for name, value in read_pairs(text).items():
        if name not in known:
            hint = nearest(name, known) or "; temperature and max_tokens are"
            raise ValueError(f"{name!r} is no generate option{hint}")
        config[name] = checked(BY_KEY[name], value)
    return config


def read_pairs(text: str) -> dict[str, Any]:
    """`a=1, b=[2, 3]` as a mapping. Raises ValueError."""
    pairs: dict[str, Any] = {}
    for part in split_list(text):
        name, equals, value = part.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name or not value.strip():
            raise ValueError(f"{part!r} is no key=value; write them as a=1, b=2")
        if name in pairs:
            raise ValueError(f"{name!r} is there twice; keep one of them")
        pairs[name] = writable(read_value(value.strip()))
    return pairs


def split_list(text: str) -> list[str]:
    """The parts between commas that stand in no brackets and no quotes; empty ones left out."""
    parts = [text[start:end].strip() for start, end in _spans(text)]
    return [part for part in parts if part]


def _spans(text: str) -> Iterator[tuple[int, int]]:
    closers: list[str] = []
    quote = ""
    start = 0
    for at, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in _QUOTES and not text[start:at].strip():
            quote = character  # a quote within a word is an apostrophe
        elif character in _OPENERS:
            closers.append(_OPENERS[character])
        elif closers and character == closers[-1]:
            closers.pop()
        elif character == "," and not closers:
            yield start, at
            start = at + 1
    yield start, len(text)
