"""Which items a slice drew from an order that may not be stable: `.evaltui/draws/<cell>.json`.

Written before the attempt that draws them, so that the next one draws the same. Only the form and
the files; what a draw means is in `reuse`.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from evaltui.logs.attempt import SampleId
from evaltui.logs.files import write_atomic
from evaltui.logs.layout import Layout

VERSION = 1


class Drawn(msgspec.Struct, frozen=True, array_like=True):
    """An item at its place: position from 0 in the order the slice counts by.

    id: as the dataset gives it; number: the id it was given where the dataset gives none.
    """

    position: int
    id: SampleId | None
    content: str
    number: SampleId | None = None


class Draw(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a cell's slices drew so far.

    shuffle: the `sample_shuffle` they counted by; with another one nothing of this holds.
    size: of the dataset then. order: some of its items as they stood at a load, to tell later
    whether the order is stable. unstable: it was seen not to be.
    """

    version: int
    items: tuple[Drawn, ...] = ()
    shuffle: bool | int | None = None
    size: int = 0
    order: tuple[str, ...] = ()
    unstable: bool = False


def read_draw(layout: Layout, cell: str) -> Draw | None:
    """The draw of a cell (by key); None where there is none that this version can read."""
    try:
        found = msgspec.json.decode(_path(layout, cell).read_bytes(), type=Draw)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return found if found.version <= VERSION else None


def write_draw(layout: Layout, cell: str, draw: Draw) -> None:
    """Store it durably. OSError passes through."""
    write_atomic(_path(layout, cell), msgspec.json.encode(draw))


def _path(layout: Layout, cell: str) -> Path:
    return layout.draws / f"{cell}.json"
