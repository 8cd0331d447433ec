"""Superseded logs: which they are, and the trash they can be brought back from.

A log in the trash is renamed `….eval.trash`, since Inspect lists logs in hidden folders too. Only
a person empties the trash.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from evaltui.logs.layout import Layout
from evaltui.logs.records import SampleSummary

ENDING = ".trash"


class TrashError(Exception):
    """A log that can't be brought back; one sentence."""


def superseded(
    kept: Iterable[SampleSummary], others: Mapping[str, Iterable[SampleSummary]]
) -> list[str]:
    """Those of `others` (name -> samples) whose clean samples are all in the kept log, by uuid.

    A clean sample without a uuid can't be told to be there, so its log stays.
    """
    there = {sample.uuid for sample in kept if sample.uuid and sample.clean}
    return [
        name
        for name, samples in others.items()
        if all(sample.uuid in there for sample in samples if sample.clean)
    ]


def put_away(layout: Layout, log: str) -> str:
    """Move a log to the trash; its name there. Raises OSError."""
    layout.trash.mkdir(parents=True, exist_ok=True)
    name = log + ENDING
    number = 1
    while (layout.trash / name).exists():
        number += 1
        name = f"{log}.{number}{ENDING}"
    os.rename(layout.log_dir / log, layout.trash / name)
    return name


def bring_back(layout: Layout, trash: str, log: str) -> None:
    """Move a log out of the trash again. Raises TrashError where it can't be."""
    source, target = layout.trash / trash, layout.log_dir / log
    if target.exists():
        raise TrashError(f"{log} is in the log directory already; move it away first.")
    try:
        os.rename(source, target)
    except FileNotFoundError:
        raise TrashError(f"{trash} is no longer in the trash of {layout.log_dir}.") from None
    except OSError as error:
        raise TrashError(f"{log} can't be brought back: {error.strerror}.") from None


def contents(layout: Layout) -> list[Path]:
    """What is in the trash, by name."""
    try:
        with os.scandir(layout.trash) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.name.endswith(ENDING))
    except FileNotFoundError:
        return []


def empty(layout: Layout) -> tuple[int, int]:
    """Delete everything in the trash for good: how many logs, how many bytes. Raises OSError."""
    bytes_freed = 0
    logs = contents(layout)
    for path in logs:
        bytes_freed += path.stat().st_size
        path.unlink()
    return len(logs), bytes_freed
