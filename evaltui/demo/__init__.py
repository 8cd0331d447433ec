"""The demo set as data: four task files in this folder, three `sim/` models, and its rules.

It is chosen so that a run of under a minute shows what a set can meet. `sim/flaky` raises three
errors in `arithmetic`, one more than is tolerated: the cell fails, waits, and its rerun completes.
Its one error in `extraction` and two in `units` are tolerated. `sim/limited` gets 429s and waits.
This module runs nothing and imports no Inspect.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

__all__ = ["TASK_FOLDER", "Demo", "DemoModel", "demo_spec_args"]

TASK_FOLDER: Final = Path(__file__).parent
"""Where the task files lie; they read nothing beside themselves, so they may be copied away."""


class DemoModel(msgspec.Struct, frozen=True):
    """A model of the demo with its model args, as in a `[[model]]` of the spec."""

    name: str
    args: Mapping[str, str | int | float]


class Demo(msgspec.Struct, frozen=True):
    """What the demo's spec holds. `options` has top-level keys of the spec; waits in seconds."""

    tasks: tuple[str, ...]
    models: tuple[DemoModel, ...]
    options: Mapping[str, int]


def demo_spec_args(state: str) -> Demo:
    """The demo set.

    Args:
        state: Folder in which `sim/flaky` remembers its errors from one attempt to the next,
            absolute or relative to where workers run. Start with an empty or absent one: errors
            that it has seen do not come again.
    """
    return Demo(
        tasks=(
            "arithmetic.py@arithmetic",
            "extraction.py@extraction",
            "multiple_choice.py@multiple_choice",
            "units.py@units",
        ),
        models=(
            DemoModel("sim/steady", {"seed": 102, "accuracy": 0.85, "latency": 0.6}),
            DemoModel(
                "sim/flaky",
                {"seed": 102, "accuracy": 0.75, "latency": 0.4, "error_rate": 0.12, "state": state},
            ),
            DemoModel(
                "sim/limited",
                {"seed": 102, "accuracy": 0.65, "latency": 0.4, "limit_every": 6, "retry_after": 3},
            ),
        ),
        options={
            "epochs": 1,
            "fail_on_error": 2,
            "retry_wait": 4,
            "retry_attempts": 3,
            "max_connections": 4,
        },
    )
