"""evaltui: runs and minds sets of language model evaluations in a terminal, on Inspect AI."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaltui.api import run_set

__all__ = ["run_set"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """`run_set`, loaded when it is asked for: commands start without it."""
    if name == "run_set":
        from evaltui.api import run_set

        return run_set
    raise AttributeError(f"module 'evaltui' has no attribute {name!r}")
