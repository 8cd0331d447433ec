"""What the workers of a set will find: variables (names alone: values are secrets), packages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def set_variables(environ: Mapping[str, str], root: Path) -> frozenset[str]:
    """Names of the variables that are set and not empty, there or in the nearest `.env`.

    The `.env` is looked for from `root` upwards, as a worker does. One that can't be read is none.
    """
    here = {name for name, value in environ.items() if value}
    return frozenset(here | _in_dotenv(root))


def foreign_providers() -> bool:
    """Whether packages are installed that extend Inspect: they may bring providers of their own."""
    from importlib.metadata import entry_points

    return any(not each.value.startswith("evaltui.") for each in entry_points(group="inspect_ai"))


def _in_dotenv(root: Path) -> set[str]:
    from dotenv import dotenv_values

    path = next((f / ".env" for f in (root, *root.parents) if (f / ".env").is_file()), None)
    if path is None:
        return set()
    try:
        return {name for name, value in dotenv_values(path).items() if value}
    except (OSError, UnicodeDecodeError):
        return set()
