"""The garbage collector kept away from what is read of logs: it stops every thread while it looks.

Logs are values without cycles, freed as soon as nobody holds them; there is nothing in them to be
found. After 100,000 samples a look at them takes 400 ms, and reading brings about a dozen looks.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

MANY = 50_000
"""So many new objects are worth being left out of all later looks."""


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """Look for no garbage within; much that is new by its end is never looked at again."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if gc.get_count()[0] > MANY:
            gc.freeze()
        if collecting:
            gc.enable()
