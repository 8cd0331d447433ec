"""Whether a model's provider can exist, told without importing Inspect, which takes a second.

Inspect's own are read from its source. Others are registered by packages and by people's own code:
where there may be one, nothing is said here, and the worker that makes the model will know.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
from collections.abc import Iterable
from pathlib import Path

from evaltui.model_keys import KEYS
from evaltui.settings import nearest

_REGISTERED = re.compile(r"""@modelapi\(\s*(?:name\s*=\s*)?["']([^"']+)["']""")
MOST_FILES = 2000
"""Files of Python code below a folder that are read before a name is given the benefit of doubt."""

OURS = frozenset({"inspect_ai", "evaltui"})


def unknown_provider(model: str, folders: Iterable[Path]) -> str | None:
    """Why there is no provider for a model of this name; None where there is or may be one.

    folders: the root and those of the task files; code in and below them may register providers
    of its own.
    """
    provider = model.partition("/")[0]
    if provider in KEYS or provider in (known := _of_inspect()):
        return None
    hint = nearest(provider, (*KEYS, *known))
    if not hint or _packages_may() or any(_code_may(folder) for folder in folders):
        return None
    return f"there is no model provider {provider}{hint}"


def _of_inspect() -> frozenset[str]:
    """Those of the Inspect that is installed, as its source registers them."""
    found = importlib.util.find_spec("inspect_ai")
    if found is None or found.origin is None:
        return frozenset()
    source = Path(found.origin).parent / "model" / "_providers" / "providers.py"
    try:
        return frozenset(_REGISTERED.findall(source.read_text("utf-8")))
    except (OSError, UnicodeDecodeError):
        return frozenset()


def _packages_may() -> bool:
    """Whether a package beside ours and Inspect's registers anything with Inspect."""
    entries = importlib.metadata.entry_points(group="inspect_ai")
    return any(entry.value.partition(".")[0].partition(":")[0] not in OURS for entry in entries)


def _code_may(folder: Path) -> bool:
    """Whether code there speaks of providers, or is too much to be read for a typo's sake."""
    read = 0
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "__"))]
        for name in files:
            if not name.endswith((".py", ".ipynb")):
                continue
            if (read := read + 1) > MOST_FILES or _speaks_of_providers(Path(place, name)):
                return True
    return False


def _speaks_of_providers(path: Path) -> bool:
    try:
        return b"modelapi" in path.read_bytes()
    except OSError:
        return False
