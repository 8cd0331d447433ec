"""Code edited a moment ago is run as it stands in its file, never from bytecode cached before.

Python takes cached bytecode for current while the whole second and the size of a source agree: an
edit in the same second (`VALUE = 0` to `VALUE = 1`) would be run as it was before, and
fingerprinted as it is now. While a source is young, its cache is neither read nor written.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from importlib.machinery import SourceFileLoader
from typing import Any

YOUNG = 3.0
"""Seconds. Some file systems keep times to two seconds."""


def distrust_bytecode_of_young_sources() -> None:
    """For the rest of this process. The import system compiles what has no times to compare."""
    stats = SourceFileLoader.path_stats

    def path_stats(self: SourceFileLoader, path: str) -> Mapping[str, Any]:
        found = stats(self, path)
        if time.time() - found["mtime"] < YOUNG:
            raise OSError(f"{path} was edited just now")
        return found

    SourceFileLoader.path_stats = path_stats  # type: ignore[method-assign]
