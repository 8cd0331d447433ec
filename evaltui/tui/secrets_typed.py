"""Keys that somebody types where they would lie about in files: found by their name. Pure.

Neither the spec nor a log is a place for a key: workers take keys from the environment, or from the
`.env` that they load.
"""

from __future__ import annotations

import re

_NAMES = re.compile(r"(?i)(^|[_\-])(api[_\-]?key|secret|password|auth[_\-]?token)$")
_PAIR = re.compile(r"([\w\-]+)\s*=")


def is_key(name: str) -> bool:
    """Whether an argument of this name would hold a key."""
    return _NAMES.search(name) is not None


def keys_typed(text: str) -> list[str]:
    """Names of keys among the `name=value` of a text."""
    return [name for name in _PAIR.findall(text) if is_key(name)]


def refusal(name: str, variable: str) -> str:
    """Why it is not taken, and where it belongs; the value is never shown."""
    return (
        f"{name} does not belong in the set's files: set {variable} in the environment or in .env"
    )
